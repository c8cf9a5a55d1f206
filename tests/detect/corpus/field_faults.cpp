// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of public bug reports: teams that start too late or leave too early.
#include "case.hpp"

namespace kohort::detect::field_faults {

template <class Target>
using ManualPairs =
    ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<float[128]>, ManualLifetime>;
template <class Target>
using ManualPairMember = typename ManualPairs<Target>::member_type;

constexpr int teams = 8;
constexpr int threads = 128;

template <class Target>
void no_trailing_cluster_barrier(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "merge_halves", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const partial = member.cluster_scratch();
        partial[thread] = static_cast<float>(member.league_rank());
        member.cluster_barrier();
        if (member.cluster_rank() == 1)
          results[member.cluster_league_rank() * threads + thread] =
              partial[thread] + member.peer(partial, 0)[thread];
      });
  target.fence();
}

template <class Target>
void trailing_cluster_barrier(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "merge_halves", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const partial = member.cluster_scratch();
        partial[thread] = static_cast<float>(member.league_rank());
        member.cluster_barrier();
        if (member.cluster_rank() == 1)
          results[member.cluster_league_rank() * threads + thread] =
              partial[thread] + member.peer(partial, 0)[thread];
        member.cluster_barrier();
      });
  target.fence();
}

constexpr int tasks = teams;  // two for each cluster

template <class Target>
void no_cluster_barrier_after_the_last_task(Target const& target) {
  auto const out = filled<float>(target, tasks * threads);
  float* const results = out.data();
  parallel_for(
      "persistent", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const partial = member.cluster_scratch();
        for (int task = member.cluster_league_rank(); task < tasks;
             task += member.cluster_league_size()) {
          member.cluster_barrier();
          partial[thread] = static_cast<float>(task + member.cluster_rank());
          member.cluster_barrier();
          if (member.cluster_rank() == 1)
            results[task * threads + thread] = partial[thread] + member.peer(partial, 0)[thread];
        }
      });
  target.fence();
}

template <class Target>
void cluster_barrier_after_the_last_task(Target const& target) {
  auto const out = filled<float>(target, tasks * threads);
  float* const results = out.data();
  parallel_for(
      "persistent", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const partial = member.cluster_scratch();
        for (int task = member.cluster_league_rank(); task < tasks;
             task += member.cluster_league_size()) {
          partial[thread] = static_cast<float>(task + member.cluster_rank());
          member.cluster_barrier();
          if (member.cluster_rank() == 1)
            results[task * threads + thread] = partial[thread] + member.peer(partial, 0)[thread];
          member.cluster_barrier();
        }
      });
  target.fence();
}

// One such team fills an SM, and a wave of pairs the device: later clusters start where earlier
// ones left.
template <class Target>
using LargePairs =
    ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<float[50'000]>, ManualLifetime>;
template <class Target>
using LargePairMember = typename LargePairs<Target>::member_type;

constexpr int waves_of_teams = 264;

template <class Target>
void slot_is_reused_before_the_peer_finished(Target const& target) {
  auto const out = filled<float>(target, waves_of_teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "several_waves", LargePairs<Target>(target, waves_of_teams, threads),
      KOHORT_LAMBDA(LargePairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const weights = member.cluster_scratch();
        weights[thread] = 1.0F;
        member.cluster_barrier();
        if (member.cluster_rank() == 0) return;
        auto const leaders = member.peer(weights, 0);
        float sum = 0;
        for (int i = 0; i < threads; ++i) sum += leaders[i];
        results[member.cluster_league_rank() * threads + thread] = sum;
      });
  target.fence();
}

template <class Target>
void slot_is_reused_after_the_peer_finished(Target const& target) {
  auto const out = filled<float>(target, waves_of_teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "several_waves", LargePairs<Target>(target, waves_of_teams, threads),
      KOHORT_LAMBDA(LargePairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const weights = member.cluster_scratch();
        weights[thread] = 1.0F;
        member.cluster_barrier();
        if (member.cluster_rank() == 1) {
          auto const leaders = member.peer(weights, 0);
          float sum = 0;
          for (int i = 0; i < threads; ++i) sum += leaders[i];
          results[member.cluster_league_rank() * threads + thread] = sum;
        }
        member.cluster_barrier();
      });
  target.fence();
}

template <class Target>
void idle_teams_return_early(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<8>, ClusterScratch<float[128]>, ManualLifetime>;
  auto const out = filled<float>(target, 2 * threads);
  float* const results = out.data();
  parallel_for(
      "one_of_eight_works", Policy(target, 2 * 8, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.cluster_rank() != 0) return;
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        member.team_barrier();
        results[member.cluster_league_rank() * threads + thread] = tile[threads - 1 - thread];
      });
  target.fence();
}

template <class Target>
void teams_push_to_a_leader_and_return(Target const& target) {
  using Policy =
      ClusterPolicy<Target, ClusterDims<8>, ClusterScratch<float[8][128]>, ManualLifetime>;
  auto const out = filled<float>(target, 2 * threads);
  float* const results = out.data();
  parallel_for(
      "gather", Policy(target, 2 * 8, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        auto const rows = member.cluster_scratch();
        member.cluster_barrier();
        member.peer(rows, 0)[member.cluster_rank()][thread] = static_cast<float>(thread);
        member.cluster_barrier();
        if (member.cluster_rank() != 0) return;
        float sum = 0;
        for (int rank = 0; rank < 8; ++rank) sum += rows[rank][thread];
        member.cluster_barrier();  // the hardware waits for those who are still there
        results[member.cluster_league_rank() * threads + thread] = sum;
      });
  target.fence();
}

template <class Target>
void remote_store_before_the_peer_entered(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "early_push", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const inbox = member.cluster_scratch();
        if (member.cluster_rank() == 0) member.peer(inbox, 1)[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        if (member.cluster_rank() == 1)
          results[member.cluster_league_rank() * threads + thread] = inbox[thread];
      });
  target.fence();
}

template <class Target>
void remote_store_after_the_peer_entered(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "early_push", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const inbox = member.cluster_scratch();
        member.cluster_barrier();
        if (member.cluster_rank() == 0) member.peer(inbox, 1)[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        if (member.cluster_rank() == 1)
          results[member.cluster_league_rank() * threads + thread] = inbox[thread];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "no_trailing_cluster_barrier",
     .kind = "lifetime",
     .expected = "peer-ended",
     .source = "FAULTS 1",
     .faulty = no_trailing_cluster_barrier<UnitTarget>,
     .repaired = trailing_cluster_barrier<UnitTarget>},
    {.name = "no_cluster_barrier_after_the_last_task",
     .kind = "lifetime",
     .expected = "peer-ended",
     .source = "FAULTS 2",
     .faulty = no_cluster_barrier_after_the_last_task<UnitTarget>,
     .repaired = cluster_barrier_after_the_last_task<UnitTarget>},
    {.name = "slot_is_reused_before_the_peer_finished",
     .kind = "lifetime",
     .expected = "peer-ended",
     .source = "FAULTS 4",
     .faulty = slot_is_reused_before_the_peer_finished<UnitTarget>,
     .repaired = slot_is_reused_after_the_peer_finished<UnitTarget>},
    {.name = "idle_teams_return_early",
     .kind = "control",
     .expected = "",
     .source = "FAULTS 5",
     .faulty = idle_teams_return_early<UnitTarget>},
    {.name = "teams_push_to_a_leader_and_return",
     .kind = "control",
     .expected = "",
     .source = "own, after FAULTS 5",
     .faulty = teams_push_to_a_leader_and_return<UnitTarget>},
    {.name = "remote_store_before_the_peer_entered",
     .kind = "lifetime",
     .expected = "peer-not-started",
     .source = "FAULTS 6",
     .faulty = remote_store_before_the_peer_entered<UnitTarget>,
     .repaired = remote_store_after_the_peer_entered<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::field_faults
