// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What properties(), validate(), max_cluster_size() and max_active_clusters() answer agrees with
// what launches do.
#include "device.hpp"

namespace kohort::conformance::residency {

template <class Target>
void properties_are_of_one_piece(Target const& target) {
  DeviceProperties const device = properties(target);
  require_equal(device.target, target_name<Target>, "target");
  require(!device.device.empty(), "the device has a name");
  require(device.sm_count >= 1, "SMs");
  int sum = 0;
  for (int domain : device.domains) sum += domain;
  require(device.domains.empty() || sum == device.sm_count, "domains hold all SMs");
  require(device.subgroup_size >= 2 && device.subgroup_size <= 64, "lanes of a subgroup");
  require(device.max_team_size >= device.subgroup_size, "a team holds a subgroup");
  require(device.max_threads_per_sm >= device.max_team_size, "an SM holds a team");
  require(device.max_teams_per_sm >= 1, "teams an SM");
  require(device.max_team_scratch_bytes <= device.scratch_bytes_per_sm, "scratch of a team");
  require(device.largest_portable_cluster >= 1 &&
              device.largest_portable_cluster <= device.largest_nonportable_cluster,
          "portable clusters are no larger than non-portable ones");
  bool const is_native = device.cluster_mode == ClusterMode::native;
  require(device.cluster_mode != ClusterMode::automatic, "automatic stands for another mode");
  require(device.has_dsmem == (is_native && device.largest_nonportable_cluster > 1),
          "native clusters over one exist where teams can map each other's scratch");
}

struct CountTeams {
  int* count;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    if (member.team_rank() == 0) atomic_add(count, 1);
  }
};

/// @return whether the launch was taken; checks that it then ran whole
template <class Policy>
bool runs(Policy const& policy) {
  auto const counts = filled<int>(policy.target(), 1, 0);
  try {
    parallel_for("runs", policy, CountTeams{counts.data()});
  } catch (LaunchError const&) {
    return false;
  }
  require_equal(download(counts)[0], static_cast<int>(policy.request().league.count()),
                "teams that ran");
  return true;
}

template <class Target>
void validate_agrees_with_launches(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicTeamScratch<char>>;
  DeviceProperties const device = properties(target);
  int const scratch = static_cast<int>(device.max_team_scratch_bytes);
  for (int size : {1, 2, 3, 5, 8, 9, 16, 17}) {
    for (int league : {size, 2 * size + 1}) {
      for (int threads : {1, device.max_team_size, device.max_team_size + 1}) {
        for (int bytes : {0, scratch, scratch + 1}) {
          for (bool allowed : {false, true}) {
            Policy policy(target, league, threads, size);
            policy.dynamic_team_scratch(bytes);
            if (allowed) policy.allow_nonportable_size();
            bool const valid = policy.validate(CountTeams{nullptr}).ok;
            require_equal(runs(policy), valid,
                          "a launch of league " + std::to_string(league) + ", cluster " +
                              std::to_string(size) + ", " + std::to_string(threads) + " threads, " +
                              std::to_string(bytes) + " B, " + (allowed ? "" : "no ") +
                              "opting in: is taken");
          }
        }
      }
    }
  }
}

/// Two clusters of `size` teams.
template <class Target>
ClusterPolicy<Target> two_clusters(Target const& target, int size, int threads, bool allowed) {
  ClusterPolicy<Target> policy(target, 2 * size, threads, size);
  if (allowed) policy.allow_nonportable_size();
  return policy;
}

template <class Target>
void check_largest_cluster(Target const& target, int threads, bool allowed) {
  DeviceProperties const device = properties(target);
  int const limit = allowed ? device.largest_nonportable_cluster : device.largest_portable_cluster;
  CountTeams const functor{nullptr};
  int const largest = two_clusters(target, 1, threads, allowed).max_cluster_size(functor);
  require(largest >= 1 && largest <= limit, "max_cluster_size() is one of the device's sizes");
  require(runs(two_clusters(target, largest, threads, allowed)), "it launches");
  require(!runs(two_clusters(target, largest + 1, threads, allowed)), "one team more does not");
}

template <class Target>
void the_largest_cluster_launches_and_one_more_does_not(Target const& target) {
  // Opting in first: it must not leak into the policies that follow.
  for (bool allowed : {true, false}) {
    check_largest_cluster(target, 1, allowed);
    check_largest_cluster(target, properties(target).max_team_size, allowed);
  }
}

/// A barrier over all teams of a league that is resident as a whole, by a counter in memory.
struct GridBarrier {
  static constexpr int rounds = 3;
  unsigned* arrived;
  unsigned* cell;
  unsigned* result;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    unsigned const teams = member.league_size();
    unsigned sum = 0;
    for (unsigned round = 1; round <= rounds; ++round) {
      if (member.team_rank() == 0) cell[member.league_rank()] = round * member.league_rank();
      wait_for_all(member, (2 * round - 1) * teams);
      sum += cell[(member.league_rank() + 1) % teams];
      wait_for_all(member, 2 * round * teams);
    }
    if (member.team_rank() == 0) result[member.league_rank()] = sum;
  }

  template <class Member>
  KOHORT_FUNCTION void wait_for_all(Member const& member, unsigned target) const {
    member.team_barrier();
    if (member.team_rank() == 0) {
      atomic_fetch_add<Scope::device, MemoryOrder::acquire_release>(arrived, 1u);
      while (atomic_load<Scope::device, MemoryOrder::acquire>(arrived) < target) {
      }
    }
    member.team_barrier();
  }
};

/// max_active_clusters() clusters are resident at once, for they can all wait for each other.
template <class Target>
void the_resident_limit_can_wait_for_itself(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicTeamScratch<char>>;
  DeviceProperties const device = properties(target);
  for (int size : cluster_sizes(target)) {
    Policy policy(target, size, device.subgroup_size, size);
    policy.allow_nonportable_size();
    // All of an SM's scratch, so that a team has an SM to itself and the league stays small.
    policy.dynamic_team_scratch(static_cast<int>(device.max_team_scratch_bytes));
    int const clusters = policy.max_active_clusters(GridBarrier{});
    require(clusters >= 1, "a cluster fits");
    require(clusters * size <= device.sm_count, "teams have an SM each");
    unsigned const teams = clusters * size;
    auto const arrived = filled<unsigned>(target, 1, 0);
    auto const cells = poisoned<unsigned>(target, teams);
    auto const results = poisoned<unsigned>(target, teams);
    Policy persistent(target, teams, device.subgroup_size, size);
    persistent.allow_nonportable_size();
    persistent.dynamic_team_scratch(static_cast<int>(device.max_team_scratch_bytes));
    parallel_for("grid_barrier", persistent,
                 GridBarrier{arrived.data(), cells.data(), results.data()});
    std::vector<unsigned> expected;
    for (unsigned team = 0; team < teams; ++team) expected.push_back(6 * ((team + 1) % teams));
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

/// Less scratch or fewer threads never lower the resident limit, larger clusters never raise it.
template <class Target>
void the_resident_limit_is_monotonous(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicTeamScratch<char>>;
  DeviceProperties const device = properties(target);
  auto const limit = [&](int size, int threads, long long bytes) {
    Policy policy(target, size, threads, size);
    policy.allow_nonportable_size().dynamic_team_scratch(static_cast<int>(bytes));
    return policy.max_active_clusters(CountTeams{nullptr});
  };
  long long const bytes = device.max_team_scratch_bytes;
  for (int size : cluster_sizes(target)) {
    int const full = limit(size, device.max_team_size, bytes);
    require(full >= 1, "one cluster of full teams fits");
    require(limit(size, device.subgroup_size, bytes) >= full, "fewer threads");
    require(limit(size, device.max_team_size, bytes / 2) >= full, "less scratch");
    require(limit(1, device.max_team_size, bytes) >= full * size, "smaller clusters");
  }
  require_equal(limit(1, device.max_team_size, bytes), device.sm_count,
                "teams that each need an SM's scratch");
}

/// cccl#8327: a league counts teams, so 6 teams in pairs are 3 clusters.
template <class Target>
void a_league_counts_teams(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const size = cluster_teams(target, 2);
  auto const results = filled<int>(target, 6, 0);
  int* const result = results.data();
  parallel_for(
      "six_teams", Policy(target, 6, 1, size),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        atomic_add(&result[member.league_rank()], member.cluster_league_size());
      });
  require_all_equal(download(results), std::vector<int>(6, 6 / size), "clusters of the league");
}

namespace {
Rung<UnitTarget> const rung(
    "15_residency",
    {{"PropertiesAreOfOnePiece", properties_are_of_one_piece<UnitTarget>},
     {"ValidateAgreesWithLaunches", validate_agrees_with_launches<UnitTarget>},
     {"TheLargestClusterLaunchesAndOneMoreDoesNot",
      the_largest_cluster_launches_and_one_more_does_not<UnitTarget>},
     {"TheResidentLimitCanWaitForItself", the_resident_limit_can_wait_for_itself<UnitTarget>},
     {"TheResidentLimitIsMonotonous", the_resident_limit_is_monotonous<UnitTarget>},
     {"ALeagueCountsTeams", a_league_counts_teams<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::residency
