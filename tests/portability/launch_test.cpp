// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches on the simulator: what the ladder can't ask of a GPU.
#include <kohort/kohort.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using kohort::ClusterPolicy;
using kohort::ClusterScratch;
using kohort::Finding;
using kohort::LaunchError;
using kohort::Simulator;
using kohort::SimulatorOptions;
using ::testing::HasSubstr;

Simulator simulated(char const* profile, char const* schedule = "", int workers = 0) {
  SimulatorOptions options;
  options.profile = profile;
  options.schedule = schedule;
  options.workers = workers;
  return Simulator(options);
}

TEST(Launch, HandsOnAnExceptionOfTheKernelWithLabelTeamAndThread) {
  using Policy = ClusterPolicy<Simulator>;
  Simulator const target;
  auto const launch = [&](int bad_team) {
    kohort::parallel_for(
        "throws", Policy(target, 8, 16), KOHORT_LAMBDA(Policy::member_type const& member) {
          if (member.league_rank() == bad_team && member.team_rank() == 5)
            throw std::runtime_error("cell 41 is negative");
        });
  };
  try {
    launch(3);
    FAIL() << "nothing was thrown";
  } catch (Finding const& finding) {
    EXPECT_EQ(finding.id(), "kernel-exception");
    EXPECT_EQ(finding.label(), "throws");
    EXPECT_THAT(finding.what(), HasSubstr("cell 41 is negative"));
    EXPECT_THAT(finding.what(), HasSubstr("thread 5"));
    ASSERT_TRUE(finding.cause());
    EXPECT_THROW(std::rethrow_exception(finding.cause()), std::runtime_error);
  }
  EXPECT_NO_THROW(launch(-1)) << "the target stays usable";
}

TEST(Launch, ThrowsInAClusterThatWaitsAtABarrier) {
  using Policy = ClusterPolicy<Simulator, ClusterScratch<int>>;
  Simulator const target;
  EXPECT_THROW(kohort::parallel_for(
                   "throws_beside_a_barrier", Policy(target, 8, 16, 4),
                   KOHORT_LAMBDA(Policy::member_type const& member) {
                     if (member.league_rank() == 6 && member.team_rank() == 0)
                       throw std::logic_error("not now");
                     member.cluster_barrier();
                   }),
               Finding);
}

TEST(Launch, RefusesNativeClustersWhereTheProfileHasNone) {
  using Policy = ClusterPolicy<Simulator>;
  for (char const* profile : {"mi350x", "a100"}) {
    Policy policy(simulated(profile), 4, 32, 2);
    kohort::parallel_for("emulated", policy, KOHORT_LAMBDA(Policy::member_type const&){});
    try {
      kohort::parallel_for("pairs", policy.mode(kohort::ClusterMode::native),
                           KOHORT_LAMBDA(Policy::member_type const&){});
      FAIL() << profile << " took a native cluster of two";
    } catch (LaunchError const& error) {
      EXPECT_THAT(error.device(), HasSubstr(profile));
      EXPECT_THAT(error.limit(), HasSubstr("has no thread-block clusters"));
      EXPECT_EQ(error.would_work(),
                "a cluster of 1, or ClusterMode::automatic, which emulates clusters there");
    }
  }
}

TEST(Launch, ReadsAsTheDesignsExampleOfARefusal) {
  using Policy = ClusterPolicy<Simulator, kohort::DynamicClusterScratch<char>>;
  Policy policy(simulated("h200-sxm"), 64, 1024, 16);
  policy.dynamic_cluster_scratch(232448);
  try {
    kohort::parallel_for("row_softmax", policy, KOHORT_LAMBDA(Policy::member_type const&){});
    FAIL() << "16 teams were taken without opting in";
  } catch (LaunchError const& error) {
    EXPECT_STREQ(error.what(),
                 "kohort: launch of \"row_softmax\" refused on Simulator (h200-sxm)\n"
                 "  asked for   league 64×1×1, cluster 16×1×1, 1024 threads, 232448 B scratch a "
                 "team\n"
                 "  limit       a cluster over 8 needs allow_nonportable_size()\n"
                 "  would work  cluster 8 (15 resident at once), or 16 with "
                 "allow_nonportable_size() (7 resident; 20 of 132 SMs stand idle)");
  }
}

/// One ring under every named schedule, profile and number of workers: the result never differs.
TEST(Launch, GivesTheSameResultUnderEverySchedule) {
  using Policy = ClusterPolicy<Simulator, ClusterScratch<int[32]>>;
  std::vector<int> expected;
  for (int team = 0; team < 24; ++team) {
    for (int thread = 0; thread < 32; ++thread) expected.push_back((team ^ 1) * 100 + 31 - thread);
  }
  for (char const* profile : {"h200-sxm", "tiny"}) {
    for (char const* schedule : {"rank", "reverse", "last:0", "last:1", "exit-first:0", "random:1",
                                 "random:2", "pct:3:1", "pct:2:9"}) {
      for (int workers : {1, 2}) {
        Simulator const target = simulated(profile, schedule, workers);
        kohort::Buffer<int, Simulator> const results(target, expected.size());
        int* const result = results.data();
        kohort::parallel_for(
            "ring", Policy(target, 24, 32, 2), KOHORT_LAMBDA(Policy::member_type const& member) {
              auto tile = member.cluster_scratch();
              int const thread = member.team_rank();
              tile[thread] = member.league_rank() * 100 + thread;
              member.cluster_barrier();
              auto other = member.peer(tile, 1 - member.cluster_rank());
              result[member.league_rank() * 32 + thread] = other[31 - thread];
            });
        std::vector<int> seen(expected.size());
        kohort::deep_copy(seen, results);
        EXPECT_EQ(seen, expected) << profile << ", " << schedule << ", " << workers << " workers";
      }
    }
  }
}

TEST(Policy, RefusesNegativeLengthsOfDynamicScratch) {
  using Policy =
      ClusterPolicy<Simulator, kohort::DynamicTeamScratch<int>, kohort::DynamicClusterScratch<int>>;
  Policy policy(Simulator(), 1, 1);
  EXPECT_THROW(policy.dynamic_team_scratch(-1), std::invalid_argument);
  EXPECT_THROW(policy.dynamic_cluster_scratch(-1), std::invalid_argument);
  policy.dynamic_team_scratch(10).dynamic_cluster_scratch(20);
  EXPECT_EQ(policy.request().scratch_bytes, 120);
}

TEST(Policy, CountsTheScratchOfItsTraits) {
  using Policy = ClusterPolicy<Simulator, kohort::TeamScratch<char[10]>, ClusterScratch<double[2]>>;
  EXPECT_EQ(Policy(Simulator(), 1, 1).request().scratch_bytes, 32);
}

}  // namespace
