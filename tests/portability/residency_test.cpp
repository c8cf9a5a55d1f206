// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// max_active_clusters() and kin against what one H200's driver answered (docs/results: 48 values).
#include <kohort/kohort.hpp>

#include <gtest/gtest.h>

#include <array>

namespace {

using kohort::ClusterPolicy;
using kohort::DynamicTeamScratch;
using kohort::Simulator;
using kohort::SimulatorOptions;

using Policy = ClusterPolicy<Simulator, DynamicTeamScratch<char>>;

struct Nothing {
  void operator()(Policy::member_type const&) const {}
};

Simulator simulated(char const* profile) {
  SimulatorOptions options;
  options.profile = profile;
  return Simulator(options);
}

/// A way to have so many teams an SM, and cudaOccupancyMaxActiveClusters for sizes 1 … 16.
struct Row {
  int teams_per_sm;
  int threads;
  int scratch_bytes;
  std::array<int, 16> resident;
};

constexpr Row rows[] = {
    {1, 128, 232448, {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7}},
    {2, 1024, 0, {264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 16, 14, 14, 14, 14}},
    {8, 128, 27000, {1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 81, 74, 67, 65, 58, 58}},
};

TEST(Residency, EqualsTheDriversAnswersForAnH200) {
  Simulator const target = simulated("h200-sxm");
  for (Row const& row : rows) {
    for (int size = 1; size <= 16; ++size) {
      Policy policy(target, size, row.threads, size);
      policy.allow_nonportable_size().dynamic_team_scratch(row.scratch_bytes);
      EXPECT_EQ(policy.max_active_clusters(Nothing()), row.resident[size - 1])
          << row.teams_per_sm << " teams an SM, clusters of " << size;
    }
  }
}

TEST(Residency, KnowsTheLargestClusterOfEachProfile) {
  struct Largest {
    char const* profile;
    int portable;
    int nonportable;
  };
  for (Largest const& expected : {Largest{"h200-sxm", 8, 16}, Largest{"tiny", 2, 4},
                                  Largest{"mi350x", 8, 16}, Largest{"a100", 8, 16}}) {
    Policy policy(simulated(expected.profile), 1, 32);
    EXPECT_EQ(policy.max_cluster_size(Nothing()), expected.portable) << expected.profile;
    policy.allow_nonportable_size();
    EXPECT_EQ(policy.max_cluster_size(Nothing()), expected.nonportable) << expected.profile;
  }
}

TEST(Residency, IsNothingForALaunchThatCanNotBe) {
  Simulator const target = simulated("h200-sxm");
  EXPECT_EQ(Policy(target, 16, 32, 16).max_active_clusters(Nothing()), 0);
  EXPECT_EQ(Policy(target, 4, 2048).max_active_clusters(Nothing()), 0);
  Policy too_large(target, 4, 32);
  too_large.dynamic_team_scratch(232449);
  EXPECT_EQ(too_large.max_cluster_size(Nothing()), 0);
}

}  // namespace
