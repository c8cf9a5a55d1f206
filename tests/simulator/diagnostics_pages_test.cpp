// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// docs/diagnostics/ shows compiled kernels and what the simulator prints of them.
#include "faulty_kernels.hpp"
#include "launching.hpp"
#include "pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace kohort::tests {
namespace {

class DiagnosticsPage : public ::testing::TestWithParam<FaultyKernel> {
 protected:
  std::string page() const { return page_of(GetParam().id); }
};

TEST_P(DiagnosticsPage, ShowsTheCompiledKernels) {
  std::string const name = function_name(GetParam().id);
  auto const kernels = blocks(page(), "cpp");
  ASSERT_EQ(kernels.size(), 2U) << "the faulty one, and the repaired one";
  EXPECT_EQ(kernels[0], function_text(GetParam().file, name));
  EXPECT_EQ(kernels[1], function_text(GetParam().file, name + "_repaired"));
}

TEST_P(DiagnosticsPage, IsTitledByItsId) {
  EXPECT_THAT(page(), ::testing::HasSubstr("\n# `" + GetParam().id + "`\n"));
}

/// Each case starts the program anew, as in crash_test.cpp.
class DiagnosticsPageDeathTest : public DiagnosticsPage {
 protected:
  DiagnosticsPageDeathTest() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

void end_the_process(FaultyKernel const& kernel) {
  setenv("KOHORT_SIM_WATCHDOG", "1", 1);
  setenv("KOHORT_SIM_STACK", "64", 1);  // the default, but of sanitized builds, which have more
  kernel.faulty(simulated());
}

TEST_P(DiagnosticsPageDeathTest, ShowsWhatIsPrinted) {
  FaultyKernel const& kernel = GetParam();
  if (kernel.ends_the_process) {
    EXPECT_DEATH(end_the_process(kernel),
                 ::testing::ResultOf(normalised, ::testing::HasSubstr(report_on(page()))));
    return;
  }
  auto const finding = finding_of([&] { kernel.faulty(simulated()); });
  ASSERT_TRUE(finding);
  EXPECT_EQ(normalised(std::string(finding->what()) + "\n"), report_on(page()));
}

std::string name_of(::testing::TestParamInfo<FaultyKernel> const& info) {
  return function_name(info.param.id);
}

INSTANTIATE_TEST_SUITE_P(Id, DiagnosticsPage, ::testing::ValuesIn(faulty_kernels()), name_of);
INSTANTIATE_TEST_SUITE_P(Id, DiagnosticsPageDeathTest, ::testing::ValuesIn(faulty_kernels()),
                         name_of);

TEST(DiagnosticsPages, AreThoseOfTheIds) {
  std::set<std::string> expected{"README.md"};
  for (std::string const& id : simulator::finding_ids()) expected.insert(id + ".md");
  std::set<std::string> found;
  for (auto const& entry : std::filesystem::directory_iterator(pages_folder))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

TEST(DiagnosticsPages, AreListedInTheIndex) {
  std::string const index = contents(pages_folder + "README.md");
  for (std::string const& id : simulator::finding_ids())
    EXPECT_THAT(index, ::testing::HasSubstr("| [`" + id + "`](" + id + ".md) |"));
}

}  // namespace
}  // namespace kohort::tests
