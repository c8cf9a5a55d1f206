// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of public bug reports: a cluster barrier too few, an arrival too many.
#include "case.hpp"

#include <utility>

namespace kohort::detect::field_barriers {

constexpr int teams = 8;
constexpr int threads = 128;

/// Which team of the pair holds how many columns of memory that both own, as each of them knows it.
struct PairMemory {
  int columns[2];
};
template <class Target>
using PairsOfMemory = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<PairMemory>>;
template <class Target>
using PairOfMemory = typename PairsOfMemory<Target>::member_type;

template <class Target>
void pair_memory_is_freed_before_the_peer_allocated(Target const& target) {
  parallel_for(
      "pair_memory", PairsOfMemory<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairOfMemory<Target> const& member) {
        auto const mine = member.cluster_scratch();
        auto const peer = member.peer(mine, member.cluster_rank() ^ 1);
        if (member.team_rank() == 0) {
          mine->columns[member.cluster_rank()] = 256;
          peer->columns[member.cluster_rank()] = 256;
        }
        member.team_barrier();
        if (member.cluster_rank() == 0 && member.team_rank() < 2) {
          mine->columns[member.team_rank()] = 0;
          peer->columns[member.team_rank()] = 0;
        }
      });
  target.fence();
}

template <class Target>
void pair_memory_is_freed_after_the_peer_allocated(Target const& target) {
  parallel_for(
      "pair_memory", PairsOfMemory<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairOfMemory<Target> const& member) {
        auto const mine = member.cluster_scratch();
        auto const peer = member.peer(mine, member.cluster_rank() ^ 1);
        if (member.team_rank() == 0) {
          mine->columns[member.cluster_rank()] = 256;
          peer->columns[member.cluster_rank()] = 256;
        }
        member.cluster_barrier();
        if (member.cluster_rank() == 0 && member.team_rank() < 2) {
          mine->columns[member.team_rank()] = 0;
          peer->columns[member.team_rank()] = 0;
        }
      });
  target.fence();
}

template <class Target>
using Pairs = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<float[128]>>;
template <class Target>
using PairMember = typename Pairs<Target>::member_type;

template <class Target>
void skip_path_arrives_twice(Target const& target) {
  auto const lengths = filled<int>(target, teams / 2);
  auto const out = filled<float>(target, teams * threads);
  int const* const row_lengths = lengths.data();
  float* const results = out.data();
  parallel_for(
      "empty_rows", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        auto written = member.cluster_arrive();
        if (row_lengths[member.cluster_league_rank()] == 0) {
          auto skipped = member.cluster_arrive();
          member.cluster_wait(std::move(skipped));
        }
        member.cluster_wait(std::move(written));
        results[member.league_rank() * threads + thread] =
            member.peer(tile, member.cluster_rank() ^ 1)[thread];
      });
  target.fence();
}

template <class Target>
void skip_path_arrives_once(Target const& target) {
  auto const lengths = filled<int>(target, teams / 2);
  auto const out = filled<float>(target, teams * threads);
  int const* const row_lengths = lengths.data();
  float* const results = out.data();
  parallel_for(
      "empty_rows", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        bool const is_empty = row_lengths[member.cluster_league_rank()] == 0;
        tile[thread] = is_empty ? 0.0F : static_cast<float>(thread);
        auto written = member.cluster_arrive();
        member.cluster_wait(std::move(written));
        results[member.league_rank() * threads + thread] =
            member.peer(tile, member.cluster_rank() ^ 1)[thread];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "pair_memory_is_freed_before_the_peer_allocated",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS 9",
     .faulty = pair_memory_is_freed_before_the_peer_allocated<UnitTarget>,
     .repaired = pair_memory_is_freed_after_the_peer_allocated<UnitTarget>},
    {.name = "skip_path_arrives_twice",
     .kind = "barrier",
     .expected = "cluster-barrier-double-arrive",
     .source = "FAULTS 23",
     .faulty = skip_path_arrives_twice<UnitTarget>,
     .repaired = skip_path_arrives_once<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::field_barriers
