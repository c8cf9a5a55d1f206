// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace kohort::tests {
namespace {

/// A kernel on `target` that leaves its results, bit for bit, in the vector.
using Kernel = std::vector<float> (*)(Simulator const& target);

/// Float sums whose last bits tell in which order a cluster's threads came.
std::vector<float> add_to_the_first_team(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<4>, ClusterScratch<float>>;
  std::vector<float> results(24);
  float* const out = results.data();
  parallel_for(
      "remote_adds", Policy(target, 96, 24), KOHORT_LAMBDA(Policy::member_type const& member) {
        auto sum = member.cluster_scratch();
        if (member.team_rank() == 0) *sum = 0;
        member.cluster_barrier();
        float const share =
            1.0F / static_cast<float>(3 + member.team_rank() * 7 + member.cluster_rank() * 31);
        auto shared = member.peer(sum, 0);
        atomic_add(&*shared, share);
        member.team_barrier();
        atomic_add(&*shared, share * 1e-3F);
        member.cluster_barrier();
        if (member.cluster_rank() == 0 && member.team_rank() == 0)
          out[member.cluster_league_rank()] = *sum;
      });
  return results;
}

/// Team barriers, tiles and a split cluster barrier.
std::vector<float> reduce_and_exchange(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<float[64]>>;
  std::vector<float> results(40 * 64);
  float* const out = results.data();
  parallel_for(
      "reduce", Policy(target, 40, 64), KOHORT_LAMBDA(Policy::member_type const& member) {
        auto values = member.cluster_scratch();
        int const thread = member.team_rank();
        values[thread] = static_cast<float>(member.league_rank() + thread);
        auto token = member.cluster_arrive();
        float const tile = member.template subgroup_tile<16>().reduce(values[thread]);
        member.cluster_wait(std::move(token));
        auto neighbour = member.peer(values, member.cluster_rank() ^ 1);
        float const all = member.team_reduce(tile + neighbour[63 - thread], Sum{});
        out[member.league_rank() * 64 + thread] = all + tile;
      });
  return results;
}

/// No barrier at all: threads run to their end one after the other.
std::vector<float> scale(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator>;
  std::vector<float> results(300 * 5);
  float* const out = results.data();
  parallel_for(
      "scale", Policy(target, 300, 5), KOHORT_LAMBDA(Policy::member_type const& member) {
        int const element = member.league_rank() * 5 + member.team_rank();
        out[element] = 0.1F * static_cast<float>(element);
      });
  return results;
}

struct Recorded {
  std::string log;
  std::vector<float> results;
};

Recorded run(Kernel kernel, std::string const& schedule, int workers) {
  simulator::EventLog log;
  Simulator const target =
      simulated({.schedule = schedule, .workers = workers, .observers = {&log}});
  std::vector<float> results = kernel(target);
  return {log.text(), std::move(results)};
}

struct Case {
  std::string name;
  Kernel kernel;
  friend void PrintTo(Case const& one, std::ostream* stream) { *stream << one.name; }
};

class Determinism : public ::testing::TestWithParam<Case> {};

TEST_P(Determinism, GivesTheSameEventsAndBitsOnAnyNumberOfWorkers) {
  for (char const* schedule :
       {"rank", "reverse", "last:1", "exit-first:1", "late", "random:17", "pct:3:17",
        "replay:3:reverse", "replay:3:steps:5r2-9r3", "serial:random:17"}) {
    SCOPED_TRACE(schedule);
    Recorded const alone = run(GetParam().kernel, schedule, 1);
    EXPECT_GT(alone.log.size(), 1000U);
    for (int const workers : {1, 2, 16}) {
      Recorded const many = run(GetParam().kernel, schedule, workers);
      EXPECT_TRUE(many.log == alone.log) << workers << " workers";
      EXPECT_TRUE(many.results == alone.results) << workers << " workers";
    }
  }
}

TEST_P(Determinism, DiffersBetweenSeeds) {
  for (std::string const kind : {"random:", "pct:3:"}) {
    EXPECT_NE(run(GetParam().kernel, kind + "1", 1).log, run(GetParam().kernel, kind + "2", 1).log)
        << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernel, Determinism,
                         ::testing::Values(Case{"remote_adds", add_to_the_first_team},
                                           Case{"reduce", reduce_and_exchange},
                                           Case{"scale", scale}),
                         [](auto const& info) { return info.param.name; });

TEST(DeterminismOfResults, DependsOnTheScheduleWhereTheKernelDoes) {
  // The order of float additions is the kernel's own choice to leave open: schedules show it.
  EXPECT_NE(run(add_to_the_first_team, "rank", 1).results,
            run(add_to_the_first_team, "random:4", 1).results);
}

TEST(EventLog, TellsWhatHappenedInOrder) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<2>>;
  simulator::EventLog log;
  Simulator const target =
      simulated({.schedule = "reverse", .profile = "tiny", .observers = {&log}});
  CallSite const here = CallSite::current();
  parallel_for(
      "log", Policy(target, 2, 1),
      KOHORT_LAMBDA(Policy::member_type const& member) { member.cluster_barrier(here); });
  std::string const site = "simulator/determinism_test.cpp:" + std::to_string(here.line);
  EXPECT_EQ(log.text(),
            "launch log of 1 clusters, 1 threads a team, schedule reverse\n"
            "cluster 0 starts in slot 0, group 0, SMs 0 1\n"
            "t1.0 starts\n"
            "t1.0 cluster barrier kind 0 the launcher's entry guard\n"
            "t0.0 starts\n"
            "t0.0 cluster barrier kind 0 the launcher's entry guard\n"
            "cluster barrier complete\n"
            "t1.0 cluster barrier kind 1 " +
                site +
                "\n"
                "t0.0 cluster barrier kind 1 " +
                site +
                "\n"
                "cluster barrier complete\n"
                "t1.0 cluster barrier kind 2 the launcher's closing guard\n"
                "t0.0 cluster barrier kind 2 the launcher's closing guard\n"
                "cluster barrier complete\n"
                "t1.0 returns\n"
                "t0.0 returns\n"
                "cluster 0 ends after 9 steps\n");
}

TEST(EventLog, HoldsSeveralLaunches) {
  simulator::EventLog log;
  Simulator const target = simulated({.observers = {&log}});
  scale(target);
  std::string const first = log.text();
  scale(target);
  EXPECT_EQ(log.text(), first + first);
}

}  // namespace
}  // namespace kohort::tests
