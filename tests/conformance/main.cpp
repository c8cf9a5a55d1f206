// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>

namespace {

using kohort::conformance::Case;
using kohort::conformance::CaseSkipped;
using kohort::conformance::CheckFailure;

/// Set where a device must be there: an absent one is then a failure, not a skipped case.
bool device_is_required() {
  char const* const value = std::getenv("KOHORT_TEST_REQUIRE_DEVICE");
  return value != nullptr && std::string(value) == "1";
}

class ConformanceTest : public ::testing::Test {
 public:
  explicit ConformanceTest(Case const& one) : case_(one) {}

  void TestBody() override {
    if (case_.target != "Simulator" && skipped_for_want_of_a_device()) return;
    try {
      case_.run();
    } catch (CheckFailure const& failure) {
      ADD_FAILURE_AT(failure.site().file, failure.site().line) << failure.what();
    } catch (CaseSkipped const& skipped) {
      [&] { GTEST_SKIP() << case_.rung << '.' << case_.name << ": " << skipped.what(); }();
    } catch (std::exception const& error) {
      ADD_FAILURE_AT(case_.site.file, case_.site.line) << "an exception: " << error.what();
    }
  }

 private:
  bool skipped_for_want_of_a_device() {
    std::string const why = case_.why_absent();
    if (why.empty()) return false;
    if (device_is_required()) {
      ADD_FAILURE() << "KOHORT_TEST_REQUIRE_DEVICE is 1, and " << case_.target
                    << " can't be used: " << why;
    } else {
      [&] { GTEST_SKIP() << case_.target << " can't be used on this machine: " << why; }();
    }
    return true;
  }

  Case const& case_;
};

/// @return false if two cases bear one name: GoogleTest would run both under it
bool names_are_unique() {
  std::set<std::string> names;
  for (Case const& one : kohort::conformance::registry()) {
    std::string const name = one.target + "/" + one.rung + "." + one.name;
    if (!names.insert(name).second) {
      std::fprintf(stderr, "two conformance cases are called %s\n", name.c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!names_are_unique()) return 2;
  for (Case const& one : kohort::conformance::registry()) {
    ::testing::RegisterTest((one.target + "/" + one.rung).c_str(), one.name.c_str(), nullptr,
                            nullptr, one.site.file, one.site.line,
                            [&one]() -> ::testing::Test* { return new ConformanceTest(one); });
  }
  return RUN_ALL_TESTS();
}
