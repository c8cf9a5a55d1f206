// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launching.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kohort::tests {
namespace {

/// Threads return between the first and the last arrivals, so the last one must see for itself
/// that nobody else can come: "silently" is the sentence for those who are gone, where a deadlock
/// would speak of those who wait elsewhere.
TEST(PartialBarrier, IsNoticedByTheLastArrivalAfterOthersReturned) {
  using Policy = ClusterPolicy<Simulator>;
  auto const finding = finding_of([] {
    parallel_for("gap", Policy(simulated(), 1, 256), [](Policy::member_type const& member) {
      bool const returns = member.team_rank() >= 100 && member.team_rank() < 200;
      if (!returns) member.team_barrier();
    });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "team-barrier-divergent");
  std::string const report = finding->what();
  EXPECT_NE(report.find("156 of 256"), std::string::npos) << report;
  EXPECT_NE(report.find("100 of 256"), std::string::npos) << report;
  EXPECT_NE(report.find("passes silently"), std::string::npos) << report;
}

}  // namespace
}  // namespace kohort::tests
