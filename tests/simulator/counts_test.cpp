// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LaunchCounts of kernels that are small enough to count by hand.
#include "launching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace kohort::tests {
namespace {

using Policy = ClusterPolicy<Simulator>;

TEST(Counts, OfAKernelWithoutBarriers) {
  Simulator const target = simulated();
  parallel_for("plain", Policy(target, 10, 96), KOHORT_LAMBDA(Policy::member_type const&){});
  LaunchCounts const& counts = target.last_counts();
  EXPECT_EQ(counts.clusters, 10);
  EXPECT_EQ(counts.teams, 10);
  EXPECT_EQ(counts.threads, 960);
  EXPECT_EQ(counts.team_barriers, 0);
  EXPECT_EQ(counts.cluster_barriers, 0);
  EXPECT_EQ(counts.guard_barriers, 0) << "a cluster of one needs no guards";
  EXPECT_EQ(counts.subgroup_exchanges, 0);
  EXPECT_EQ(counts.global_atomics + counts.team_atomics + counts.remote_atomics, 0);
  EXPECT_EQ(counts.scratch_bytes, 0);
  EXPECT_EQ(counts.scratch_bytes_used, 0);
  EXPECT_EQ(counts.switches, 0) << "threads that never wait are never switched";
  // 96 threads: 21 teams of the 2048 threads of an SM, on 132 SMs.
  EXPECT_EQ(counts.resident_limit, 21 * 132);
}

TEST(Counts, OfBarriersByTheLargestTeamAndCluster) {
  using Pairs = ClusterPolicy<Simulator, ClusterDims<2>>;
  Simulator const target = simulated({.workers = 2});
  parallel_for(
      "barriers", Pairs(target, 12, 32), KOHORT_LAMBDA(Pairs::member_type const& member) {
        for (int i = 0; i < member.league_rank(); ++i) member.team_barrier();
        for (int i = 0; i <= member.cluster_league_rank(); ++i) member.cluster_barrier();
      });
  LaunchCounts const& counts = target.last_counts();
  EXPECT_EQ(counts.clusters, 6);
  EXPECT_EQ(counts.teams, 12);
  EXPECT_EQ(counts.team_barriers, 11);
  EXPECT_EQ(counts.cluster_barriers, 6);
  EXPECT_EQ(counts.guard_barriers, 2) << "entry and closing";
}

TEST(Counts, NoGuardsUnderManualLifetime) {
  using Manual = ClusterPolicy<Simulator, ClusterDims<2>, ManualLifetime>;
  Simulator const target = simulated();
  parallel_for(
      "manual", Manual(target, 4, 32),
      KOHORT_LAMBDA(Manual::member_type const& member) { member.cluster_barrier(); });
  EXPECT_EQ(target.last_counts().guard_barriers, 0);
  EXPECT_EQ(target.last_counts().cluster_barriers, 1);
}

TEST(Counts, ExchangesByTile) {
  Simulator const target = simulated();
  parallel_for(
      "tiles", Policy(target, 3, 64), KOHORT_LAMBDA(Policy::member_type const& member) {
        member.subgroup_tile<16>().reduce(1);     // 4 tiles × log2(16) shuffles
        member.subgroup_tile<32>().ballot(true);  // 2 tiles
        member.subgroup_barrier();                // 2 subgroups
      });
  EXPECT_EQ(target.last_counts().subgroup_exchanges, 3 * (4 * 4 + 2 + 2));
}

TEST(Counts, AtomicsByWhoseMemoryTheyReach) {
  using Pairs = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<int>>;
  Simulator const target = simulated({.workers = 2});
  auto const global = cell(target);
  int* const sum = global.data();
  parallel_for(
      "atomics", Pairs(target, 8, 32), KOHORT_LAMBDA(Pairs::member_type const& member) {
        auto mine = member.cluster_scratch();
        *mine = 0;
        member.cluster_barrier();
        atomic_add(&*mine, 1);
        atomic_add(&*member.peer(mine, member.cluster_rank() ^ 1), 1);
        atomic_add(&*member.peer(mine, member.cluster_rank() ^ 1), 1);
        if (member.team_rank() < 3) atomic_add(sum, 1);
      });
  LaunchCounts const& counts = target.last_counts();
  EXPECT_EQ(counts.team_atomics, 8 * 32);
  EXPECT_EQ(counts.remote_atomics, 8 * 32 * 2);
  EXPECT_EQ(counts.global_atomics, 8 * 3);
  EXPECT_EQ(*sum, 8 * 3);
}

TEST(Counts, ScratchAllocatedAndWritten) {
  using Scratch = ClusterPolicy<Simulator, TeamScratch<int[100]>>;
  Simulator const target = simulated();
  parallel_for(
      "scratch", Scratch(target, 4, 32), KOHORT_LAMBDA(Scratch::member_type const& member) {
        // The team that writes most: 3 × 5 cells.
        for (int i = 0; i < 5 * member.league_rank(); ++i) member.team_scratch()[i] = i;
      });
  EXPECT_EQ(target.last_counts().scratch_bytes, 400);
  EXPECT_EQ(target.last_counts().scratch_bytes_used, 3 * 5 * 4);
}

TEST(Counts, StartAnewWithEachLaunch) {
  Simulator const target = simulated();
  for (int launch = 0; launch < 2; ++launch) {
    parallel_for(
        "again", Policy(target, 4, 32),
        KOHORT_LAMBDA(Policy::member_type const& member) { member.team_barrier(); });
    EXPECT_EQ(target.last_counts().teams, 4);
    EXPECT_EQ(target.last_counts().team_barriers, 1);
  }
}

TEST(Counts, AreTheSameOnAnyNumberOfWorkers) {
  auto const switches = [](int workers) {
    Simulator const target = simulated({.workers = workers});
    parallel_for(
        "switches", Policy(target, 100, 64), KOHORT_LAMBDA(Policy::member_type const& member) {
          member.team_barrier();
          member.subgroup_tile<8>().reduce(member.team_rank());
        });
    return target.last_counts().switches;
  };
  EXPECT_GT(switches(1), 100 * 63);
  EXPECT_EQ(switches(2), switches(1));
  EXPECT_EQ(switches(16), switches(1));
}

TEST(Counts, OfSwitchesIncludeThoseAtAtomics) {
  Simulator const target = simulated({.schedule = "random:1"});
  constexpr int turns = 32 * 4;
  Buffer<int, Simulator> next_turn(target, 1);
  deep_copy(next_turn, 0);
  int* const next = next_turn.data();
  std::vector<int> whose(turns);
  int* const out = whose.data();
  parallel_for(
      "preempted", Policy(target, 1, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
        for (int i = 0; i < turns / 32; ++i) out[atomic_fetch_add(next, 1)] = member.team_rank();
      });
  int preempted = 0;
  for (auto turn = whose.begin(); turn + 1 != whose.end(); ++turn) {
    bool const goes_on_later = std::find(turn + 1, whose.end(), *turn) != whose.end();
    if (turn[1] != *turn && goes_on_later) ++preempted;
  }
  EXPECT_GT(preempted, 32);
  EXPECT_GE(target.last_counts().switches, preempted);
}

TEST(Counts, AThreadThatNeverWaitsRunsOnTheStackOfTheOneBefore) {
  for (char const* schedule : {"rank", "reverse"}) {
    Simulator const target = simulated({.schedule = schedule});
    std::vector<std::uintptr_t> places(std::size_t{50} * 64);
    std::uintptr_t* const out = places.data();
    parallel_for(
        "never_waits", Policy(target, 50, 64), KOHORT_LAMBDA(Policy::member_type const& member) {
          int volatile on_the_stack = 0;
          out[member.league_rank() * 64 + member.team_rank()] =
              reinterpret_cast<std::uintptr_t>(&on_the_stack);
        });
    std::set<std::uintptr_t> const different(places.begin(), places.end());
    EXPECT_EQ(different.size(), 1U) << schedule;
  }
}

/// Which clusters leave fibers behind for which others depends on the workers; the count must not.
TEST(Counts, OfSwitchesDoNotTellWhoHadAFiberAlready) {
  auto const switches = [](int workers) {
    Simulator const target = simulated({.workers = workers});
    parallel_for(
        "sometimes", Policy(target, 100, 64), KOHORT_LAMBDA(Policy::member_type const& member) {
          if (member.league_rank() % 3 != 0 && member.team_rank() < 32) member.subgroup_barrier();
          if (member.league_rank() % 3 == 1) member.team_barrier();
        });
    return target.last_counts().switches;
  };
  EXPECT_GT(switches(1), 33 * 63);
  for (int workers : {2, 3, 16}) EXPECT_EQ(switches(workers), switches(1)) << workers;
}

}  // namespace
}  // namespace kohort::tests
