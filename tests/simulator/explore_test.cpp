// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/testing/explore.hpp>

#include "faulty_kernels.hpp"
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace kohort::tests {
namespace {

using ::testing::AnyOf;
using testing::Exploration;
using testing::explore;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Pairs = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<int[32]>>;

/// Team 1 of each cluster copies what team 0 wrote. @return whether it found that
bool copies_right(Simulator const& target, bool with_barrier) {
  std::vector<int> out(4 * 32, -1);
  int* const result = out.data();
  parallel_for(
      "copy", Pairs(target, 8, 32), KOHORT_LAMBDA(Pairs::member_type const& member) {
        auto mine = member.cluster_scratch();
        int const thread = member.team_rank();
        member.cluster_barrier();
        if (member.cluster_rank() == 0) mine[thread] = 100 + thread;
        if (with_barrier) member.cluster_barrier();
        if (member.cluster_rank() == 1)
          result[member.cluster_league_rank() * 32 + thread] = member.peer(mine, 0)[thread];
      });
  for (int i = 0; i < 4 * 32; ++i)
    if (out[static_cast<std::size_t>(i)] != 100 + i % 32) return false;
  return true;
}

TEST(Explore, FindsAMissingClusterBarrierThatRankOrderHides) {
  EXPECT_TRUE(copies_right(simulated({.schedule = "rank"}), false));
  Exploration const found = explore([] { return copies_right(Simulator(), false); });
  ASSERT_FALSE(found.ok);
  EXPECT_GT(found.schedules, 1);
  EXPECT_EQ(found.id, "");
  EXPECT_FALSE(found.ran_serially);
  EXPECT_FALSE(copies_right(simulated({.schedule = found.schedule, .workers = 2}), false))
      << found.schedule << " does not replay it";
}

TEST(Explore, PassesTheKernelThatHasItsBarrier) {
  Exploration const passed = explore([] { return copies_right(Simulator(), true); });
  EXPECT_TRUE(passed) << passed;
  // rank, reverse, last and exit-first of two teams, 16 of pct, 16 random
  EXPECT_EQ(passed.schedules, 2 + 2 * 2 + 16 + 16);
  EXPECT_EQ(passed.schedule, "");
}

/// Threads of a team add one with a load and a store, or as one operation.
bool counts_right(Simulator const& target, bool atomically) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<int>>;
  std::vector<int> out(4, -1);
  int* const result = out.data();
  parallel_for(
      "count", Policy(target, 4, 8), KOHORT_LAMBDA(Policy::member_type const& member) {
        int* const count = &member.team_scratch();
        if (member.team_rank() == 0) *count = 0;
        member.team_barrier();
        if (atomically) {
          atomic_add(count, 1);
        } else {
          int const seen = atomic_load(count);
          atomic_store(count, seen + 1);
        }
        member.team_barrier();
        if (member.team_rank() == 0) result[member.league_rank()] = *count;
      });
  return out == std::vector<int>(4, 8);
}

TEST(Explore, FindsALostUpdateThatNoPriorityOrderShows) {
  for (char const* schedule : {"rank", "reverse", "last:0", "exit-first:0"})
    EXPECT_TRUE(counts_right(simulated({.schedule = schedule}), false)) << schedule;
  Exploration const found = explore([] { return counts_right(Simulator(), false); });
  ASSERT_FALSE(found.ok);
  EXPECT_THAT(found.schedule, AnyOf(StartsWith("pct:"), StartsWith("random:")));
  EXPECT_FALSE(counts_right(simulated({.schedule = found.schedule, .workers = 2}), false));
  EXPECT_TRUE(explore([] { return counts_right(Simulator(), true); }));
}

/// The last cluster to come, by a global counter, finds all others' results there.
bool last_cluster_sums(Simulator const& target, bool publishes_first) {
  using Policy = ClusterPolicy<Simulator>;
  auto const arrived = cell(target);
  auto const total = cell(target, -1);
  std::vector<int> values(6, 0);
  int* const shares = values.data();
  int* const count = arrived.data();
  int* const sum = total.data();
  parallel_for(
      "last_sums", Policy(target, 6, 2), KOHORT_LAMBDA(Policy::member_type const& member) {
        int const team = member.league_rank();
        if (publishes_first && member.team_rank() == 0) shares[team] = team + 1;
        if (publishes_first) member.team_barrier();
        bool const last = member.team_rank() == 0 && atomic_fetch_add(count, 1) == 5;
        if (!publishes_first && member.team_rank() == 1) shares[team] = team + 1;
        if (!last) return;
        *sum = 0;
        for (int i = 0; i < member.league_size(); ++i) *sum += shares[i];
      });
  return *sum == 21;
}

TEST(Explore, RunsCommunicatingClustersSerially) {
  Exploration const passed = explore([] { return last_cluster_sums(Simulator(), true); });
  EXPECT_TRUE(passed) << passed;
  EXPECT_TRUE(passed.ran_serially);

  Exploration const found = explore([] { return last_cluster_sums(Simulator(), false); });
  ASSERT_FALSE(found.ok);
  if (found.schedules > 1) {
    EXPECT_TRUE(found.ran_serially);
    EXPECT_THAT(found.schedule, StartsWith("serial:"));
  }
  for (int const workers : {1, 2, 16})
    EXPECT_FALSE(
        last_cluster_sums(simulated({.schedule = found.schedule, .workers = workers}), false));
}

TEST(Explore, HandsOnAFindingWithItsReplay) {
  Exploration const found =
      explore([] { faulty_kernel("team-barrier-divergent").faulty(Simulator()); });
  ASSERT_FALSE(found.ok);
  EXPECT_EQ(found.id, "team-barrier-divergent");
  EXPECT_EQ(found.schedules, 1);
  EXPECT_THAT(found.report, HasSubstr("100 of 256 threads wait at"));
  EXPECT_EQ(
      id_of([&] {
        faulty_kernel("team-barrier-divergent").faulty(simulated({.schedule = found.schedule}));
      }),
      found.id);
}

TEST(Explore, FindsAFaultThatOneOrderOfTeamsAloneShows) {
  // Team 1 skips its barrier when it runs before team 0 has raised the flag.
  auto const launch = [](Simulator const& target) {
    using Policy = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<int>>;
    parallel_for(
        "order", Policy(target, 2, 8), KOHORT_LAMBDA(Policy::member_type const& member) {
          auto mine = member.cluster_scratch();
          *mine = 0;
          member.cluster_barrier();
          auto flag = member.peer(mine, 0);
          if (member.cluster_rank() == 0 && member.team_rank() == 0) atomic_store(&*flag, 1);
          if (member.cluster_rank() == 1 && atomic_load(&*flag) == 0 && member.team_rank() > 0)
            return;
          member.team_barrier();
        });
  };
  EXPECT_NO_THROW(launch(simulated({.schedule = "rank"})));
  Exploration const found = explore([&] { launch(Simulator()); });
  ASSERT_FALSE(found.ok);
  EXPECT_EQ(found.id, "team-barrier-divergent");
  EXPECT_EQ(id_of([&] { launch(simulated({.schedule = found.schedule})); }), found.id);
}

TEST(Explore, ReportsWhatTheBodyThrew) {
  Exploration const found = explore([] { throw std::runtime_error("the third row differs"); });
  EXPECT_FALSE(found.ok);
  EXPECT_EQ(found.report, "the third row differs");
  std::ostringstream text;
  text << found;
  EXPECT_EQ(text.str(),
            "the third row differs\n  found   in schedule 1 of the ladder: rank\n"
            "  replay  KOHORT_SIM_SCHEDULE=rank in front of the command");
}

TEST(Explore, RunsTheScheduleOfTheEnvironmentAlone) {
  Exploration const found = explore([] { return copies_right(Simulator(), false); });
  ASSERT_FALSE(found.ok);
  EXPECT_GT(found.schedules, 1);
  {
    Environment const replay("KOHORT_SIM_SCHEDULE", found.schedule);
    Exploration const again = explore([] { return copies_right(Simulator(), false); });
    EXPECT_FALSE(again.ok);
    EXPECT_EQ(again.schedules, 1);
    EXPECT_EQ(again.schedule, found.schedule);
  }
  Environment const other("KOHORT_SIM_SCHEDULE", "rank");
  Exploration const passes = explore([] { return copies_right(Simulator(), false); });
  EXPECT_TRUE(passes.ok);
  EXPECT_EQ(passes.schedules, 1);
}

TEST(Explore, CountsUpFromTheSeedThatItIsGiven) {
  std::vector<std::string> tried;
  explore(
      [&] {
        tried.push_back(simulator::to_string(*simulator::overriding_schedule()));
        return true;
      },
      {.pct_schedules = 2, .pct_depth = 4, .random_schedules = 2, .seed = 50});
  EXPECT_EQ(tried, (std::vector<std::string>{"rank", "reverse", "last:0", "exit-first:0",
                                             "pct:4:50", "pct:4:51", "random:50", "random:51"}));
}

}  // namespace
}  // namespace kohort::tests
