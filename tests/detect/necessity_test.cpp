// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/halo/row_stencil.hpp>
#include <kernels/histogram/histogram.hpp>
#include <kernels/reduce/reduction.hpp>
#include <kohort/kohort.hpp>
#include <kohort/testing/necessity.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace kohort::detect {
namespace {

using testing::BarrierNecessity;

Simulator checked(std::string const& profile = "h200-sxm") {
  return Simulator({.mode = "check", .profile = profile, .workers = 2});
}

testing::ExploreOptions few() { return {.pct_schedules = 2, .random_schedules = 2}; }

/// A kernel with one barrier that orders nothing, at `redundant`, among others that are needed.
struct Planted {
  std::string name;
  void (*run)(int& redundant);
  friend void PrintTo(Planted const& one, std::ostream* stream) { *stream << one.name; }
};

using Team = ClusterPolicy<Simulator, TeamScratch<int[64]>>;
using Pair = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<int[64]>>;
using TeamMember = Team::member_type;
using PairMember = Pair::member_type;

/// Launches over two teams of 64 threads with a result a thread.
template <class Policy, class Kernel>
void launch(Kernel const& kernel) {
  Simulator const target = checked();
  Buffer<int, Simulator> const out(target, 128);
  int* const results = out.data();
  parallel_for("planted", Policy(target, 2, 64), [=](typename Policy::member_type const& member) {
    kernel(member, results[member.league_rank() * 64 + member.team_rank()]);
  });
}

void after_the_last_access(int& redundant) {
  redundant = __LINE__ + 6;
  launch<Team>([](TeamMember const& member, int& result) {
    int const thread = member.team_rank();
    member.team_scratch()[thread] = thread;
    member.team_barrier();
    result = member.team_scratch()[thread ^ 1];
    member.team_barrier();
  });
}

void before_the_first_access(int& redundant) {
  redundant = __LINE__ + 3;
  launch<Team>([](TeamMember const& member, int& result) {
    int const thread = member.team_rank();
    member.team_barrier();
    member.team_scratch()[thread] = thread;
    member.team_barrier();
    result = member.team_scratch()[thread ^ 1];
  });
}

void around_ones_own_cells(int& redundant) {
  redundant = __LINE__ + 4;
  launch<Team>([](TeamMember const& member, int& result) {
    int& mine = member.team_scratch()[member.team_rank()];
    mine = 1;
    member.team_barrier();
    mine += 1;
    member.team_barrier();
    result = member.team_scratch()[63 - member.team_rank()];
  });
}

void between_two_reads(int& redundant) {
  redundant = __LINE__ + 6;
  launch<Team>([](TeamMember const& member, int& result) {
    int const thread = member.team_rank();
    member.team_scratch()[thread] = thread;
    member.team_barrier();
    int const above = member.team_scratch()[thread ^ 1];
    member.team_barrier();
    result = above + member.team_scratch()[thread ^ 2];
  });
}

void cluster_barrier_for_one_team(int& redundant) {
  redundant = __LINE__ + 7;
  launch<Pair>([](PairMember const& member, int& result) {
    int const thread = member.team_rank();
    auto const cells = member.cluster_scratch();
    cells[thread] = thread;
    member.cluster_barrier();
    int const theirs = member.peer(cells, member.cluster_rank() ^ 1)[thread];
    member.cluster_barrier();
    result = theirs;
  });
}

void team_barrier_behind_a_cluster_barrier(int& redundant) {
  redundant = __LINE__ + 5;
  launch<Pair>([](PairMember const& member, int& result) {
    auto const cells = member.cluster_scratch();
    cells[member.team_rank()] = 1;
    member.cluster_barrier();
    member.team_barrier();
    result = member.peer(cells, member.cluster_rank() ^ 1)[63 - member.team_rank()];
  });
}

void subgroup_barrier_behind_a_team_barrier(int& redundant) {
  redundant = __LINE__ + 4;
  launch<Team>([](TeamMember const& member, int& result) {
    member.team_scratch()[member.team_rank()] = 1;
    member.team_barrier();
    member.subgroup_barrier();
    result = member.team_scratch()[member.team_rank() ^ 32];
  });
}

void named_barrier_for_nothing(int& redundant) {
  redundant = __LINE__ + 3;
  launch<Team>([](TeamMember const& member, int& result) {
    member.team_scratch()[member.team_rank()] = 1;
    if (member.subgroup_rank() == 0) member.named_barrier(1, 1);
    member.team_barrier();
    result = member.team_scratch()[member.team_rank() ^ 32];
  });
}

void thrice_a_round(int& redundant) {
  redundant = __LINE__ + 11;
  launch<Team>([](TeamMember const& member, int& result) {
    int const thread = member.team_rank();
    int* const cells = &member.team_scratch()[0];
    cells[thread] = thread;
    for (int round = 0; round < 3; ++round) {
      int const mine = cells[thread];
      member.team_barrier();
      int const theirs = cells[thread ^ 1];
      member.team_barrier();
      cells[thread] = mine + theirs;
      member.team_barrier();
    }
    result = cells[thread];
  });
}

void split_barrier_after_the_last_exchange(int& redundant) {
  redundant = __LINE__ + 6;
  launch<Pair>([](PairMember const& member, int& result) {
    auto const cells = member.cluster_scratch();
    cells[member.team_rank()] = 1;
    member.cluster_barrier();
    result = member.peer(cells, member.cluster_rank() ^ 1)[member.team_rank()];
    auto token = member.cluster_arrive();
    result += 1;
    member.cluster_wait(std::move(token));
  });
}

void behind_a_reduction(int& redundant) {
  redundant = __LINE__ + 3;
  launch<Team>([](TeamMember const& member, int& result) {
    int const sum = member.team_reduce(member.team_rank());
    member.team_barrier();
    member.team_scratch()[member.team_rank()] = sum;
    result = member.team_scratch()[member.team_rank()];
  });
}

class PlantedBarrier : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedBarrier, IsTheOnlyRedundantOne) {
  int redundant = 0;
  BarrierNecessity const necessity =
      testing::barrier_necessity([&] { GetParam().run(redundant); }, few());
  ASSERT_TRUE(necessity.as_it_is.ok) << necessity;
  std::vector<testing::BarrierVerdict> const found = necessity.redundant();
  ASSERT_EQ(found.size(), 1U) << necessity;
  EXPECT_EQ(found.front().site.line, redundant) << necessity;
}

std::string name_of(::testing::TestParamInfo<Planted> const& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Kernel, PlantedBarrier,
    ::testing::Values(
        Planted{"after_the_last_access", after_the_last_access},
        Planted{"before_the_first_access", before_the_first_access},
        Planted{"around_ones_own_cells", around_ones_own_cells},
        Planted{"between_two_reads", between_two_reads},
        Planted{"cluster_barrier_for_one_team", cluster_barrier_for_one_team},
        Planted{"team_barrier_behind_a_cluster_barrier", team_barrier_behind_a_cluster_barrier},
        Planted{"subgroup_barrier_behind_a_team_barrier", subgroup_barrier_behind_a_team_barrier},
        Planted{"named_barrier_for_nothing", named_barrier_for_nothing},
        Planted{"thrice_a_round", thrice_a_round},
        Planted{"split_barrier_after_the_last_exchange", split_barrier_after_the_last_exchange},
        Planted{"behind_a_reduction", behind_a_reduction}),
    name_of);

/// Every barrier in kernels/ is necessary, or gone.
void expect_no_redundant_barrier(std::function<void()> const& body) {
  BarrierNecessity const necessity = testing::barrier_necessity(body, few());
  EXPECT_TRUE(necessity.as_it_is.ok) << necessity;
  EXPECT_FALSE(necessity.barriers.empty());
  EXPECT_TRUE(necessity.redundant().empty()) << necessity;
}

TEST(BarriersOfKernels, OfReduceAreNecessary) {
  using kernels::reduce::Variant;
  for (Variant const variant : kernels::reduce::all_variants) {
    SCOPED_TRACE(to_string(variant));
    expect_no_redundant_barrier([&] {
      Simulator const target = checked();
      int const cluster = variant == Variant::one_atomic_a_cluster ? 2 : 1;
      kernels::reduce::Reduction<Simulator, float> const reduction(target, variant, 64, cluster);
      Buffer<float, Simulator> const in(target, 5000);
      deep_copy(in, 1.0F);
      reduction.launch(in.data(), 5000);
      EXPECT_EQ(reduction.read_result(), 5000.0F);
    });
  }
}

TEST(BarriersOfKernels, OfHaloAreNecessary) {
  expect_no_redundant_barrier([] {
    // Few SMs, so that a cluster has rounds enough to come to each of its tiles again.
    Simulator const target = checked("tiny");
    std::vector<float> const weights{0.5F, 0.25F};
    kernels::halo::RowStencil<Simulator, float> const stencil(target, weights, ClusterShape(2));
    Buffer<float, Simulator> const in(target, 20000);
    Buffer<float, Simulator> const out(target, 20000);
    deep_copy(in, 1.0F);
    stencil.launch(in.data(), out.data(), 20000, 1);
  });
}

TEST(BarriersOfKernels, OfHistogramAreNecessary) {
  expect_no_redundant_barrier([] {
    Simulator const target = checked("tiny");
    kernels::histogram::Histogram<Simulator> const histogram(
        target, kernels::histogram::Bins(64, 0, 1), 64, ClusterShape(2));
    std::vector<int> samples(20000);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<int>(i * 7 % 64);
    Buffer<int, Simulator> const in(target, samples.size());
    Buffer<unsigned, Simulator> const out(target, 64);
    deep_copy(in, samples);
    histogram.launch(in.data(), static_cast<long long>(samples.size()), out.data());
  });
}

TEST(BarrierNecessityOfAFaultyKernel, SaysNothingOfItsBarriers) {
  BarrierNecessity const necessity = testing::barrier_necessity([] {
    launch<Team>([](TeamMember const& member, int& result) {
      member.team_barrier();
      member.team_scratch()[member.team_rank()] = 1;
      result = member.team_scratch()[member.team_rank() ^ 1];
    });
  });
  EXPECT_EQ(necessity.as_it_is.id, "race-team-scratch");
  EXPECT_TRUE(necessity.barriers.empty());
}

}  // namespace
}  // namespace kohort::detect
