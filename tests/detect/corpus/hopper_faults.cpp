// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The faults of a cluster that were measured on an H200, with what compute-sanitizer said of them.
#include "case.hpp"

namespace kohort::detect::hopper_faults {

template <class Target>
using Pairs = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<float[256]>>;
template <class Target>
using PairMember = typename Pairs<Target>::member_type;

constexpr int teams = 8;
constexpr int threads = 256;

template <class Target>
void no_barrier_before_a_peer_is_read(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "ring", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        results[member.league_rank() * threads + thread] = neighbour[thread];
      });
  target.fence();
}

template <class Target>
void barrier_before_a_peer_is_read(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "ring", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        results[member.league_rank() * threads + thread] = neighbour[thread];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "no_barrier_before_a_peer_is_read",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS a",
     .faulty = no_barrier_before_a_peer_is_read<UnitTarget>,
     .repaired = barrier_before_a_peer_is_read<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::hopper_faults
