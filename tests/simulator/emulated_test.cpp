// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulator makes of emulated clusters: where they run, on parts with other numbers of
// dies too, how they are dealt out, and what it says of kernels at fault.
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kohort::tests {
namespace {

using ::testing::HasSubstr;

struct Place {
  int group;
  int sm;
};

/// The group and SM of every team of a league of `clusters` pairs.
std::vector<Place> places(Simulator const& target, int clusters, int size = 2) {
  using Policy = ClusterPolicy<Simulator>;
  std::vector<Place> all(static_cast<std::size_t>(clusters * size));
  Place* const place = all.data();
  parallel_for("places", Policy(target, clusters * size, 64, size),
               [=](Policy::member_type const& member) {
                 if (member.team_rank() == 0)
                   place[member.league_rank()] = {member.sm_group(), member.sm()};
               });
  return all;
}

std::map<int, int> clusters_by_group(std::vector<Place> const& all, int size = 2) {
  std::map<int, int> count;
  for (std::size_t team = 0; team < all.size(); team += static_cast<std::size_t>(size))
    ++count[all[team].group];
  return count;
}

/// rocm-systems#10326: all work went to one XCD.
TEST(Emulated, SpreadsWorkOverEveryDie) {
  for (auto const& [profile, dies] :
       {std::pair{"mi350x", 8}, std::pair{"mi300x", 8}, std::pair{"mi350x-dpx", 4}}) {
    auto const count = clusters_by_group(places(simulated({.profile = profile}), 160));
    EXPECT_EQ(count.size(), static_cast<std::size_t>(dies)) << profile;
    for (auto const& [group, clusters] : count)
      EXPECT_EQ(clusters, 160 / dies) << profile << ", XCD " << group;
  }
}

/// aiter#5505: eight dies assumed, on parts with four and with one.
TEST(Emulated, KeepsClustersWithinADieOfAnyPart) {
  for (char const* profile : {"mi350x", "mi300x", "mi350x-dpx"}) {
    auto const all = places(simulated({.profile = profile}), 50, 4);
    for (std::size_t team = 0; team < all.size(); ++team) {
      EXPECT_EQ(all[team].group, all[team / 4 * 4].group) << profile << ", team " << team;
      EXPECT_GE(all[team].group, 0) << profile;
    }
  }
  // One XCD: one domain, as on a device with one cache.
  for (char const* profile : {"mi350x-cpx", "a100"})
    for (Place const& place : places(simulated({.profile = profile}), 20))
      EXPECT_EQ(place.group, -1) << profile;
}

/// Where the hardware's turn stands is nothing to rely on: the seed moves it.
TEST(Emulated, DealsTeamsOutFromWhereTheSeedSays) {
  std::set<int> first;
  for (int seed = 0; seed < 20; ++seed) {
    auto const all =
        places(simulated({.schedule = "random:" + std::to_string(seed), .profile = "mi350x"}), 8);
    first.insert(all.front().sm);
  }
  EXPECT_GT(first.size(), 3U);
}

TEST(Emulated, CountsWhatTheKernelIs) {
  Simulator const target = simulated({.profile = "mi350x"});
  places(target, 33);
  EXPECT_EQ(target.last_counts().clusters, 33);
  EXPECT_EQ(target.last_counts().teams, 66);
  EXPECT_EQ(target.last_counts().threads, 66 * 64);
}

/// vllm#41189, in clusters: a barrier over more than is resident.
TEST(Emulated, DiagnosesAGridBarrierOverMoreThanIsResident) {
  using Policy = ClusterPolicy<Simulator, DynamicTeamScratch<char>>;
  Simulator const target = simulated({.profile = "mi350x-cpx"});
  auto const policy = [&](int clusters) {
    Policy made(target, 2 * clusters, 64, 2);
    made.dynamic_team_scratch(163840);
    return made;
  };
  int const resident = policy(1).max_active_clusters([](auto const&) {});
  EXPECT_EQ(resident, 16);
  auto const meet = [&](int clusters) {
    auto const arrived = cell(target);
    int* const count = arrived.data();
    parallel_for("grid_barrier", policy(clusters), [=](Policy::member_type const& member) {
      if (member.team_rank() != 0) return;
      atomic_add(count, 1);
      while (atomic_load(count) != member.league_size()) {
      }
    });
  };
  EXPECT_NO_THROW(meet(resident));
  EXPECT_EQ(id_of([&] { meet(resident + 1); }), "spin-without-progress");
}

TEST(Emulated, NamesAPeerThatIsNot) {
  using Policy = ClusterPolicy<Simulator, ClusterScratch<int>>;
  Simulator const target = simulated({.profile = "mi350x"});
  auto const finding = finding_of([&] {
    parallel_for("no_such_peer", Policy(target, 4, 64, 2), [=](Policy::member_type const& member) {
      *member.peer(member.cluster_scratch(), 2) = 1;
    });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "peer-rank");
  EXPECT_THAT(finding->what(), HasSubstr("the cluster has 2 teams"));
}

/// A team that misses a cluster barrier: its peers wait, and are told of.
TEST(Emulated, DiagnosesABarrierThatATeamMisses) {
  using Policy = ClusterPolicy<Simulator>;
  Simulator const target = simulated({.profile = "mi350x"});
  auto const finding = finding_of([&] {
    parallel_for("misses_one", Policy(target, 4, 64, 4), [=](Policy::member_type const& member) {
      if (member.cluster_rank() != 3) member.cluster_barrier();
      member.cluster_barrier();
    });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "spin-without-progress");
}

/// A launch that ended in a finding leaves the target usable.
TEST(Emulated, GoesOnAfterAFinding) {
  using Policy = ClusterPolicy<Simulator, ClusterScratch<int>>;
  Simulator const target = simulated({.profile = "mi350x"});
  EXPECT_THROW(parallel_for("throws", Policy(target, 4, 64, 2),
                            [=](Policy::member_type const& member) {
                              if (member.league_rank() == 3) throw std::runtime_error("no");
                              member.cluster_barrier();
                            }),
               Finding);
  EXPECT_EQ(places(target, 5).size(), 10U);
}

TEST(Emulated, TakesTheModeOfTheEnvironment) {
  {
    Environment const mode("KOHORT_CLUSTER_MODE", "emulated");
    EXPECT_EQ(properties(Simulator()).cluster_mode, ClusterMode::emulated);
    SimulatorOptions options;
    options.clusters = "native";
    EXPECT_EQ(properties(Simulator(options)).cluster_mode, ClusterMode::native);
  }
  Environment const wrong("KOHORT_CLUSTER_MODE", "soft");
  try {
    Simulator const target;
    FAIL() << "a mode called soft was taken";
  } catch (std::invalid_argument const& error) {
    EXPECT_THAT(error.what(), HasSubstr("KOHORT_CLUSTER_MODE is \"soft\""));
    EXPECT_THAT(error.what(), HasSubstr("automatic, native and emulated"));
  }
}

}  // namespace
}  // namespace kohort::tests
