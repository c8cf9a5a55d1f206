// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace kohort::tests {
namespace {

using simulator::to_string;
using ::testing::HasSubstr;

/// No variable that a shell may have set reaches these tests.
class Options : public ::testing::Test {
  Environment profile_{"KOHORT_SIM_PROFILE", std::nullopt};
  Environment schedule_{"KOHORT_SIM_SCHEDULE", std::nullopt};
  Environment threads_{"KOHORT_SIM_THREADS", std::nullopt};
  Environment trace_{"KOHORT_SIM_TRACE", std::nullopt};
  Environment stack_{"KOHORT_SIM_STACK", std::nullopt};
};

template <class Error = std::invalid_argument>
std::string refusal_of(SimulatorOptions const& options = {}) {
  try {
    Simulator const target(options);
    return "accepted";
  } catch (Error const& error) {
    return error.what();
  }
}

TEST_F(Options, HaveDefaults) {
  Simulator const target;
  EXPECT_EQ(target.profile().name, "h200-sxm");
  EXPECT_EQ(to_string(target.engine_options().schedule), "rank");
  EXPECT_EQ(target.engine_options().workers, 0);
  EXPECT_EQ(target.engine_options().trace_path, "");
  EXPECT_EQ(target.engine_options().stack_bytes, 0U);
}

TEST_F(Options, ComeFromTheEnvironment) {
  Environment const profile("KOHORT_SIM_PROFILE", "tiny");
  Environment const schedule("KOHORT_SIM_SCHEDULE", "pct:3:7");
  Environment const threads("KOHORT_SIM_THREADS", "5");
  Environment const trace("KOHORT_SIM_TRACE", "placement.json");
  Environment const stack("KOHORT_SIM_STACK", "128");
  Simulator const target;
  EXPECT_EQ(target.profile().name, "tiny");
  EXPECT_EQ(to_string(target.engine_options().schedule), "pct:3:7");
  EXPECT_EQ(target.engine_options().workers, 5);
  EXPECT_EQ(target.engine_options().trace_path, "placement.json");
  EXPECT_EQ(target.engine_options().stack_bytes, 128U * 1024);
}

TEST_F(Options, PreferWhatTheProgramSays) {
  Environment const profile("KOHORT_SIM_PROFILE", "no-such-profile");
  Environment const schedule("KOHORT_SIM_SCHEDULE", "no-such-schedule");
  Environment const threads("KOHORT_SIM_THREADS", "many");
  Environment const stack("KOHORT_SIM_STACK", "deep");
  SimulatorOptions options;
  options.profile = "tiny";
  options.schedule = "reverse";
  options.workers = 3;
  options.stack_kib = 32;
  Simulator const target(options);
  EXPECT_EQ(target.profile().name, "tiny");
  EXPECT_EQ(to_string(target.engine_options().schedule), "reverse");
  EXPECT_EQ(target.engine_options().workers, 3);
  EXPECT_EQ(target.engine_options().stack_bytes, 32U * 1024);
}

TEST_F(Options, TakeAnEmptyVariableForNone) {
  Environment const profile("KOHORT_SIM_PROFILE", "");
  Environment const schedule("KOHORT_SIM_SCHEDULE", "");
  Environment const threads("KOHORT_SIM_THREADS", "");
  Simulator const target;
  EXPECT_EQ(target.profile().name, "h200-sxm");
  EXPECT_EQ(to_string(target.engine_options().schedule), "rank");
  EXPECT_EQ(target.engine_options().workers, 0);
}

TEST_F(Options, RefuseNumbersThatDoNotFit) {
  for (char const* value : {"many", "-1", "257", "2x", "1.5", "99999999999999999999", " "}) {
    Environment const threads("KOHORT_SIM_THREADS", value);
    EXPECT_EQ(refusal_of(), "kohort: KOHORT_SIM_THREADS is \"" + std::string(value) +
                                "\": a whole number from 0 (the default) to 256 fits");
  }
  SimulatorOptions options;
  options.workers = -2;
  EXPECT_EQ(
      refusal_of(options),
      "kohort: KOHORT_SIM_THREADS is \"-2\": a whole number from 0 (the default) to 256 fits");
}

TEST_F(Options, RefuseAStackThatIsTooSmall) {
  Environment const stack("KOHORT_SIM_STACK", "8");
  EXPECT_THAT(refusal_of(), HasSubstr("KOHORT_SIM_STACK is 8: a simulated thread needs 16 KiB"));
}

TEST_F(Options, RefuseAScheduleThatIsNone) {
  Environment const schedule("KOHORT_SIM_SCHEDULE", "fifo");
  EXPECT_THAT(refusal_of<simulator::ScheduleError>(),
              HasSubstr("schedule \"fifo\": expected a schedule"));
}

TEST_F(Options, RefuseAProfileThatIsNone) {
  Environment const profile("KOHORT_SIM_PROFILE", "h2000");
  EXPECT_THAT(refusal_of<simulator::ProfileError>(), HasSubstr("h200-sxm"));
}

TEST_F(Options, AreSharedByCopiesOfATarget) {
  using Policy = ClusterPolicy<Simulator>;
  Simulator const target = simulated({.profile = "tiny"});
  Simulator const copy = target;
  parallel_for("shared", Policy(copy, 3, 4), KOHORT_LAMBDA(Policy::member_type const&){});
  EXPECT_EQ(target.last_counts().teams, 3);
}

TEST_F(Options, GiveWayToAnOverride) {
  using Policy = ClusterPolicy<Simulator>;
  simulator::EventLog log;
  Simulator const target = simulated({.schedule = "rank", .observers = {&log}});
  {
    simulator::ScheduleOverride const override(simulator::parse_schedule("reverse"));
    parallel_for("override", Policy(target, 1, 1), KOHORT_LAMBDA(Policy::member_type const&){});
  }
  EXPECT_THAT(log.text(), HasSubstr("schedule reverse"));
}

TEST_F(Options, ALaunchInsideAKernelIsRefused) {
  using Policy = ClusterPolicy<Simulator>;
  Simulator const target = simulated();
  auto const finding = finding_of([&] {
    parallel_for("outer", Policy(target, 1, 1), [target](Policy::member_type const&) {
      parallel_for("inner", Policy(target, 1, 1), [](Policy::member_type const&) {});
    });
  });
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->what(), HasSubstr("launch of \"inner\" from inside a kernel"));
}

}  // namespace
}  // namespace kohort::tests
