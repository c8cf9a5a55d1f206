// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "faulty_kernels.hpp"
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace kohort::tests {
namespace {

using Policy = ClusterPolicy<Simulator>;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Matcher;
using ::testing::Not;

/// Dead by that signal; a sanitizer takes the signal after the simulator, and exits instead.
struct DiesOf {
  int signal;
  bool operator()(int status) const {
#if defined(__SANITIZE_ADDRESS__)
    return status != 0;
#else
    return WIFSIGNALED(status) && WTERMSIG(status) == signal;
#endif
  }
};

/// Each case starts the program anew: threads of an earlier test's launches do not fork.
class CrashDeathTest : public ::testing::Test {
 protected:
  CrashDeathTest() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

template <class Kernel>
void launch(char const* label, Kernel const& kernel, int workers = 1, int stack_kib = 0) {
  SimulatorOptions options;
  options.workers = workers;
  options.schedule = "rank";
  options.stack_kib = stack_kib;
  parallel_for(label, Policy(Simulator(options), 4, 32), kernel);
}

Matcher<std::string const&> reports(std::string const& id, std::string const& label) {
  return AllOf(HasSubstr("kohort: [" + id + "] in \"" + label + "\", cluster "),
               HasSubstr("\n  replay  KOHORT_SIM_SCHEDULE=rank "),
               HasSubstr("\n  page    docs/diagnostics/" + id + ".md\n"));
}

void write_to_nowhere(int workers) {
  int volatile* const nowhere = nullptr;
  launch(
      "null_pointer",
      KOHORT_LAMBDA(Policy::member_type const& member) {
        if (member.league_rank() == 2 && member.team_rank() == 7) *nowhere = 1;
      },
      workers);
}

TEST_F(CrashDeathTest, ReportsASegmentationFault) {
  EXPECT_EXIT(write_to_nowhere(1), DiesOf{SIGSEGV},
              AllOf(reports("kernel-crash", "null_pointer"), HasSubstr("cluster 2 of 4"),
                    HasSubstr("team 0 thread 7  Segmentation fault at address 0x0"),
                    ContainsRegex("at  simulator/crash_test.cpp:[0-9]+")));
}

TEST_F(CrashDeathTest, ReportsASegmentationFaultOnAWorkersThread) {
  EXPECT_EXIT(write_to_nowhere(16), DiesOf{SIGSEGV},
              AllOf(reports("kernel-crash", "null_pointer"), HasSubstr("thread 7")));
}

__attribute__((noinline, no_sanitize("undefined"))) int divide(int volatile const& by) {
  return 7 / by;
}

void divide_by_zero() {
  launch(
      "division", KOHORT_LAMBDA(Policy::member_type const& member) {
        int volatile by = member.team_rank() - 3;
        int volatile result = divide(by);
        static_cast<void>(result);
      });
}

TEST_F(CrashDeathTest, ReportsADivisionByZero) {
  EXPECT_EXIT(divide_by_zero(), DiesOf{SIGFPE},
              AllOf(reports("kernel-crash", "division"),
                    HasSubstr("team 0 thread 3  Floating point exception")));
}

void call_abort() {
  launch(
      "aborts", KOHORT_LAMBDA(Policy::member_type const& member) {
        if (member.team_rank() == 30) std::abort();
      });
}

TEST_F(CrashDeathTest, ReportsAnAbort) {
  EXPECT_EXIT(call_abort(), DiesOf{SIGABRT},
              AllOf(reports("kernel-crash", "aborts"), HasSubstr("team 0 thread 30  Aborted")));
}

__attribute__((noinline)) int descend(int depth) {
  char volatile frame[512];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : descend(depth - 1) + frame[0];
}

void recurse() {
  launch(
      "recursion", KOHORT_LAMBDA(Policy::member_type const& member) {
        if (member.team_rank() == 11) descend(1'000'000);
      });
}

TEST_F(CrashDeathTest, ReportsAStackOverflowByRecursion) {
  EXPECT_EXIT(recurse(), DiesOf{SIGSEGV},
              AllOf(reports("stack-overflow", "recursion"),
                    HasSubstr("team 0 thread 11  ran over its stack of ")));
}

__attribute__((noinline)) int use_large_frame(int rank) {
  int volatile frame[10'240];  // 40 KB: more than the 16 KiB of the guard
  frame[rank] = rank;
  return frame[rank];
}

void overflow_by_one_frame() {
  launch(
      "large_frame",
      KOHORT_LAMBDA(Policy::member_type const& member) { use_large_frame(member.team_rank()); }, 1,
      20);
}

TEST_F(CrashDeathTest, ReportsAStackOverflowByOneFrame) {
  EXPECT_EXIT(overflow_by_one_frame(), DiesOf{SIGSEGV}, reports("stack-overflow", "large_frame"));
}

TEST_F(CrashDeathTest, RunsTheSameFrameOnALargerStack) {
  EXPECT_NO_THROW(launch(
      "large_frame",
      KOHORT_LAMBDA(Policy::member_type const& member) { use_large_frame(member.team_rank()); }, 1,
      128));
}

void spin_unwatched(int workers) {
  setenv("KOHORT_SIM_WATCHDOG", "1", 1);
  faulty_kernel("raw-spin").faulty(simulated({.workers = workers}));
}

TEST_F(CrashDeathTest, ReportsARawSpin) {
  EXPECT_EXIT(spin_unwatched(1), DiesOf{SIGABRT},
              AllOf(reports("raw-spin", "plain_poll"),
                    HasSubstr("team 0 thread 0  calls nothing of the library"),
                    ContainsRegex("at  simulator/faulty_kernels.cpp:[0-9]+")));
}

void crash_outside_a_kernel() {
  launch("before", KOHORT_LAMBDA(Policy::member_type const&){});
  std::raise(SIGSEGV);
}

TEST_F(CrashDeathTest, LeavesACrashOfTheHostAlone) {
  EXPECT_EXIT(crash_outside_a_kernel(), DiesOf{SIGSEGV},
              Matcher<std::string const&>(Not(HasSubstr("kohort: ["))));
}

}  // namespace
}  // namespace kohort::tests
