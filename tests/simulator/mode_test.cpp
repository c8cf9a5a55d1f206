// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This program is not instrumented: mode check must refuse it, not stay silent.
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace kohort::tests {
namespace {

using ::testing::HasSubstr;

std::string refusal(SimulatorOptions const& options) {
  using Policy = ClusterPolicy<Simulator>;
  try {
    Simulator const target(options);
    parallel_for("plain", Policy(target, 1, 1), [](Policy::member_type const&) {});
    return "nothing was refused";
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
}

TEST(ModeCheck, RefusesAKernelThatIsNotInstrumented) {
  std::string const text = refusal({.mode = "check"});
#if defined(__SANITIZE_ADDRESS__)
  EXPECT_THAT(text, HasSubstr("AddressSanitizer"));
#else
  EXPECT_THAT(text, HasSubstr("kohort_check_target"));
#endif
  EXPECT_THAT(text, HasSubstr("\"plain\""));
}

TEST(ModeCheck, IsTakenFromTheEnvironment) {
  Environment const mode("KOHORT_SIM_MODE", "check");
  EXPECT_NE(refusal({}), "nothing was refused");
  EXPECT_EQ(refusal({.mode = "run"}), "nothing was refused");
}

TEST(Mode, OfAnotherNameIsRefusedWithTheList) {
  EXPECT_THAT(refusal({.mode = "chekc"}), HasSubstr("modes are run and check"));
}

}  // namespace
}  // namespace kohort::tests
