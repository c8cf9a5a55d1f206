// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How explore() shortens the schedule that it found.
#include <kohort/kohort.hpp>
#include <kohort/testing/explore.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace kohort {
namespace {

using simulator::Finding;
using simulator::Schedule;
using testing::Exploration;
using testing::explore;

/// A finding as the simulator throws it.
[[noreturn]] void report(std::string const& id, std::string const& replay) {
  throw Finding(id, "kernel", 0, "report under " + replay, replay);
}

Schedule current() { return *simulator::overriding_schedule(); }

bool has_step(Schedule const& schedule, std::uint64_t decision) {
  return std::any_of(schedule.steps.begin(), schedule.steps.end(),
                     [&](Schedule::Step const& step) { return step.decision == decision; });
}

/// Fails under random:2 by 40 steps, of which two are needed.
void needs_two_of_forty_steps() {
  Schedule schedule = current();
  if (schedule.kind == Schedule::Kind::random && schedule.seed == 2) {
    schedule = {.kind = Schedule::Kind::steps, .cluster = 3};
    for (std::uint64_t i = 1; i <= 40; ++i) schedule.steps.push_back({i, 5});
  }
  if (has_step(schedule, 7) && has_step(schedule, 31)) report("race-global", to_string(schedule));
  if (has_step(schedule, 7)) report("deadlock", to_string(schedule));
}

TEST(Shrinking, DropsTheStepsThatAreNotNeeded) {
  Exploration const found = explore(needs_two_of_forty_steps, {.most_shrink_runs = 200});
  ASSERT_FALSE(found.ok);
  EXPECT_EQ(found.id, "race-global");
  EXPECT_EQ(found.schedule, "replay:3:steps:7r5-31r5");
  EXPECT_EQ(found.shrunk_from, "random:2");
  EXPECT_EQ(found.report, "report under " + found.schedule);
}

TEST(Shrinking, StopsAfterSoManyRuns) {
  int runs = 0;
  auto const body = [&] {
    ++runs;
    needs_two_of_forty_steps();
  };
  Exploration const unshrunk = explore(body, {.most_shrink_runs = 0});
  EXPECT_EQ(runs, unshrunk.schedules);
  EXPECT_EQ(unshrunk.shrunk_from, "");
  runs = 0;
  Exploration const shrunk = explore(body, {.most_shrink_runs = 10});
  EXPECT_EQ(runs, shrunk.schedules + 10);
  EXPECT_EQ(shrunk.schedules, unshrunk.schedules) << "the ladder's schedules alone are counted";
  EXPECT_LT(shrunk.schedule.size(), unshrunk.schedule.size());
}

TEST(Shrinking, LowersDepthThenSeed) {
  auto const body = [] {
    Schedule const schedule = current();
    if (schedule.kind == Schedule::Kind::pct && schedule.depth >= 2 && schedule.seed >= 4)
      report("deadlock", to_string(schedule));
  };
  Exploration const found = explore(body, {.pct_depth = 5, .seed = 30});
  EXPECT_EQ(found.schedule, "pct:2:4");
  EXPECT_EQ(found.shrunk_from, "pct:5:30");
}

TEST(Shrinking, KeepsASimpleSchedule) {
  auto const body = [] {
    if (current().kind == Schedule::Kind::reverse) report("deadlock", "replay:1:reverse");
  };
  Exploration const found = explore(body);
  EXPECT_EQ(found.schedule, "replay:1:reverse");
  EXPECT_EQ(found.shrunk_from, "");
}

TEST(Shrinking, DoesNotTakeAnotherFinding) {
  auto const body = [] {
    Schedule const schedule = current();
    if (schedule.kind == Schedule::Kind::pct)
      report(schedule.depth == 3 ? "race-global" : "deadlock", to_string(schedule));
  };
  Exploration const found = explore(body);
  EXPECT_EQ(found.id, "race-global");
  EXPECT_EQ(found.schedule, "pct:3:0");
}

/// Where an update is lost, thread 0 leaves a team barrier out: some orders of atomics show it.
void diverges_after_a_lost_update(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<int>>;
  parallel_for(
      "count", Policy(target, 4, 8), KOHORT_LAMBDA(Policy::member_type const& member) {
        int* const count = &member.team_scratch();
        if (member.team_rank() == 0) *count = 0;
        member.team_barrier();
        atomic_store(count, atomic_load(count) + 1);
        member.team_barrier();
        if (member.team_rank() > 0 || atomic_load(count) == 8) member.team_barrier();
      });
}

TEST(Shrinking, LeavesAReplayThatShowsTheSame) {
  auto const body = [] { diverges_after_a_lost_update(Simulator()); };
  Exploration const first = explore(body, {.pct_schedules = 0, .most_shrink_runs = 0});
  Exploration const found = explore(body, {.pct_schedules = 0});
  ASSERT_EQ(found.id, "team-barrier-divergent") << found;
  EXPECT_LT(simulator::parse_schedule(found.schedule).steps.size(), 4U) << found;
  EXPECT_GT(simulator::parse_schedule(first.schedule).steps.size(), 4U) << first;
  try {
    diverges_after_a_lost_update(Simulator({.schedule = found.schedule}));
    ADD_FAILURE() << found.schedule << " does not replay it";
  } catch (Finding const& finding) {
    EXPECT_EQ(finding.id(), found.id);
  }
}

}  // namespace
}  // namespace kohort
