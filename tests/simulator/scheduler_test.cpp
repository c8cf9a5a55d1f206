// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulator/schedule/scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace kohort::simulator {
namespace {

using Kind = Schedule::Kind;
using ::testing::ElementsAre;

/// The order in which threads run that all end without waiting.
std::vector<int> order_of(Schedule const& schedule, int cluster, int teams, int team_threads) {
  Scheduler scheduler;
  scheduler.reset(schedule, cluster, teams, team_threads);
  std::vector<int> order;
  for (int next = scheduler.pick(); next >= 0; next = scheduler.pick()) {
    order.push_back(next);
    scheduler.block(next);
  }
  return order;
}

TEST(Scheduler, RunsInTheOrderThatTheScheduleNames) {
  EXPECT_THAT(order_of({.kind = Kind::rank}, 0, 3, 2), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(order_of({.kind = Kind::reverse}, 0, 3, 2), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(order_of({.kind = Kind::last, .rank = 1}, 0, 3, 2), ElementsAre(0, 1, 4, 5, 2, 3));
  EXPECT_THAT(order_of({.kind = Kind::exit_first, .rank = 1}, 0, 3, 2),
              ElementsAre(2, 3, 0, 1, 4, 5));
}

TEST(Scheduler, TakesATeamThatTheClusterLacksForNoTeam) {
  EXPECT_THAT(order_of({.kind = Kind::last, .rank = 7}, 0, 2, 2), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order_of({.kind = Kind::exit_first, .rank = 7}, 0, 2, 2), ElementsAre(0, 1, 2, 3));
}

TEST(Scheduler, PrefersALowerThreadThatBecameReadyAgain) {
  Scheduler scheduler;
  scheduler.reset({.kind = Kind::rank}, 0, 1, 4);
  for (int thread = 0; thread < 3; ++thread) scheduler.block(thread);
  EXPECT_EQ(scheduler.pick(), 3);
  scheduler.make_range_ready(1, 3);
  EXPECT_EQ(scheduler.pick(), 1);
}

TEST(Scheduler, AppliesAReplayToItsClusterAlone) {
  Schedule const replay{.kind = Kind::reverse, .cluster = 2};
  EXPECT_THAT(order_of(replay, 2, 1, 3), ElementsAre(2, 1, 0));
  EXPECT_THAT(order_of(replay, 1, 1, 3), ElementsAre(0, 1, 2));
}

TEST(Scheduler, FollowsTheStepsOfAReplay) {
  // The decisions are counted from 1: thread 2 first, rank order, thread 3 third.
  Schedule const replay{.kind = Kind::steps, .steps = {{1, 2}, {3, 3}}, .cluster = 0};
  EXPECT_THAT(order_of(replay, 0, 1, 5), ElementsAre(2, 0, 3, 1, 4));
}

TEST(Scheduler, GivesClustersOfOneSeedOrdersOfTheirOwn) {
  for (Kind const kind : {Kind::random, Kind::pct}) {
    Schedule const schedule{.kind = kind, .depth = 1, .seed = 5};
    EXPECT_EQ(order_of(schedule, 0, 4, 16), order_of(schedule, 0, 4, 16));
    EXPECT_NE(order_of(schedule, 0, 4, 16), order_of(schedule, 1, 4, 16));
  }
}

TEST(Scheduler, MovesAPctThreadBehindAllOthersAtAChangePoint) {
  // Depth 64 over one thread has its 63 change points among the first 8 decisions.
  Scheduler scheduler;
  scheduler.reset({.kind = Kind::pct, .depth = 64, .seed = 3}, 0, 1, 1);
  int running = scheduler.pick();
  for (int atomic = 0; atomic < 200; ++atomic) running = scheduler.pick_at_atomic(running);
  EXPECT_EQ(running, 0);

  scheduler.reset({.kind = Kind::pct, .depth = 64, .seed = 3}, 0, 1, 4);
  running = scheduler.pick();
  std::vector<bool> ran(4, false);
  for (int atomic = 0; atomic < 200; ++atomic) {
    ran[static_cast<std::size_t>(running)] = true;
    running = scheduler.pick_at_atomic(running);
  }
  EXPECT_THAT(ran, ::testing::Each(true));
}

TEST(Scheduler, PicksAgentsWhenNoThreadIsReady) {
  for (Kind const kind : {Kind::rank, Kind::reverse, Kind::late, Kind::steps}) {
    Scheduler scheduler;
    scheduler.reset({.kind = kind}, 0, 1, 3);
    int const first = scheduler.first_agent();
    EXPECT_GT(first, 3) << "a sweep over the threads ends before it";
    for (int agent : {0, 70, 200}) scheduler.add_agent(first + agent);
    std::vector<int> order;
    for (int picked = scheduler.pick(); picked >= 0; picked = scheduler.pick()) {
      order.push_back(picked);
      if (picked < first) {
        EXPECT_EQ(scheduler.running(), picked);
        scheduler.block(picked);
      } else {
        EXPECT_LT(scheduler.running(), first) << "an agent is no thread";
        scheduler.remove_agent(picked);
      }
    }
    ASSERT_EQ(order.size(), 6U);
    EXPECT_EQ(order[3], first);
    EXPECT_EQ(order[4], first + 70);
    EXPECT_EQ(order[5], first + 200);
  }
}

TEST(Scheduler, LeavesItToTheScheduleWhenAgentsAreDone) {
  Scheduler scheduler;
  for (Kind const kind : {Kind::rank, Kind::reverse, Kind::last, Kind::exit_first, Kind::eager}) {
    scheduler.reset({.kind = kind}, 0, 1, 1);
    EXPECT_TRUE(scheduler.agent_completes_at_once());
  }
  for (Kind const kind : {Kind::late, Kind::random, Kind::steps}) {
    scheduler.reset({.kind = kind}, 0, 1, 1);
    EXPECT_FALSE(scheduler.agent_completes_at_once());
  }
  scheduler.reset({.kind = Kind::pct, .depth = 2, .seed = 5}, 0, 1, 1);
  int at_once = 0;
  for (int i = 0; i < 100; ++i) at_once += scheduler.agent_completes_at_once() ? 1 : 0;
  EXPECT_GT(at_once, 20);
  EXPECT_LT(at_once, 80);
}

RC_GTEST_PROP(Scheduler, RunsEveryThreadOnceUnderEverySchedule, ()) {
  Schedule schedule;
  schedule.kind = *rc::gen::element(Kind::rank, Kind::reverse, Kind::last, Kind::exit_first,
                                    Kind::random, Kind::pct, Kind::eager, Kind::late);
  schedule.rank = *rc::gen::inRange(0, 5);
  schedule.depth = *rc::gen::inRange(1, 65);
  schedule.seed = *rc::gen::arbitrary<std::uint64_t>();
  int const teams = *rc::gen::inRange(1, 6);
  int const threads = *rc::gen::inRange(1, 70);
  auto order = order_of(schedule, *rc::gen::inRange(0, 100), teams, threads);
  std::vector<int> all(static_cast<std::size_t>(teams) * static_cast<std::size_t>(threads));
  std::iota(all.begin(), all.end(), 0);
  std::sort(order.begin(), order.end());
  RC_ASSERT(order == all);
}

RC_GTEST_PROP(Scheduler, RepeatsARandomOrderFromItsDeviations, (std::uint64_t seed)) {
  int const threads = *rc::gen::inRange(1, 60);  // fewer decisions than deviations are kept
  Schedule const random{.kind = Kind::random, .seed = seed};
  Scheduler scheduler;
  scheduler.reset(random, 3, 1, threads);
  std::vector<int> order;
  for (int next = scheduler.pick(); next >= 0; next = scheduler.pick()) {
    order.push_back(next);
    scheduler.block(next);
  }
  RC_PRE(!scheduler.deviations().empty());
  Schedule const steps{.kind = Kind::steps, .steps = scheduler.deviations()};
  RC_ASSERT(order_of(steps, 3, 1, threads) == order);
}

TEST(Scheduler, KeepsNoDeviationsBeyondWhatAReplayLineCanHold) {
  Scheduler scheduler;
  scheduler.reset({.kind = Kind::random, .seed = 1}, 0, 1, 1000);
  for (int next = scheduler.pick(); next >= 0; next = scheduler.pick()) scheduler.block(next);
  EXPECT_TRUE(scheduler.deviations().empty());
}

}  // namespace
}  // namespace kohort::simulator
