// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The faults of memory that were measured on an H200, with what compute-sanitizer said of them.
#include "case.hpp"

#include <utility>

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

template <class Target>
void overwrite_before_the_peer_has_read(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "two_steps", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        tile[thread] = static_cast<float>(member.league_rank());
        member.cluster_barrier();
        float const average = 0.5F * (tile[thread] + neighbour[thread]);
        tile[thread] = average;
        member.cluster_barrier();
        results[member.league_rank() * threads + thread] = neighbour[thread];
      });
  target.fence();
}

template <class Target>
void overwrite_after_the_peer_has_read(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "two_steps", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        tile[thread] = static_cast<float>(member.league_rank());
        member.cluster_barrier();
        float const average = 0.5F * (tile[thread] + neighbour[thread]);
        member.cluster_barrier();
        tile[thread] = average;
        member.cluster_barrier();
        results[member.league_rank() * threads + thread] = neighbour[thread];
      });
  target.fence();
}

constexpr int radius = 3;

template <class Target>
void remote_read_past_the_object(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "halo", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        results[member.league_rank() * threads + thread] = neighbour[thread + radius];
      });
  target.fence();
}

template <class Target>
void remote_read_within_the_object(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "halo", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        int const nearest = thread + radius < threads ? thread + radius : threads - 1;
        results[member.league_rank() * threads + thread] = neighbour[nearest];
      });
  target.fence();
}

constexpr int elements = teams * threads - 100;

template <class Target>
void uninitialised_remote_read(Target const& target) {
  auto const in = filled<float>(target, elements, 1.0F);
  auto const out = filled<float>(target, teams * threads);
  float const* const inputs = in.data();
  float* const results = out.data();
  parallel_for(
      "ragged_end", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        int const element = member.league_rank() * threads + thread;
        auto const tile = member.cluster_scratch();
        if (element < elements) tile[thread] = inputs[element];
        member.cluster_barrier();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        results[element] = neighbour[thread];
      });
  target.fence();
}

template <class Target>
void initialised_remote_read(Target const& target) {
  auto const in = filled<float>(target, elements, 1.0F);
  auto const out = filled<float>(target, teams * threads);
  float const* const inputs = in.data();
  float* const results = out.data();
  parallel_for(
      "ragged_end", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        int const element = member.league_rank() * threads + thread;
        auto const tile = member.cluster_scratch();
        tile[thread] = element < elements ? inputs[element] : 0.0F;
        member.cluster_barrier();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        results[element] = neighbour[thread];
      });
  target.fence();
}

template <class Target>
void unguarded_remote_update(Target const& target) {
  auto const out = filled<float>(target, teams / 2);
  float* const results = out.data();
  parallel_for(
      "count", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        auto const bins = member.cluster_scratch();
        bins[member.team_rank()] = 0;
        member.cluster_barrier();
        auto const first = member.peer(bins, 0);
        first[0] += 1.0F;
        member.cluster_barrier();
        if (member.cluster_rank() == 0 && member.team_rank() == 0)
          results[member.cluster_league_rank()] = bins[0];
      });
  target.fence();
}

template <class Target>
void atomic_remote_update(Target const& target) {
  auto const out = filled<float>(target, teams / 2);
  float* const results = out.data();
  parallel_for(
      "count", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        auto const bins = member.cluster_scratch();
        bins[member.team_rank()] = 0;
        member.cluster_barrier();
        auto const first = member.peer(bins, 0);
        atomic_add(&first[0], 1.0F);
        member.cluster_barrier();
        if (member.cluster_rank() == 0 && member.team_rank() == 0)
          results[member.cluster_league_rank()] = bins[0];
      });
  target.fence();
}

template <class Target>
void peer_read_between_arrive_and_wait(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "overlap", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        tile[thread] = static_cast<float>(thread);
        auto written = member.cluster_arrive();
        float const value = neighbour[thread];
        member.cluster_wait(std::move(written));
        results[member.league_rank() * threads + thread] = value;
      });
  target.fence();
}

template <class Target>
void peer_read_after_the_wait(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "overlap", Pairs<Target>(target, teams, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        tile[thread] = static_cast<float>(thread);
        auto written = member.cluster_arrive();
        float const weight = 1.0F / static_cast<float>(thread + 1);
        member.cluster_wait(std::move(written));
        results[member.league_rank() * threads + thread] = weight * neighbour[thread];
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
    {.name = "overwrite_before_the_peer_has_read",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS b",
     .faulty = overwrite_before_the_peer_has_read<UnitTarget>,
     .repaired = overwrite_after_the_peer_has_read<UnitTarget>},
    {.name = "remote_read_past_the_object",
     .kind = "memory",
     .expected = "scratch-out-of-bounds",
     .source = "FAULTS d",
     .faulty = remote_read_past_the_object<UnitTarget>,
     .repaired = remote_read_within_the_object<UnitTarget>},
    {.name = "uninitialised_remote_read",
     .kind = "memory",
     .expected = "uninitialised-read",
     .source = "FAULTS e",
     .faulty = uninitialised_remote_read<UnitTarget>,
     .repaired = initialised_remote_read<UnitTarget>},
    {.name = "unguarded_remote_update",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS f",
     .faulty = unguarded_remote_update<UnitTarget>,
     .repaired = atomic_remote_update<UnitTarget>},
    {.name = "peer_read_between_arrive_and_wait",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS g",
     .faulty = peer_read_between_arrive_and_wait<UnitTarget>,
     .repaired = peer_read_after_the_wait<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::hopper_faults
