// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kohort::tests {
namespace {

using Policy = ClusterPolicy<Simulator>;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Spin : public ::testing::TestWithParam<int> {
 protected:
  Simulator target(std::string const& schedule = "rank") const {
    return simulated({.schedule = schedule, .workers = GetParam()});
  }
};

/// Every team waits until all have come; @return the teams that passed.
int grid_barrier(Simulator const& target, int teams, int threads, int rounds = 1) {
  auto const arrived = cell(target);
  auto const passed = cell(target);
  int* const count = arrived.data();
  int* const through = passed.data();
  parallel_for(
      "grid_barrier", Policy(target, teams, threads),
      KOHORT_LAMBDA(Policy::member_type const& member) {
        for (int round = 1; round <= rounds; ++round) {
          member.team_barrier();
          if (member.team_rank() == 0) {
            atomic_add(count, 1);
            while (atomic_load(count) < round * member.league_size()) {
            }
          }
          member.team_barrier();
        }
        if (member.team_rank() == 0) atomic_add(through, 1);
      });
  return *through;
}

// 2048 threads an SM: 2 teams of 1024 on each of 132 SMs.
TEST_P(Spin, PassesAGridBarrierOfAllTeamsThatAreResident) {
  EXPECT_EQ(grid_barrier(target(), 264, 1024), 264);
}

TEST_P(Spin, FindsTheTeamThatIsNotResident) {
  auto const finding = finding_of([&] { grid_barrier(target(), 265, 1024); });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "cluster-not-resident");
  EXPECT_EQ(finding->cluster(), 0) << "the lowest of all workers' clusters tells";
  EXPECT_THAT(finding->what(), HasSubstr("264 of 265 clusters are resident at once on h200-sxm; "
                                         "1 have not started"));
  EXPECT_THAT(finding->what(), ContainsRegex("1 of 1024 threads poll +memory by atomics"));
  EXPECT_THAT(finding->what(), ContainsRegex("1023 of 1024 threads wait at +team_barrier"));
}

TEST_P(Spin, PassesManyGridBarriersUnderEverySchedule) {
  for (char const* schedule : {"rank", "reverse", "random:3", "pct:3:1", "last:0", "serial:rank"}) {
    EXPECT_EQ(grid_barrier(target(schedule), 40, 4, 5), 40) << schedule;
  }
}

TEST_P(Spin, FindsAPollThatNobodyEnds) {
  Simulator const simulator = target();
  auto const never = cell(simulator);
  int* const flag = never.data();
  auto const finding = finding_of([&] {
    parallel_for(
        "never", Policy(simulator, 6, 64), KOHORT_LAMBDA(Policy::member_type const& member) {
          if (member.league_rank() == 4 && member.team_rank() == 9) {
            while (atomic_load(flag) == 0) {
            }
          }
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "spin-without-progress");
  EXPECT_EQ(finding->cluster(), 4);
  EXPECT_THAT(finding->what(), ContainsRegex("1 of 64 threads poll .*threads 9\n"));
}

TEST_P(Spin, LetsALaterClusterEndThePollOfAnEarlierOne) {
  Simulator const simulator = target();
  auto const signal = cell(simulator);
  int* const flag = signal.data();
  EXPECT_NO_THROW(parallel_for(
      "later", Policy(simulator, 60, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        if (member.league_rank() == 59) atomic_store(flag, 1);
        while (atomic_load(flag) == 0) {
        }
      }));
}

TEST_P(Spin, EndsAPollBehindAPlainStore) {
  // The flag is set by an ordinary store: no hook sees it, only the thread's return.
  Simulator const simulator = target();
  auto const signal = cell(simulator);
  int volatile* const flag = signal.data();
  EXPECT_NO_THROW(parallel_for(
      "plain_store", Policy(simulator, 1, 2), KOHORT_LAMBDA(Policy::member_type const& member) {
        if (member.team_rank() == 1) {
          *flag = 1;
        } else {
          while (atomic_load(const_cast<int*>(flag)) == 0) {
          }
        }
      }));
}

/// A lock and what it guards, in the first team's scratch.
struct Guarded {
  int lock;
  int count;
};

TEST_P(Spin, PassesASpinLockInsideACluster) {
  using Locked = ClusterPolicy<Simulator, ClusterDims<4>, ClusterScratch<Guarded>>;
  for (char const* schedule : {"rank", "reverse", "last:0", "random:5", "pct:3:2"}) {
    Simulator const simulator = target(schedule);
    Buffer<int, Simulator> counts(simulator, 8);
    int* const out = counts.data();
    parallel_for(
        "spin_lock", Locked(simulator, 32, 16), KOHORT_LAMBDA(Locked::member_type const& member) {
          auto mine = member.cluster_scratch();
          if (member.team_rank() == 0) *mine = Guarded{0, 0};
          member.cluster_barrier();
          auto shared = member.peer(mine, 0);
          for (int turn = 0; turn < 3; ++turn) {
            while (atomic_compare_exchange(&shared->lock, 0, 1) != 0) {
            }
            shared->count += 1;
            atomic_store(&shared->lock, 0);
          }
          member.cluster_barrier();
          if (member.cluster_rank() == 0 && member.team_rank() == 0)
            out[member.cluster_league_rank()] = mine->count;
        });
    for (int cluster = 0; cluster < 8; ++cluster)
      EXPECT_EQ(out[cluster], 4 * 16 * 3) << schedule << ", cluster " << cluster;
  }
}

TEST_P(Spin, PassesTicketsThatClustersTakeInTurn) {
  // Cluster c waits for cluster c - 1: a chain through the whole league, beyond the resident set.
  Simulator const simulator = target();
  auto const turn = cell(simulator);
  int* const next = turn.data();
  EXPECT_NO_THROW(parallel_for(
      "chain", Policy(simulator, 500, 1024), KOHORT_LAMBDA(Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        while (atomic_load(next) != member.league_rank()) {
        }
        atomic_store(next, member.league_rank() + 1);
      }));
  EXPECT_EQ(*next, 500);
}

INSTANTIATE_TEST_SUITE_P(Workers, Spin, ::testing::Values(1, 2, 16),
                         [](auto const& info) { return std::to_string(info.param) + "_workers"; });

}  // namespace
}  // namespace kohort::tests
