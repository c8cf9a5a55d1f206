// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The faults of barriers and exits that were measured on an H200, with what compute-sanitizer said
// of them.
#include "case.hpp"

namespace kohort::detect::hopper_barriers {

template <class Target>
using Teams = ClusterPolicy<Target, TeamScratch<float[256]>>;
template <class Target>
using TeamMember = typename Teams<Target>::member_type;

template <class Target>
using Pairs = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<float[256]>>;
template <class Target>
using PairMember = typename Pairs<Target>::member_type;

template <class Target>
using ManualPairs =
    ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<float[256]>, ManualLifetime>;
template <class Target>
using ManualPairMember = typename ManualPairs<Target>::member_type;

constexpr int teams = 8;
constexpr int threads = 256;
constexpr int used = 100;

template <class Target>
void team_barrier_for_part_of_the_team(Target const& target) {
  auto const out = filled<float>(target, teams);
  float* const results = out.data();
  parallel_for(
      "short_row", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        int const thread = member.team_rank();
        auto& row = member.team_scratch();
        if (thread < used) {
          row[thread] = static_cast<float>(thread);
          member.team_barrier();
        }
        if (thread == 0) results[member.league_rank()] = row[used - 1];
      });
  target.fence();
}

template <class Target>
void team_barrier_for_the_whole_team(Target const& target) {
  auto const out = filled<float>(target, teams);
  float* const results = out.data();
  parallel_for(
      "short_row", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        int const thread = member.team_rank();
        auto& row = member.team_scratch();
        if (thread < used) row[thread] = static_cast<float>(thread);
        member.team_barrier();
        if (thread == 0) results[member.league_rank()] = row[used - 1];
      });
  target.fence();
}

template <class Target>
void team_returns_before_its_peers_last_barrier(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "early_return", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        int const element = member.league_rank() * threads + thread;
        auto const tile = member.cluster_scratch();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        tile[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        results[element] = neighbour[thread];
        if (member.cluster_rank() == 1) return;
        member.cluster_barrier();
        results[element] += neighbour[threads - 1 - thread];
      });
  target.fence();
}

template <class Target>
void team_stays_for_its_peers_last_barrier(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "early_return", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        int const element = member.league_rank() * threads + thread;
        auto const tile = member.cluster_scratch();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        tile[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        results[element] = neighbour[thread];
        member.cluster_barrier();
        if (member.cluster_rank() == 1) return;
        results[element] += neighbour[threads - 1 - thread];
      });
  target.fence();
}

template <class Target>
void only_one_team_comes_to_the_cluster_barrier(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "one_sided", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        if (member.cluster_rank() == 0) {
          member.cluster_barrier();
          results[member.cluster_league_rank() * threads + thread] = member.peer(tile, 1)[thread];
        }
      });
  target.fence();
}

template <class Target>
void both_teams_come_to_the_cluster_barrier(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "one_sided", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        if (member.cluster_rank() == 0)
          results[member.cluster_league_rank() * threads + thread] = member.peer(tile, 1)[thread];
      });
  target.fence();
}

template <class Target>
void half_of_the_threads_come_to_the_cluster_barrier(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "half_a_push", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        member.cluster_barrier();
        if (thread < threads / 2) {
          member.peer(tile, member.cluster_rank() ^ 1)[thread] = static_cast<float>(thread);
          member.cluster_barrier();
          results[member.league_rank() * threads + thread] = tile[thread];
        }
      });
  target.fence();
}

template <class Target>
void all_threads_come_to_the_cluster_barrier(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "half_a_push", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        member.cluster_barrier();
        if (thread < threads / 2)
          member.peer(tile, member.cluster_rank() ^ 1)[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        if (thread < threads / 2) results[member.league_rank() * threads + thread] = tile[thread];
      });
  target.fence();
}

template <class Target>
void team_exits_while_its_peer_reads(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "exit", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        float sum = 0;
        for (int i = 0; i < threads; ++i) sum += neighbour[i];
        results[member.league_rank() * threads + thread] = sum;
      });
  target.fence();
}

template <class Target>
void team_exits_after_its_peer_has_read(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "exit", ManualPairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(ManualPairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        float sum = 0;
        for (int i = 0; i < threads; ++i) sum += neighbour[i];
        results[member.league_rank() * threads + thread] = sum;
        member.cluster_barrier();
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "team_barrier_for_part_of_the_team",
     .kind = "barrier",
     .expected = "team-barrier-divergent",
     .source = "FAULTS c",
     .faulty = team_barrier_for_part_of_the_team<UnitTarget>,
     .repaired = team_barrier_for_the_whole_team<UnitTarget>},
    {.name = "team_returns_before_its_peers_last_barrier",
     .kind = "barrier",
     .expected = "cluster-barrier-unequal",
     .source = "FAULTS l",
     .faulty = team_returns_before_its_peers_last_barrier<UnitTarget>,
     .repaired = team_stays_for_its_peers_last_barrier<UnitTarget>},
    {.name = "only_one_team_comes_to_the_cluster_barrier",
     .kind = "barrier",
     .expected = "cluster-barrier-unequal",
     .source = "H200, compute-sanitizer's table",
     .faulty = only_one_team_comes_to_the_cluster_barrier<UnitTarget>,
     .repaired = both_teams_come_to_the_cluster_barrier<UnitTarget>},
    {.name = "half_of_the_threads_come_to_the_cluster_barrier",
     .kind = "barrier",
     .expected = "cluster-barrier-divergent",
     .source = "H200, compute-sanitizer's table",
     .faulty = half_of_the_threads_come_to_the_cluster_barrier<UnitTarget>,
     .repaired = all_threads_come_to_the_cluster_barrier<UnitTarget>},
    {.name = "team_exits_while_its_peer_reads",
     .kind = "lifetime",
     .expected = "peer-ended",
     .source = "H200, compute-sanitizer's table",
     .faulty = team_exits_while_its_peer_reads<UnitTarget>,
     .repaired = team_exits_after_its_peer_has_read<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::hopper_barriers
