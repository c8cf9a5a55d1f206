// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pages of docs/diagnostics/ that mode check alone leads to show compiled kernels, and what the
// simulator says of them.
#include "checked_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tests/simulator/launching.hpp>
#include <tests/simulator/pages.hpp>
#include <vector>

namespace kohort::detect {
namespace {

using tests::FaultyKernel;

std::string const kernels_file = "tests/detect/checked_kernels.cpp";

std::vector<std::string> const schedules{"rank",         "reverse",      "last:0",   "last:1",
                                         "exit-first:0", "exit-first:1", "random:7", "pct:3:5"};

/// What mode check says of a kernel, if anything.
std::optional<Finding> finding_in(void (*kernel)(Simulator const&), std::string const& schedule,
                                  int workers = 1) {
  return tests::finding_of([&] {
    kernel(Simulator(
        {.mode = "check", .profile = "h200-sxm", .schedule = schedule, .workers = workers}));
  });
}

class CheckedPage : public ::testing::TestWithParam<FaultyKernel> {
 protected:
  std::string page() const { return tests::page_of(GetParam().id); }
};

TEST_P(CheckedPage, ShowsTheCompiledKernels) {
  std::string const name = tests::function_name(GetParam().id);
  auto const kernels = tests::blocks(page(), "cpp");
  ASSERT_EQ(kernels.size(), 2U) << "the faulty one, and the repaired one";
  EXPECT_EQ(kernels[0], tests::function_text(kernels_file, name));
  EXPECT_EQ(kernels[1], tests::function_text(kernels_file, name + "_repaired"));
}

TEST_P(CheckedPage, IsTitledByItsId) {
  EXPECT_THAT(page(), ::testing::HasSubstr("\n# `" + GetParam().id + "`\n"));
}

TEST_P(CheckedPage, ShowsTheReport) {
  auto const finding = finding_in(GetParam().faulty, "rank");
  ASSERT_TRUE(finding);
  EXPECT_EQ(tests::normalised(std::string(finding->what()) + "\n"), tests::report_on(page()));
}

class CheckedKernel : public ::testing::TestWithParam<FaultyKernel> {};

TEST_P(CheckedKernel, IsFoundUnderEverySchedule) {
  for (std::string const& schedule : schedules) {
    for (int const workers : {1, 2}) {
      auto const finding = finding_in(GetParam().faulty, schedule, workers);
      ASSERT_TRUE(finding) << schedule << ", " << workers << " workers";
      EXPECT_EQ(finding->id(), GetParam().id) << finding->what();
    }
  }
}

TEST_P(CheckedKernel, IsFoundAgainByItsReplayLine) {
  for (std::string const& schedule : schedules) {
    auto const first = finding_in(GetParam().faulty, schedule);
    ASSERT_TRUE(first) << schedule;
    auto const second = finding_in(GetParam().faulty, first->replay(), 2);
    ASSERT_TRUE(second) << first->replay();
    EXPECT_EQ(second->id(), first->id());
    EXPECT_EQ(second->cluster(), first->cluster());
    EXPECT_EQ(second->replay(), first->replay()) << "a replay's replay is itself";
  }
}

TEST_P(CheckedKernel, IsNotFoundInTheRepairedOne) {
  for (std::string const& schedule : schedules) {
    for (int const workers : {1, 2}) {
      auto const finding = finding_in(GetParam().repaired, schedule, workers);
      EXPECT_FALSE(finding) << finding->what();
    }
  }
}

std::string name_of(::testing::TestParamInfo<FaultyKernel> const& info) {
  return tests::function_name(info.param.id);
}

INSTANTIATE_TEST_SUITE_P(Id, CheckedPage, ::testing::ValuesIn(checked_kernels()), name_of);
INSTANTIATE_TEST_SUITE_P(Id, CheckedKernel, ::testing::ValuesIn(checked_kernels()), name_of);

TEST(CheckedKernels, AreThoseOfTheIdsThatNeedModeCheck) {
  std::vector<std::string> ids;
  for (FaultyKernel const& kernel : checked_kernels()) ids.push_back(kernel.id);
  std::vector<std::string> expected;
  for (std::string const& id : simulator::finding_ids())
    if (simulator::needs_mode_check(id)) expected.push_back(id);
  EXPECT_EQ(ids, expected);
}

TEST(CheckedKernels, AreNotFoundInModeRun) {
  for (FaultyKernel const& kernel : checked_kernels()) {
    auto const finding =
        tests::finding_of([&] { kernel.faulty(Simulator({.mode = "run", .workers = 1})); });
    EXPECT_FALSE(finding) << finding->what();
  }
}

}  // namespace
}  // namespace kohort::detect
