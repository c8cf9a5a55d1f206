// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Readers of one word share its shadow: a report must name the line that each read from all the
// same.
#include <kohort/kohort.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kohort::detect {
namespace {

using ::testing::HasSubstr;
using Policy = ClusterPolicy<Simulator>;

std::string line(int number) { return "report_lines_test.cpp:" + std::to_string(number) + " "; }

template <class Kernel>
std::string report_of(int threads, Kernel const& kernel) {
  Simulator const target({.mode = "check", .schedule = "rank", .workers = 1});
  Buffer<int, Simulator> const cells(target, 1025);
  deep_copy(cells, 0);
  int* const memory = cells.data();
  try {
    parallel_for("reads", Policy(target, 1, threads),
                 [=](Policy::member_type const& member) { kernel(member.team_rank(), memory); });
    return "nothing was found";
  } catch (Finding const& finding) {
    return finding.what();
  }
}

TEST(ReportOfARace, NamesTheLineOfAnEarlierReaderAndNotOfALaterOne) {
  int const first = __LINE__ + 3;
  std::string const report = report_of(2, [](int thread, int* memory) {
    if (thread == 0) {
      memory[1] = memory[0];
    } else {
      int const mine = memory[0];
      memory[2] = mine;
      memory[0] = 5;
    }
  });
  EXPECT_THAT(report, HasSubstr(line(first))) << report;
  EXPECT_THAT(report, HasSubstr(line(first + 4))) << report;
  EXPECT_THAT(report, ::testing::Not(HasSubstr(line(first + 2)))) << report;
}

// Apart and not alike, and the load behind a barrier for the compiler: else it makes one of the
// two.
int const common_line = __LINE__ + 3;
__attribute__((noinline)) int read_as_most_do(int const* memory) {
  asm volatile("" : : : "memory");
  return memory[0] + 1;
}
int const rare_line = __LINE__ + 3;
__attribute__((noinline)) int read_as_few_do(int const* memory) {
  asm volatile("" : : : "memory");
  return memory[0] * 3;
}

TEST(ReportOfARace, NamesTheLinesOfAWholeTeamsReaders) {
  std::string const report = report_of(1024, [](int thread, int* memory) {
    memory[1 + thread] = thread / 32 == 2 ? read_as_few_do(memory) : read_as_most_do(memory);
    if (thread == 1023) memory[0] = 1;
  });
  EXPECT_THAT(report, HasSubstr(line(common_line))) << report;
  EXPECT_THAT(report, HasSubstr(line(rare_line))) << report;
}

}  // namespace
}  // namespace kohort::detect
