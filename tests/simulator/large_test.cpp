// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes that the engine promises: large clusters, and leagues whose memory does not grow.
#include "launching.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace kohort::tests {
namespace {

TEST(Large, RunsClustersOf16TeamsOf1024ThreadsOn16Workers) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<16>, ClusterScratch<int[1024]>>;
  Simulator const target = simulated({.workers = 16});
  std::vector<int> wrong(16 * 16, 0);
  int* const errors = wrong.data();
  Policy policy(target, 16 * 16, 1024);
  policy.allow_nonportable_size();
  parallel_for(
      "16x1024", policy, KOHORT_LAMBDA(Policy::member_type const& member) {
        auto mine = member.cluster_scratch();
        int const thread = member.team_rank();
        mine[thread] = member.league_rank() * 1024 + thread;
        member.cluster_barrier();
        int const next = (member.cluster_rank() + 1) % 16;
        int const expected = (member.league_rank() - member.cluster_rank() + next) * 1024 + thread;
        if (member.peer(mine, next)[thread] != expected) errors[member.league_rank()] = 1;
        member.cluster_barrier();
      });
  EXPECT_EQ(wrong, std::vector<int>(16 * 16, 0));
  EXPECT_EQ(target.last_counts().threads, 16 * 16 * 1024);
  EXPECT_EQ(target.last_counts().cluster_barriers, 2);
}

/// A line such as "VmHWM:	  123 kB" of this process's status, in bytes.
long long status_bytes(std::string const& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name + ":", 0) == 0) return std::stoll(line.substr(name.size() + 1)) * 1024;
  return -1;
}

constexpr long long gigabyte = 1'000'000'000;

/// Peak growth of the resident memory by a league of 2^20 teams, in units of 10 MB.
int growth_over_a_million_teams() {
  using Policy = ClusterPolicy<Simulator>;
  long long const before = status_bytes("VmRSS");
  Simulator const target = simulated({.workers = 1});
  long long passed = 0;
  long long* const sum = &passed;
  parallel_for(
      "a_million_teams", Policy(target, 1 << 20, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
        member.team_barrier();
        if (member.team_rank() == 0) ++*sum;
      });
  long long const growth = status_bytes("VmHWM") - before;
  if (passed != 1 << 20 || before < 0 || growth < 0) return 255;
  return static_cast<int>(std::min(growth / (gigabyte / 100), 254LL));
}

TEST(Large, RunsAMillionTeamsInUnderAGigabyte) {
  // In a child, whose peak starts anew: earlier tests of this process had theirs.
  pid_t const child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(growth_over_a_million_teams());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "status " << status;
  EXPECT_LT(WEXITSTATUS(status), 100) << "in units of 10 MB; 255: the kernel did not run";
}

TEST(Large, TakesNoMoreStacksForALongerLeague) {
  using Policy = ClusterPolicy<Simulator>;
  Simulator const target = simulated({.workers = 2});
  auto const launch = [&](int teams) {
    parallel_for(
        "stacks", Policy(target, teams, 512),
        KOHORT_LAMBDA(Policy::member_type const& member) { member.team_barrier(); });
    return status_bytes("VmSize");
  };
  launch(64);
  long long const before = launch(64);
  EXPECT_LE(launch(4096), before + 64 * 1024 * 1024);
}

}  // namespace
}  // namespace kohort::tests
