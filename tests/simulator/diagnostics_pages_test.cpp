// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// docs/diagnostics/ shows compiled kernels and what the simulator prints of them.
#include "faulty_kernels.hpp"
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace kohort::tests {
namespace {

std::string const pages_folder = KOHORT_SOURCE_DIR "/docs/diagnostics/";

std::string contents(std::string const& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The fenced blocks of a page in one language.
std::vector<std::string> blocks(std::string const& page, std::string const& language) {
  std::vector<std::string> found;
  std::string const opening = "```" + language + "\n";
  for (auto at = page.find(opening); at != page.npos; at = page.find(opening, at)) {
    at += opening.size();
    found.push_back(page.substr(at, page.find("```", at) - at));
  }
  return found;
}

/// "void <name>(…) { … }" of faulty_kernels.cpp.
std::string function_text(std::string const& name) {
  std::string const source = contents(KOHORT_SOURCE_DIR "/tests/simulator/faulty_kernels.cpp");
  auto const at = source.find("void " + name + "(");
  if (at == source.npos) return "no function " + name;
  return source.substr(at, source.find("\n}\n", at) + 3 - at);
}

/// A report without what differs between machines and edits: line numbers, the column widths that
/// follow from them, backtraces, addresses, and the program in the replay line.
std::string normalised(std::string const& report) {
  std::string text = std::regex_replace(report, std::regex("\\.cpp:[0-9]+"), ".cpp:N");
  text = std::regex_replace(text, std::regex("(KOHORT_SIM_SCHEDULE=[^ ]+)[^\n]*"), "$1");
  text = std::regex_replace(text, std::regex("    at  [^\n]*\n"), "");
  text = std::regex_replace(text, std::regex("stack of [0-9]+ B"), "stack of N B");
  return std::regex_replace(text, std::regex(" +"), " ");
}

class DiagnosticsPage : public ::testing::TestWithParam<FaultyKernel> {
 protected:
  std::string page() const { return contents(pages_folder + GetParam().id + ".md"); }
  std::string report_on_page() const {
    auto const reports = blocks(page(), "text");
    return reports.empty() ? "no report" : normalised(reports.front());
  }
};

TEST_P(DiagnosticsPage, ShowsTheCompiledKernels) {
  std::string name = GetParam().id;
  std::replace(name.begin(), name.end(), '-', '_');
  auto const kernels = blocks(page(), "cpp");
  ASSERT_EQ(kernels.size(), 2U) << "the faulty one, and the repaired one";
  EXPECT_EQ(kernels[0], function_text(name));
  EXPECT_EQ(kernels[1], function_text(name + "_repaired"));
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
                 ::testing::ResultOf(normalised, ::testing::HasSubstr(report_on_page())));
    return;
  }
  auto const finding = finding_of([&] { kernel.faulty(simulated()); });
  ASSERT_TRUE(finding);
  EXPECT_EQ(normalised(std::string(finding->what()) + "\n"), report_on_page());
}

std::string name_of(::testing::TestParamInfo<FaultyKernel> const& info) {
  std::string name = info.param.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
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
