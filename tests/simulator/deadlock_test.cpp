// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kohort::tests {
namespace {

using Policy = ClusterPolicy<Simulator>;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// Two roles that meet two named barriers in opposite orders, in one team of the league.
void cross_barriers(Simulator const& target, int faulty_team) {
  parallel_for(
      "crossed", Policy(target, 12, 64), KOHORT_LAMBDA(Policy::member_type const& member) {
        bool const first_role = member.subgroup_rank() == 0 || member.league_rank() != faulty_team;
        member.named_barrier(first_role ? 1 : 2, 2);
        member.named_barrier(first_role ? 2 : 1, 2);
      });
}

TEST(Deadlock, IsFoundWhereEveryThreadWaitsForAnother) {
  auto const finding = finding_of([] { cross_barriers(simulated(), 0); });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "deadlock");
  EXPECT_THAT(finding->what(),
              ContainsRegex("32 of 64 threads wait at +named_barrier\\(1\\) .*threads 0–31\n"));
  EXPECT_THAT(finding->what(),
              ContainsRegex("32 of 64 threads wait at +named_barrier\\(2\\) .*threads 32–63\n"));
}

TEST(Deadlock, NamesTheClusterInWhichItStands) {
  for (int const workers : {1, 2, 16}) {
    auto const finding = finding_of([&] { cross_barriers(simulated({.workers = workers}), 7); });
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->cluster(), 7);
    EXPECT_THAT(finding->what(), HasSubstr("cluster 7 of 12"));
  }
}

TEST(Deadlock, DoesNotStandWhereOrdersAgree) {
  EXPECT_NO_THROW(cross_barriers(simulated({.workers = 2}), -1));
}

TEST(Deadlock, LeavesTheTargetUsable) {
  Simulator const target = simulated({.workers = 2});
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(id_of([&] { cross_barriers(target, round); }), "deadlock");
    EXPECT_NO_THROW(cross_barriers(target, -1));
  }
}

TEST(Deadlock, IsFoundWhereASubgroupNeverComesToANamedBarrier) {
  auto const finding = finding_of([] {
    parallel_for(
        "one_missing", Policy(simulated(), 1, 128),
        KOHORT_LAMBDA(Policy::member_type const& member) {
          if (member.subgroup_rank() < 3) member.named_barrier(1, 4);
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "deadlock");
  EXPECT_THAT(finding->what(), ContainsRegex("96 of 128 threads wait at +named_barrier\\(1\\)"));
  EXPECT_THAT(finding->what(), ContainsRegex("32 of 128 threads have returned +threads 96–127"));
}

TEST(Deadlock, IsASubgroupsWhereSomeOfItsLanesWaitElsewhere) {
  auto const finding = finding_of([] {
    parallel_for(
        "lanes_elsewhere", Policy(simulated(), 1, 32),
        KOHORT_LAMBDA(Policy::member_type const& member) {
          if (member.lane() == 31) {
            member.team_barrier();
          } else {
            member.subgroup_barrier();
          }
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "subgroup-divergent");
  EXPECT_THAT(finding->what(), ContainsRegex("31 of 32 threads wait at +a subgroup operation"));
  EXPECT_THAT(finding->what(), ContainsRegex("1 of 32 threads wait at +team_barrier"));
}

TEST(Deadlock, IsFoundBetweenTheTeamsOfACluster) {
  using Pairs = ClusterPolicy<Simulator, ClusterDims<2>>;
  // Team 1 waits for itself in full before it comes to the cluster barrier; it never does.
  auto const finding = finding_of([] {
    parallel_for(
        "half_a_team", Pairs(simulated(), 2, 64), KOHORT_LAMBDA(Pairs::member_type const& member) {
          if (member.cluster_rank() == 1 && member.subgroup_rank() == 0) member.named_barrier(1, 2);
          member.cluster_barrier();
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "deadlock");
  EXPECT_THAT(finding->what(),
              ContainsRegex("team 0: 64 of 64 threads wait at +cluster_barrier #0"));
  EXPECT_THAT(finding->what(), ContainsRegex("team 1: 32 of 64 threads wait at +named_barrier"));
  EXPECT_THAT(finding->what(), HasSubstr("cluster barrier: 96 of 128 threads have arrived"));
}

}  // namespace
}  // namespace kohort::tests
