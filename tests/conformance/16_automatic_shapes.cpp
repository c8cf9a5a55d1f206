// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes that the library chooses: AUTO clusters and teams, prefer(), mode().
#include "device.hpp"

namespace kohort::conformance::automatic {

/// Each team writes its cluster's size, and checks its ring through peers of that size.
struct RingOfAnySize {
  int* size;
  int* from_next;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto cell = member.cluster_scratch();
    if (member.team_rank() == 0) *cell = member.league_rank();
    member.cluster_barrier();
    if (member.team_rank() != 0) return;
    int const next = (member.cluster_rank() + 1) % member.cluster_size();
    size[member.league_rank()] = member.cluster_size();
    from_next[member.league_rank()] = *member.peer(cell, next);
  }
};

/// Launches a ring and returns the cluster's size that each team saw; checks the exchange.
template <class Policy>
std::vector<int> ring_sizes(Policy const& policy) {
  int const teams = static_cast<int>(policy.request().league.count());
  auto const sizes = poisoned<int>(policy.target(), teams);
  auto const neighbours = poisoned<int>(policy.target(), teams);
  parallel_for("ring_of_any_size", policy, RingOfAnySize{sizes.data(), neighbours.data()});
  std::vector<int> const seen = download(sizes);
  std::vector<int> expected;
  for (int team = 0; team < teams;) {
    int const size = seen[team];
    require(size >= 1 && team + size <= teams, "team " + std::to_string(team) + " saw a size");
    for (int rank = 0; rank < size; ++rank) {
      require_equal(seen[team + rank], size, "the size that another team of the cluster saw");
      expected.push_back(team + (rank + 1) % size);
    }
    team += size;
  }
  require_all_equal(download(neighbours), expected, "what the next team of the ring held");
  return seen;
}

/// The largest portable power of two that divides the league; in clusters that software makes, one.
inline int automatic_size(DeviceProperties const& device, int league) {
  if (device.cluster_mode == ClusterMode::emulated) return 1;
  int size = 1;
  while (2 * size <= device.largest_portable_cluster && league % (2 * size) == 0) size *= 2;
  return size;
}

template <class Target>
void an_automatic_cluster_divides_the_league(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int>>;
  for (int league : {1, 2, 6, 7, 24, 36, 64}) {
    require_all_equal(ring_sizes(Policy(target, league, 4, AUTO)),
                      std::vector<int>(league, automatic_size(properties(target), league)),
                      "sizes of AUTO clusters, league of " + std::to_string(league));
  }
}

/// A fixed shape stands, also where AUTO is written.
template <class Target>
void a_fixed_shape_stands_before_auto(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<1>, ClusterScratch<int>>;
  require_all_equal(ring_sizes(Policy(target, 8, 4, AUTO)), std::vector<int>(8, 1), "sizes");
}

template <class Target, class... Traits>
int automatic_team_size(Target const& target) {
  using Policy = ClusterPolicy<Target, Traits...>;
  int const teams = 5;
  auto const sizes = filled<int>(target, teams, 0);
  auto const runs = filled<int>(target, teams, 0);
  int* const size = sizes.data();
  int* const run = runs.data();
  parallel_for(
      "automatic_team", Policy(target, teams, AUTO),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        atomic_add(&run[member.league_rank()], 1);
        if (member.team_rank() == 0) size[member.league_rank()] = member.team_size();
      });
  std::vector<int> const seen = download(sizes);
  require_all_equal(seen, std::vector<int>(teams, seen[0]), "every team has the same size");
  require_all_equal(download(runs), seen, "as many threads ran");
  require(seen[0] >= 1 && seen[0] <= properties(target).max_team_size, "the device can have it");
  require(seen[0] % properties(target).subgroup_size == 0, "whole subgroups");
  return seen[0];
}

template <class Target>
void an_automatic_team_has_whole_subgroups(Target const& target) {
  automatic_team_size<Target>(target);
}

template <class Target>
void an_automatic_team_keeps_within_launch_bounds(Target const& target) {
  int const size = automatic_team_size<Target, LaunchBounds<64>>(target);
  require(size <= 64, "AUTO keeps within LaunchBounds<64>: " + std::to_string(size));
}

/// An AUTO team in a reduction, where every thread counts.
template <class Target>
void an_automatic_team_reduces(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  long long threads = -1;
  long long teams = -1;
  parallel_reduce(
      "threads", Policy(target, 9, AUTO),
      KOHORT_LAMBDA(typename Policy::member_type const&, long long& update) { update += 1; },
      threads);
  parallel_reduce(
      "teams", Policy(target, 9, AUTO),
      KOHORT_LAMBDA(typename Policy::member_type const& member, long long& update) {
        update += member.team_rank() == 0;
      },
      teams);
  require_equal(teams, 9, "teams");
  require(threads >= 9 && threads % 9 == 0, "teams of one size: " + std::to_string(threads));
}

template <class Target>
void preferred_shapes_fall_back(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int>>;
  DeviceProperties const device = properties(target);
  int const fallback = std::min(device.largest_portable_cluster, 2);
  int const preferred = device.largest_nonportable_cluster >= 4 ? 4 : fallback;
  Policy policy(target, 24 * preferred, 4);
  policy.prefer(preferred, fallback).allow_nonportable_size();
  for (int size : ring_sizes(policy)) {
    require(size == preferred || size == fallback,
            "a cluster has the preferred or the fallback size, not " + std::to_string(size));
  }
}

template <class Target>
void automatic_and_native_modes_launch_alike(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int>>;
  for (int size : cluster_sizes(target)) {
    for (ClusterMode mode : {ClusterMode::automatic, ClusterMode::native}) {
      Policy policy(target, 3 * size, 4, size);
      policy.allow_nonportable_size().mode(mode);
      bool const has_native = policy.validate(RingOfAnySize{nullptr, nullptr}).ok;
      if (mode == ClusterMode::native && !has_native) continue;
      require_all_equal(ring_sizes(policy), std::vector<int>(3 * size, size), "sizes");
    }
  }
}

namespace {
Rung<UnitTarget> const rung(
    "16_automatic_shapes",
    {{"AnAutomaticClusterDividesTheLeague", an_automatic_cluster_divides_the_league<UnitTarget>},
     {"AFixedShapeStandsBeforeAuto", a_fixed_shape_stands_before_auto<UnitTarget>},
     {"AnAutomaticTeamHasWholeSubgroups", an_automatic_team_has_whole_subgroups<UnitTarget>},
     {"AnAutomaticTeamKeepsWithinLaunchBounds",
      an_automatic_team_keeps_within_launch_bounds<UnitTarget>},
     {"AnAutomaticTeamReduces", an_automatic_team_reduces<UnitTarget>},
     {"PreferredShapesFallBack", preferred_shapes_fall_back<UnitTarget>},
     {"AutomaticAndNativeModesLaunchAlike", automatic_and_native_modes_launch_alike<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::automatic
