// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory that somebody named: what reports call it in place of "a Buffer".
#include <kohort/kohort.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace kohort::detect {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Policy = ClusterPolicy<Simulator>;

void name(int* cells) {
  simulator::name_memory(cells, [](std::ptrdiff_t byte) {
    return "the table at " + std::to_string(byte / static_cast<std::ptrdiff_t>(sizeof(int)));
  });
}

/// The report of one thread that writes cell `index`.
std::string report_of(Simulator const& target, int* cells, int index) {
  try {
    parallel_for("writes", Policy(target, 1, 1),
                 [=](Policy::member_type const&) { cells[index] = 1; });
    return "nothing was found";
  } catch (Finding const& finding) {
    return finding.what();
  }
}

TEST(NamedMemory, IsCalledByItsNameInsideAndAround) {
  Simulator const target({.mode = "check", .workers = 1});
  Buffer<int, Simulator> const table(target, 100);
  Buffer<int, Simulator> const other(target, 100);
  name(table.data());
  EXPECT_EQ(report_of(target, table.data(), 99), "nothing was found");
  std::string const beyond = report_of(target, table.data(), 102);
  EXPECT_THAT(beyond, HasSubstr("the table at 102"));
  EXPECT_THAT(beyond, Not(HasSubstr("Buffer of")));
  EXPECT_THAT(report_of(target, other.data(), 102), HasSubstr("a Buffer of 400 B"));
}

TEST(NamedMemory, KeepsItsNameAfterItsEnd) {
  Simulator const target({.mode = "check", .workers = 1});
  int* gone = nullptr;
  {
    Buffer<int, Simulator> const table(target, 100);
    name(table.data());
    gone = table.data();
  }
  EXPECT_THAT(report_of(target, gone, 7), HasSubstr("freed the table at 7"));
}

TEST(NamedMemory, OfTheHostIsLeftAlone) {
  int cells[4] = {};
  EXPECT_FALSE(simulator::is_device_memory(cells));
  name(cells);
  Simulator const target({.mode = "check", .workers = 1});
  Buffer<int, Simulator> const table(target, 4);
  EXPECT_TRUE(simulator::is_device_memory(table.data()));
}

}  // namespace
}  // namespace kohort::detect
