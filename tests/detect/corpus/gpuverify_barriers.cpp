// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUVerify's CUDA tests of barriers of blocks and grids; what they do with a grid, a cluster does
// here.
#include "case.hpp"

namespace kohort::detect::gpuverify_barriers {

constexpr int threads = 32;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;
template <class Target>
using Pair = ClusterPolicy<Target, ClusterDims<2>>;
template <class Target>
using PairMember = typename Pair<Target>::member_type;
template <class Target>
using UnguardedPair = ClusterPolicy<Target, ClusterDims<2>, ManualLifetime>;
template <class Target>
using UnguardedMember = typename UnguardedPair<Target>::member_type;

template <class Target>
void even_threads_meet_the_team_barrier(Target const& target) {
  auto const row = filled<int>(target, threads + 2, 1);
  int* const values = row.data();
  parallel_for(
      "shift_even", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (thread % 2 == 0) {
          int const other = values[thread + 2];
          member.team_barrier();
          values[thread] = other;
        }
      });
  target.fence();
}

template <class Target>
void all_threads_meet_the_team_barrier(Target const& target) {
  auto const row = filled<int>(target, threads + 2, 1);
  int* const values = row.data();
  parallel_for(
      "shift_even", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        int const other = values[thread + 2];
        member.team_barrier();
        if (thread % 2 == 0) values[thread] = other;
      });
  target.fence();
}

template <class Target>
void even_threads_meet_the_cluster_barrier(Target const& target) {
  auto const row = filled<int>(target, 2 * threads + 2, 1);
  int* const values = row.data();
  parallel_for(
      "shift_even", UnguardedPair<Target>(target, 2, threads),
      KOHORT_LAMBDA(UnguardedMember<Target> const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        if (element % 2 == 0) {
          int const other = values[element + 2];
          member.cluster_barrier();
          values[element] = other;
        }
      });
  target.fence();
}

template <class Target>
void all_threads_meet_the_cluster_barrier(Target const& target) {
  auto const row = filled<int>(target, 2 * threads + 2, 1);
  int* const values = row.data();
  parallel_for(
      "shift_even", UnguardedPair<Target>(target, 2, threads),
      KOHORT_LAMBDA(UnguardedMember<Target> const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        int const other = values[element + 2];
        member.cluster_barrier();
        if (element % 2 == 0) values[element] = other;
      });
  target.fence();
}

template <class Target>
void one_team_meets_the_cluster_barrier(Target const& target) {
  auto const row = filled<int>(target, 2 * threads + 2, 1);
  int* const values = row.data();
  parallel_for(
      "shift_in_one_team", Pair<Target>(target, 2, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        if (member.league_rank() % 2 == 0) {
          int const other = values[element + 2];
          member.cluster_barrier();
          values[element] = other;
        }
      });
  target.fence();
}

template <class Target>
void both_teams_meet_the_cluster_barrier(Target const& target) {
  auto const row = filled<int>(target, 2 * threads + 2, 1);
  int* const values = row.data();
  parallel_for(
      "shift_in_one_team", Pair<Target>(target, 2, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        int const other = values[element + 2];
        member.cluster_barrier();
        if (member.league_rank() % 2 == 0) values[element] = other;
      });
  target.fence();
}

template <class Target>
void team_barrier_parts_read_and_write(Target const& target) {
  auto const row = filled<int>(target, threads + 1, 1);
  int* const values = row.data();
  parallel_for(
      "shift_in_team", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const next = values[member.team_rank() + 1];
        member.team_barrier();
        values[member.team_rank()] = next;
      });
  target.fence();
}

template <class Target>
void cluster_barrier_parts_read_and_write(Target const& target) {
  auto const row = filled<int>(target, 2 * threads + 1, 1);
  int* const values = row.data();
  parallel_for(
      "shift_in_cluster", Pair<Target>(target, 2, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        int const next = values[element + 1];
        member.cluster_barrier();
        values[element] = next;
      });
  target.fence();
}

template <class Target>
void cluster_and_team_barriers_in_turn(Target const& target) {
  auto const row = filled<int>(target, 2 * threads + 1, 1);
  int* const values = row.data();
  parallel_for(
      "shift_twice", Pair<Target>(target, 2, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        int next = values[element + 1];
        member.cluster_barrier();
        values[element] = next;
        member.cluster_barrier();
        if (member.league_rank() == 0) {
          next = values[element + 1];
          member.team_barrier();
          values[element] = next;
        }
      });
  target.fence();
}

template <class Target>
void barrier_if(Target const& target, int argument) {
  parallel_for(
      "barrier_if", Plain<Target>(target, 4, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        if (argument == 0) member.team_barrier();
      });
  target.fence();
}

template <class Target>
void barrier_by_argument(Target const& target) {
  barrier_if(target, 0);
  barrier_if(target, 1);
}

template <class Target>
void fence_alone(Target const& target) {
  parallel_for(
      "fence", Plain<Target>(target, 2, threads),
      KOHORT_LAMBDA(Member<Target> const& member) { member.template fence<Scope::device>(); });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "gpuverify_divergence_thread_block",
     .kind = "barrier",
     .expected = "team-barrier-divergent",
     .source = "GPUVerify cooperative_groups/fail/divergence_thread_block",
     .faulty = even_threads_meet_the_team_barrier<UnitTarget>,
     .repaired = all_threads_meet_the_team_barrier<UnitTarget>},
    {.name = "gpuverify_divergence_grid_group",
     .kind = "barrier",
     .expected = "cluster-barrier-divergent",
     .source = "GPUVerify cooperative_groups/fail/divergence_grid_group",
     .faulty = even_threads_meet_the_cluster_barrier<UnitTarget>,
     .repaired = all_threads_meet_the_cluster_barrier<UnitTarget>},
    {.name = "gpuverify_block_divergence_grid_group",
     .kind = "barrier",
     .expected = "cluster-barrier-unequal",
     .source = "GPUVerify cooperative_groups/fail/block_divergence_grid_group",
     .faulty = one_team_meets_the_cluster_barrier<UnitTarget>,
     .repaired = both_teams_meet_the_cluster_barrier<UnitTarget>},
    {.name = "gpuverify_block_barrier",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify cooperative_groups/pass/block_barrier",
     .faulty = team_barrier_parts_read_and_write<UnitTarget>},
    {.name = "gpuverify_grid_barrier",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify cooperative_groups/pass/grid_barrier",
     .faulty = cluster_barrier_parts_read_and_write<UnitTarget>},
    {.name = "gpuverify_multiple_barriers",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify cooperative_groups/pass/multiple_barriers",
     .faulty = cluster_and_team_barriers_in_turn<UnitTarget>},
    {.name = "gpuverify_barrierconditionalkernelparam",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify barrierconditionalkernelparam",
     .faulty = barrier_by_argument<UnitTarget>},
    {.name = "gpuverify_threadfence",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify threadfence",
     .faulty = fence_alone<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::gpuverify_barriers
