// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/simulator/schedule.hpp>

#include "any_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ostream>
#include <string>

namespace kohort::simulator {
namespace {

using Kind = Schedule::Kind;

RC_GTEST_PROP(Schedule, IsReadBackFromItsText, ()) {
  Schedule const schedule = *any_schedule();
  RC_ASSERT(parse_schedule(to_string(schedule)) == schedule);
}

TEST(Schedule, IsReadFromEveryForm) {
  EXPECT_EQ(parse_schedule("rank"), Schedule{});
  EXPECT_EQ(parse_schedule("reverse"), (Schedule{.kind = Kind::reverse}));
  EXPECT_EQ(parse_schedule("last:3"), (Schedule{.kind = Kind::last, .rank = 3}));
  EXPECT_EQ(parse_schedule("exit-first:0"), (Schedule{.kind = Kind::exit_first}));
  EXPECT_EQ(parse_schedule("eager"), (Schedule{.kind = Kind::eager}));
  EXPECT_EQ(parse_schedule("late"), (Schedule{.kind = Kind::late}));
  EXPECT_EQ(parse_schedule("random:18446744073709551615"),
            (Schedule{.kind = Kind::random, .seed = ~0ULL}));
  EXPECT_EQ(parse_schedule("pct:3:7"), (Schedule{.kind = Kind::pct, .depth = 3, .seed = 7}));
  EXPECT_EQ(parse_schedule("serial:reverse"), (Schedule{.kind = Kind::reverse, .serial = true}));
  EXPECT_EQ(parse_schedule("replay:serial:4:last:1"),
            (Schedule{.kind = Kind::last, .rank = 1, .serial = true, .cluster = 4}));
  EXPECT_EQ(parse_schedule("replay:2:steps:1r33-90r0"),
            (Schedule{.kind = Kind::steps, .steps = {{1, 33}, {90, 0}}, .cluster = 2}));
}

struct Refusal {
  std::string text;
  std::string expected;
  std::string found;
  friend void PrintTo(Refusal const& refusal, std::ostream* stream) { *stream << refusal.text; }
};

class ScheduleRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(ScheduleRefusal, NamesThePartAndListsTheForms) {
  Refusal const& refusal = GetParam();
  try {
    parse_schedule(refusal.text);
    FAIL() << "accepted \"" << refusal.text << "\"";
  } catch (ScheduleError const& error) {
    EXPECT_EQ(
        error.what(),
        "kohort: schedule \"" + refusal.text + "\": expected " + refusal.expected + ", found \"" +
            refusal.found +
            "\"\n  schedules are rank, reverse, last:R, exit-first:R, eager, late, random:SEED, "
            "pct:D:SEED, serial:SCHEDULE, replay:[serial:]CLUSTER:SCHEDULE, "
            "replay:[serial:]CLUSTER:steps:S1rT1-S2rT2");
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ScheduleRefusal,
    ::testing::Values(
        Refusal{"", "a schedule", ""}, Refusal{"fifo", "a schedule", "fifo"},
        Refusal{"Rank", "a schedule", "Rank"}, Refusal{"rank:1", "nothing more", ":1"},
        Refusal{"reverse ", "a schedule", "reverse "}, Refusal{"last", "':'", ""},
        Refusal{"last:", "a team's rank", ""}, Refusal{"last:-1", "a team's rank", "-1"},
        Refusal{"last:-0", "a team's rank", "-0"}, Refusal{"last:1x", "a team's rank", "1x"},
        Refusal{"last:1:2", "nothing more", ":2"},
        Refusal{"last:99999999999", "a team's rank", "99999999999"},
        Refusal{"exit-first:two", "a team's rank", "two"}, Refusal{"random", "':'", ""},
        Refusal{"random:-1", "a seed", "-1"},
        Refusal{"random:18446744073709551616", "a seed", "18446744073709551616"},
        Refusal{"pct:0:1", "a depth from 1 to 64", "0:1"},
        Refusal{"pct:65:1", "a depth from 1 to 64", "65:1"}, Refusal{"pct:3", "':'", ""},
        Refusal{"pct:3:", "a seed", ""}, Refusal{"serial:", "a schedule", ""},
        Refusal{"serial:serial:rank", "a schedule", "serial"},
        Refusal{"replay:rank", "a cluster's index", "rank"}, Refusal{"replay:1", "':'", ""},
        Refusal{"replay:-1:rank", "a cluster's index", "-1"},
        Refusal{"replay:1:serial:rank", "a schedule", "serial"},
        Refusal{"replay:1:steps:", "a decision's number", ""},
        Refusal{"replay:1:steps:3", "'r'", ""},
        Refusal{"replay:1:steps:3r", "a thread of the cluster", ""},
        Refusal{"replay:1:steps:3r1-", "a decision's number", ""},
        Refusal{"replay:1:steps:3r1-3r2", "decisions in rising order", "3r2"},
        Refusal{"replay:1:steps:4r1-3r2", "decisions in rising order", "3r2"}));

TEST(ScheduleOverride, HoldsWhileItLives) {
  EXPECT_FALSE(overriding_schedule());
  {
    ScheduleOverride const override(parse_schedule("reverse"));
    EXPECT_EQ(overriding_schedule(), parse_schedule("reverse"));
  }
  EXPECT_FALSE(overriding_schedule());
}

}  // namespace
}  // namespace kohort::simulator
