// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of public bug reports: launches that the device refuses, that are too many, or that can't
// be resident at once.
#include "case.hpp"

#include <algorithm>

namespace kohort::detect::field_launches {

constexpr int threads = 64;

/// What the refused launches would have done, for clusters of any size: each team adds the rank
/// of the next to its own.
template <class Policy>
void add_neighbours(Policy const& policy) {
  auto const teams = static_cast<std::size_t>(policy.request().league.count());
  auto const out = filled<int>(policy.target(), teams * threads);
  int* const results = out.data();
  parallel_for(
      "add_neighbours", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = member.league_rank();
        member.cluster_barrier();
        int const next = (member.cluster_rank() + 1) % member.cluster_size();
        results[member.league_rank() * threads + thread] =
            tile[thread] + member.peer(tile, next)[thread];
      });
  policy.target().fence();
}

template <class Target>
using AnyShape = ClusterPolicy<Target, ClusterScratch<int[threads]>>;
template <class Target, int Size>
using FixedShape = ClusterPolicy<Target, ClusterDims<Size>, ClusterScratch<int[threads]>>;

struct NoWork {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const&) const {}
};

template <class Target>
void league_is_no_multiple_of_the_cluster(Target const& target) {
  add_neighbours(FixedShape<Target, 2>(target, 3, threads));
}

template <class Target>
void league_is_rounded_up_to_the_cluster(Target const& target) {
  add_neighbours(FixedShape<Target, 2>(target, 4, threads));
}

template <class Target>
void nonportable_size_without_opting_in(Target const& target) {
  add_neighbours(FixedShape<Target, 16>(target, 32, threads));
}

template <class Target>
void nonportable_size_opted_in(Target const& target) {
  add_neighbours(FixedShape<Target, 16>(target, 32, threads).allow_nonportable_size());
}

template <class Target>
void cluster_of_eight_where_groups_hold_four(Target const& target) {
  add_neighbours(AnyShape<Target>(target, 16, threads, ClusterShape{8}));
}

template <class Target>
void cluster_of_the_size_that_fits(Target const& target) {
  add_neighbours(AnyShape<Target>(target, 16, threads, AUTO));
}

template <class Target>
void largest_cluster_of_another_device(Target const& target) {
  add_neighbours(AnyShape<Target>(target, 32, threads, ClusterShape{16}).allow_nonportable_size());
}

template <class Target>
void largest_cluster_of_this_device(Target const& target) {
  AnyShape<Target> question(target, 32, threads);
  int const largest = question.allow_nonportable_size().max_cluster_size(NoWork{});
  add_neighbours(AnyShape<Target>(target, 2 * largest, threads, ClusterShape{largest})
                     .allow_nonportable_size());
}

template <class Target>
void native_clusters_where_there_are_none(Target const& target) {
  add_neighbours(AnyShape<Target>(target, 4, threads, ClusterShape{2}).mode(ClusterMode::native));
}

template <class Target>
void native_clusters_where_there_are_some(Target const& target) {
  int const size = properties(target).cluster_mode == ClusterMode::native ? 2 : 1;
  add_neighbours(
      AnyShape<Target>(target, 4, threads, ClusterShape{size}).mode(ClusterMode::native));
}

constexpr int rows = 2;
constexpr int teams_a_row = 3;

/// A cluster sums up a row, a team a third of it.
template <class Target>
void sum_rows(Target const& target, int teams) {
  using Policy = FixedShape<Target, teams_a_row>;
  auto const in = filled<int>(target, rows * teams_a_row * threads, 1);
  auto const out = filled<int>(target, rows);
  int const* const inputs = in.data();
  int* const sums = out.data();
  parallel_for(
      "sum_rows", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const sum =
            member.cluster_reduce(inputs[member.league_rank() * threads + member.team_rank()]);
        if (member.cluster_rank() == 0 && member.team_rank() == 0)
          sums[member.cluster_league_rank()] = sum;
      });
  target.fence();
}

template <class Target>
void teams_counted_as_clusters(Target const& target) {
  int const clusters = rows * teams_a_row;
  sum_rows(target, clusters * teams_a_row);
}

template <class Target>
void teams_counted_as_teams(Target const& target) {
  sum_rows(target, rows * teams_a_row);
}

template <class Target>
using GridPolicy = ClusterPolicy<Target, ClusterDims<2>, TeamScratch<char[2000]>>;

/// Every team adds what a team of another cluster wrote before the barrier that all spin at.
template <class Target>
void exchange_across_the_grid(Target const& target, int clusters_too_many) {
  GridPolicy<Target> const question(target, 2, threads);
  int const teams = 2 * (question.max_active_clusters(NoWork{}) + clusters_too_many);
  auto const partials = filled<int>(target, static_cast<std::size_t>(teams));
  auto const out = filled<int>(target, static_cast<std::size_t>(teams));
  auto const counter = filled<int>(target, 1);
  int* const partial_sums = partials.data();
  int* const results = out.data();
  int* const arrived = counter.data();
  parallel_for(
      "grid_barrier", GridPolicy<Target>(target, teams, threads),
      KOHORT_LAMBDA(typename GridPolicy<Target>::member_type const& member) {
        if (member.team_rank() != 0) return;
        int const team = member.league_rank();
        partial_sums[team] = team;
        atomic_add<Scope::device, MemoryOrder::release>(arrived, 1);
        while (atomic_load<Scope::device, MemoryOrder::acquire>(arrived) < member.league_size()) {
        }
        results[team] = partial_sums[team] + partial_sums[member.league_size() - 1 - team];
      });
  target.fence();
}

template <class Target>
void grid_barrier_of_more_than_is_resident(Target const& target) {
  exchange_across_the_grid(target, 1);
}

template <class Target>
void grid_barrier_of_what_is_resident(Target const& target) {
  exchange_across_the_grid(target, 0);
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "league_is_no_multiple_of_the_cluster",
     .kind = "launch",
     .expected = "launch-refused",
     .source = "FAULTS 38",
     .faulty = league_is_no_multiple_of_the_cluster<UnitTarget>,
     .repaired = league_is_rounded_up_to_the_cluster<UnitTarget>},
    {.name = "nonportable_size_without_opting_in",
     .kind = "launch",
     .expected = "launch-refused",
     .source = "FAULTS 39",
     .faulty = nonportable_size_without_opting_in<UnitTarget>,
     .repaired = nonportable_size_opted_in<UnitTarget>},
    {.name = "cluster_of_eight_where_groups_hold_four",
     .kind = "launch",
     .expected = "launch-refused",
     .source = "FAULTS 40",
     .faulty = cluster_of_eight_where_groups_hold_four<UnitTarget>,
     .repaired = cluster_of_the_size_that_fits<UnitTarget>,
     .profile = "tiny"},
    {.name = "largest_cluster_of_another_device",
     .kind = "launch",
     .expected = "launch-refused",
     .source = "FAULTS 41",
     .faulty = largest_cluster_of_another_device<UnitTarget>,
     .repaired = largest_cluster_of_this_device<UnitTarget>,
     .profile = "tiny"},
    {.name = "teams_counted_as_clusters",
     .kind = "memory",
     .expected = "buffer-out-of-bounds",
     .source = "FAULTS 42",
     .faulty = teams_counted_as_clusters<UnitTarget>,
     .repaired = teams_counted_as_teams<UnitTarget>},
    {.name = "native_clusters_where_there_are_none",
     .kind = "launch",
     .expected = "launch-refused",
     .source = "FAULTS 44",
     .faulty = native_clusters_where_there_are_none<UnitTarget>,
     .repaired = native_clusters_where_there_are_some<UnitTarget>,
     .profile = "a100"},
    {.name = "grid_barrier_of_more_than_is_resident",
     .kind = "launch",
     .expected = "cluster-not-resident",
     .source = "FAULTS 46",
     .faulty = grid_barrier_of_more_than_is_resident<UnitTarget>,
     .repaired = grid_barrier_of_what_is_resident<UnitTarget>,
     .profile = "tiny"},
};
}  // namespace

}  // namespace kohort::detect::field_launches
