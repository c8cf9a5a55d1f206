// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mode check on emulated clusters: the library's own barriers order what they should, and a scope
// too narrow for where the teams run is found.
#include <tests/simulator/launching.hpp>

#include <kohort/kohort.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kohort::tests {
namespace {

using ::testing::HasSubstr;

Simulator checked(char const* profile, std::string const& schedule = "rank") {
  return Simulator({.mode = "check", .check = "throw", .profile = profile, .schedule = schedule});
}

/// A value handed on within the cluster, with and without the barrier.
void hand_on(Simulator const& target, bool meets) {
  using Policy = ClusterPolicy<Simulator, ClusterScratch<int[64]>>;
  Buffer<int, Simulator> out(target, 64 * 8);
  int* const result = out.data();
  parallel_for("hand_on", Policy(target, 8, 64, 4), [=](Policy::member_type const& member) {
    auto tile = member.cluster_scratch();
    tile[member.team_rank()] = member.league_rank();
    if (meets) member.cluster_barrier();
    result[member.league_rank() * 64 + member.team_rank()] =
        member.peer(tile, (member.cluster_rank() + 1) % 4)[member.team_rank()];
  });
}

TEST(EmulatedCheck, KnowsTheClustersBarrier) {
  for (char const* profile : {"mi350x", "a100"}) {
    for (char const* schedule : {"rank", "random:3"}) {
      EXPECT_NO_THROW(hand_on(checked(profile, schedule), true)) << profile;
      auto const finding = finding_of([&] { hand_on(checked(profile, schedule), false); });
      ASSERT_TRUE(finding) << profile;
      EXPECT_THAT(finding->what(), HasSubstr("in emulated cluster")) << "the arena is named";
    }
  }
}

/// One cluster publishes at `Where`, the next acquires at it and reads. Clusters are on different
/// XCDs, whose caches know nothing of each other.
template <Scope Where>
void publish(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator>;
  Buffer<int, Simulator> memory(target, 2);
  deep_copy(memory, 0);
  int* const flag = memory.data();
  int* const data = memory.data() + 1;
  parallel_for("publish", Policy(target, 4, 64, 2), [=](Policy::member_type const& member) {
    if (member.team_rank() != 0 || member.cluster_rank() != 0) return;
    if (member.cluster_league_rank() == 0) {
      *data = 42;
      atomic_store<Where, MemoryOrder::release>(flag, 1);
    } else {
      while (atomic_load<Where, MemoryOrder::acquire>(flag) == 0) {
      }
      *data += 1;
    }
  });
}

TEST(EmulatedCheck, FindsAStaleReadAcrossDies) {
  EXPECT_NO_THROW(publish<Scope::device>(checked("mi350x")));
  auto const finding = finding_of([] { publish<Scope::cluster>(checked("mi350x")); });
  ASSERT_TRUE(finding) << "cluster scope reaches another XCD's cluster";
  EXPECT_THAT(finding->id(), ::testing::AnyOf("race-global", "atomic-scope"));
}

/// Within a software cluster, cluster scope is enough.
TEST(EmulatedCheck, TakesClusterScopeWithinACluster) {
  using Policy = ClusterPolicy<Simulator>;
  Simulator const target = checked("mi350x");
  Buffer<int, Simulator> memory(target, 2);
  deep_copy(memory, 0);
  int* const flag = memory.data();
  int* const data = memory.data() + 1;
  EXPECT_NO_THROW(
      parallel_for("within", Policy(target, 2, 64, 2), [=](Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        if (member.cluster_rank() == 0) {
          *data = 42;
          atomic_store<Scope::cluster, MemoryOrder::release>(flag, 1);
        } else {
          while (atomic_load<Scope::cluster, MemoryOrder::acquire>(flag) == 0) {
          }
          *data += 1;
        }
      }));
}

}  // namespace
}  // namespace kohort::tests
