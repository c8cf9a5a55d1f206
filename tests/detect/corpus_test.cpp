// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus/case.hpp"

#include <kohort/testing/explore.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace kohort::detect {

void PrintTo(FaultCase<Simulator> const& one, std::ostream* stream) { *stream << one.name; }

namespace {

using Case = FaultCase<Simulator>;

std::vector<std::string> const schedules{"rank",         "reverse",      "last:0",   "last:1",
                                         "exit-first:0", "exit-first:1", "random:7", "pct:3:5"};

/// What the check says of a kernel: a finding's id, or what else was thrown, or nothing.
std::string verdict(void (*kernel)(Simulator const&), Case const& one, std::string const& schedule,
                    int workers = 2) {
  try {
    kernel(Simulator(
        {.mode = "check", .profile = one.profile, .schedule = schedule, .workers = workers}));
    return "";
  } catch (Finding const& finding) {
    return finding.id();
  } catch (LaunchError const&) {
    return "launch-refused";
  }
}

class Corpus : public ::testing::TestWithParam<Case> {};

TEST_P(Corpus, FaultIsNamedUnderEverySchedule) {
  Case const& one = GetParam();
  if (one.needs_exploration) GTEST_SKIP() << "depends on the schedule: the exploration finds it";
  // A known miss that is found one day leaves the list of what the checker can't see.
  std::string const expected = one.missed_because.empty() ? one.expected : "";
  for (std::string const& schedule : schedules)
    EXPECT_EQ(verdict(one.faulty, one, schedule), expected) << schedule;
}

TEST_P(Corpus, FaultIsNamedByTheExploration) {
  Case const& one = GetParam();
  if (!one.missed_because.empty()) GTEST_SKIP() << one.missed_because;
  testing::Exploration const found = testing::explore(
      [&] { one.faulty(Simulator({.mode = "check", .profile = one.profile, .workers = 2})); });
  if (one.expected == "launch-refused") {
    EXPECT_FALSE(found.ok);
  } else {
    EXPECT_EQ(found.id, one.expected) << found;
  }
}

TEST_P(Corpus, TwinIsCleanUnderEverySchedule) {
  Case const& one = GetParam();
  auto* const twin = one.repaired != nullptr ? one.repaired : one.faulty;  // a control is its own
  for (std::string const& schedule : schedules)
    EXPECT_EQ(verdict(twin, one, schedule), "") << schedule;
}

std::string name_of(::testing::TestParamInfo<Case> const& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Faults, Corpus, ::testing::ValuesIn(corpus<Simulator>()), name_of);

TEST(CorpusOfFaults, NamesEachCaseOnce) {
  std::vector<std::string> names;
  for (Case const& one : corpus<Simulator>()) names.push_back(one.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_GE(names.size(), 1U);
}

}  // namespace
}  // namespace kohort::detect
