// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <kohort/simulator/cache.hpp>

#include <set>
#include <string>

#include "gemm_cases.hpp"

namespace kohort::kernels::gemm {
namespace {

constexpr std::uint64_t problems_a_test = 50;

class RandomProblems : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomProblems, EqualTheReference) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  std::set<std::string> kinds;
  int splits = 0;
  int in_parts = 0;
  int shared = 0;
  for (std::uint64_t i = 0; i < problems_a_test; ++i) {
    CaseResult const result = run_random_problem(simulator, GetParam() * problems_a_test + i);
    EXPECT_EQ(result.failure, "");
    kinds.insert(to_string(result.choice.kind));
    ClusterShape const& shape = result.choice.cut.cluster;
    splits += shape.z > 1 ? 1 : 0;
    in_parts += result.choice.cut.parts > 1 ? 1 : 0;
    shared += shape.x * shape.y > 1 ? 1 : 0;
  }
  EXPECT_GE(in_parts, 1) << "too few problems cut K into parts";
  EXPECT_GE(kinds.size(), 4U) << "the problems leave out kinds of tiles";
  EXPECT_GE(splits, 1) << "too few problems split K";
  EXPECT_GE(shared, 5) << "too few problems share tiles";
}

INSTANTIATE_TEST_SUITE_P(Gemm, RandomProblems, testing::Range<std::uint64_t>(0, 10));

/// A packed problem with K-major operands and nothing to do after it.
template <class In = bfloat16>
Trial<Simulator, In> plain_trial(Simulator const& simulator, long long m, long long n,
                                 long long k) {
  return {simulator, Problem{m, n, k}, Steps{}, 1};
}

Choice tiles(TileKind kind, ClusterShape cluster, TileOrder order = TileOrder::blocks,
             int parts = 1) {
  return {kind, {cluster, order, parts}};
}

/// The comparison itself: what it must find.
TEST(GemmReference, FindsAWrongElementOneLeftOutAndOneBeside) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto const trial = plain_trial<tfloat32>(simulator, 72, 40, 1000);
  trial.make_gemm().launch();
  EXPECT_TRUE(trial.compare().is_good());
  float& element = trial.d()[1234];
  float const right = element;
  element = right + 1;  // a product too many, as large as they are on average
  EXPECT_FALSE(trial.compare().is_good());
  element = std::nanf("");
  EXPECT_FALSE(trial.compare().is_good());
  element = right;
  EXPECT_TRUE(trial.compare().is_good());
  trial.d()[72 * 40] = 1;
  EXPECT_FALSE(trial.compare().is_good());
}

struct Share {
  ClusterShape cluster;
  double percent;
};

/// Tiles of 128 × 128, so that A and B count equally: a cluster of x × y fetches (x + y) / 2xy of
/// what teams alone fetch.
TEST(GemmTraffic, ClustersFetchTheShareThatTheirShapeSays) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto const trial = plain_trial(simulator, 512, 512, 256);
  for (Share const& share :
       {Share{{1, 1, 1}, 100}, Share{{2, 1, 1}, 75}, Share{{1, 2, 1}, 75}, Share{{2, 2, 1}, 50},
        Share{{4, 1, 1}, 62.5}, Share{{1, 4, 1}, 62.5}}) {
    auto const gemm = trial.make_gemm(tiles(TileKind::narrow, share.cluster));
    gemm.launch();
    long long const fetched = simulator.last_counts().bytes_to_scratch;
    EXPECT_EQ(static_cast<double>(fetched) * 100,
              share.percent * static_cast<double>(gemm.unshared_bytes()));
    EXPECT_EQ(gemm.unshared_bytes(), 16 * (128 + 128) * 128 * 4);
  }
}

template <class In>
void expect_traffic_as_counted(TileKind kind) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto const trial = plain_trial<In>(simulator, 400, 720, 336);
  for (ClusterShape const cluster :
       {ClusterShape(1), ClusterShape(4, 1), ClusterShape(2, 2), ClusterShape(1, 1, 2)}) {
    if (!can_split({kind, {cluster}})) continue;
    auto const gemm = trial.make_gemm(tiles(kind, cluster));
    gemm.launch();
    EXPECT_EQ(simulator.last_counts().bytes_to_scratch, gemm.fetched_bytes())
        << to_string(gemm.choice());
    EXPECT_GT(gemm.fetched_bytes_of_a(), 0);
    EXPECT_LT(gemm.fetched_bytes_of_a(), gemm.fetched_bytes());
  }
}

TEST(GemmTraffic, WhatTheLibrarySaysIsWhatTheSimulatorCounts) {
  expect_traffic_as_counted<bfloat16>(TileKind::wide);
  expect_traffic_as_counted<float16>(TileKind::narrow);
  expect_traffic_as_counted<tfloat32>(TileKind::slim);
  expect_traffic_as_counted<float8_e4m3>(TileKind::wide);
}

/// What the caches are asked for is what the launch fetches: of a multicast each slice once, and of
/// copies in software, which go to every receiver, as often as there are receivers.
TEST(GemmTraffic, IsWhatTheCachesAreAskedFor) {
  auto const reads_of = [](SimulatorOptions options, Wish const& wish, long long& fetched) {
    simulator::CacheModel cache(1);
    options.observers = {&cache};
    Simulator const simulator(options);
    auto trial = plain_trial(simulator, 512, 512, 512);
    auto const gemm = trial.make_gemm(wish);
    gemm.launch();
    EXPECT_TRUE(trial.compare().is_good());
    fetched = gemm.fetched_bytes();
    return cache.total().reads;
  };
  long long fetched = 0;
  Wish const shared = tiles(TileKind::narrow, {2, 2});
  // A Buffer may begin within a line: a row of 128 B is then two.
  long long const by_engine = reads_of({.profile = "h200-sxm"}, shared, fetched);
  EXPECT_GE(by_engine, fetched / 128);
  EXPECT_LE(by_engine, fetched / 128 * 2);
  long long const alone = reads_of({.profile = "h200-sxm"}, tiles(TileKind::narrow, {1}), fetched);
  EXPECT_EQ(alone, 2 * by_engine) << "clusters of 2 x 2 share half of what they fetch";
  long long const in_software =
      reads_of({.profile = "h200-sxm", .clusters = "emulated"}, shared, fetched);
  EXPECT_EQ(in_software, alone) << "each receiver reads through its L2";
}

/// On a device with an L2 an XCD, tiles whose clusters share one are neighbours: less comes from
/// the memory behind.
TEST(GemmTraffic, FallsWhereClustersOfACacheHaveNeighbouringTiles) {
  auto const counts_of = [](bool by_cache) {
    simulator::CacheModel cache;
    Simulator const simulator(SimulatorOptions{.profile = "mi350x", .observers = {&cache}});
    auto trial = plain_trial(simulator, 4096, 4096, 512);
    Wish wish;
    wish.by_cache = by_cache;
    trial.make_gemm(wish).launch();
    return cache.total();
  };
  auto const by_cache = counts_of(true);
  auto const plain = counts_of(false);
  EXPECT_NEAR(static_cast<double>(by_cache.reads), static_cast<double>(plain.reads),
              0.02 * static_cast<double>(plain.reads));
  EXPECT_GT(by_cache.read_hit_rate(), 0.8);
  EXPECT_LT(plain.read_hit_rate(), 0.6);
}

/// What gemm picks where a team has 64, 160 and 227 KB of scratch, and that it is right there.
TEST(GemmKinds, FitTheDevicesScratch) {
  for (auto const& [profile, kind] :
       {std::pair("mi300x", TileKind::small), std::pair("mi350x", TileKind::compact),
        std::pair("h200-sxm", TileKind::slim)}) {
    Simulator const simulator(SimulatorOptions{.profile = profile});
    auto trial = plain_trial(simulator, 264, 328, 200);
    auto const gemm = trial.make_gemm();
    EXPECT_EQ(gemm.choice().kind, kind) << profile;
    gemm.launch();
    EXPECT_TRUE(trial.compare().is_good()) << profile;
  }
}

/// What the README derives by hand.
TEST(GemmCounts, Of512CubedAreThoseOfTheReadme) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto trial = plain_trial(simulator, 512, 512, 512);
  trial.make_gemm(tiles(TileKind::narrow, {2, 2})).launch();
  LaunchCounts const counts = simulator.last_counts();
  EXPECT_EQ(counts.teams, 16);
  EXPECT_EQ(counts.bytes_to_scratch, 2097152);
  EXPECT_EQ(counts.bytes_from_scratch, 524288);
  EXPECT_EQ(counts.transfers, 320);
  EXPECT_EQ(counts.multicasts, 256);
  EXPECT_EQ(counts.phased_waits, 32992);
  EXPECT_EQ(counts.multiply_adds, 134217728);
  EXPECT_TRUE(trial.compare().is_good());

  trial.make_gemm(tiles(TileKind::slim, {1})).launch();
  LaunchCounts const alone = simulator.last_counts();
  EXPECT_EQ(alone.teams, 32);
  EXPECT_EQ(alone.bytes_to_scratch, 6291456);
  EXPECT_EQ(alone.transfers, 576);
  EXPECT_EQ(alone.multicasts, 0);
  EXPECT_EQ(alone.phased_waits, 33280);
  EXPECT_EQ(alone.multiply_adds, 134217728);
}

TEST(GemmCounts, ASplitPushesTheSumsOfOthersColumns) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto const trial = plain_trial(simulator, 128, 128, 512);
  trial.make_gemm(tiles(TileKind::narrow, {1, 1, 4})).launch();
  // Four teams, each sends the three quarters of its 128 × 128 floats that are not its own.
  EXPECT_EQ(simulator.last_counts().bytes_pushed, 4 * 128 * 96 * 4);
  EXPECT_TRUE(trial.compare().is_good());
}

TEST(GemmCounts, PartsLeaveTheirSumsAndAKernelAddsThemUp) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto const trial = plain_trial(simulator, 100, 200, 64 * 5);
  auto const gemm = trial.make_gemm(tiles(TileKind::slim, {2, 1}, TileOrder::rows, 3));
  ASSERT_EQ(gemm.launches(), 2);
  gemm.launch(0);
  EXPECT_EQ(simulator.last_counts().teams, 2 * 2 * 3);  // 128 × 256 in tiles of 64 × 128
  EXPECT_EQ(simulator.last_counts().bytes_to_scratch, gemm.fetched_bytes());
  EXPECT_EQ(simulator.last_counts().bytes_from_scratch, 0);
  EXPECT_FALSE(trial.compare().is_good());
  gemm.launch(1);
  EXPECT_EQ(simulator.last_counts().threads, 4 * 64 * 128 / 4);
  EXPECT_TRUE(trial.compare().is_good());
  EXPECT_EQ(trial.make_gemm(tiles(TileKind::slim, {2, 1})).launches(), 1);
}

TEST(Gemm, PartsOfSharedTilesAreBroughtTogetherWhereTheyBelong) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto trial = plain_trial(simulator, 500, 760, 256);
  for (ClusterShape const cluster : {ClusterShape(4, 1), ClusterShape(1, 4), ClusterShape(2, 2)}) {
    trial.poison();
    trial.make_gemm(tiles(TileKind::narrow, cluster, TileOrder::rows, 2)).launch();
    Comparison const comparison = trial.compare();
    EXPECT_TRUE(comparison.is_good()) << to_string(cluster) << ": " << comparison.worst;
  }
}

/// A persistent league goes on with other tiles than the first: there are more than fit at once.
TEST(Gemm, EveryOrderComputesMoreTilesThanAreResident) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto trial = plain_trial(simulator, 2048, 1408, 64);
  for (TileOrder const order : all_tile_orders) {
    trial.poison();
    trial.make_gemm(tiles(TileKind::narrow, {2, 1}, order)).launch();
    EXPECT_EQ(simulator.last_counts().clusters, simulator.last_counts().resident_limit);
    Comparison const comparison = trial.compare();
    EXPECT_TRUE(comparison.is_good()) << to_string(order) << ": " << comparison.worst;
  }
}

TEST(Gemm, GivesEqualBitsWhateverTheSchedule) {
  std::vector<float> first;
  for (char const* schedule : {"rank", "reverse", "late", "random:3"}) {
    Simulator const simulator(SimulatorOptions{.profile = "h200-sxm", .schedule = schedule});
    auto const trial = plain_trial<tfloat32>(simulator, 200, 136, 300);
    for (bool const in_parts : {false, true}) {
      ClusterShape const cluster(1, 1, in_parts ? 1 : 3);
      trial.make_gemm(tiles(TileKind::slim, cluster, TileOrder::blocks, in_parts ? 3 : 1)).launch();
      std::vector<float> const result(trial.d(), trial.d() + 200 * 136);
      if (first.empty()) first = result;  // and both add up in the same order
      EXPECT_EQ(result, first) << schedule;
    }
  }
}

/// More tiles than there is room for, in parts: each cluster goes on with another one of its part.
TEST(Gemm, PartsComputeMoreTilesThanAreResident) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto trial = plain_trial(simulator, 1024, 1024, 128);
  trial.make_gemm(tiles(TileKind::slim, {1}, TileOrder::hilbert, 2)).launch();
  Comparison const comparison = trial.compare();
  EXPECT_TRUE(comparison.is_good()) << comparison.worst;
}

template <class In = bfloat16>
void expect_refusal(Problem const& problem, Wish const& wish, std::string const& part) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  alignas(16) static std::byte memory[64];  // refused before anybody reads it
  auto* const in = reinterpret_cast<In*>(memory);
  try {
    Gemm<Simulator, In> const gemm(simulator, problem, in, in, reinterpret_cast<OutOf<In>*>(memory),
                                   {}, wish);
    FAIL() << "accepted, by " << to_string(gemm.choice());
  } catch (std::invalid_argument const& refusal) {
    EXPECT_NE(std::string(refusal.what()).find(part), std::string::npos) << refusal.what();
  }
}

TEST(GemmRefusals, NameWhatWouldWork) {
  expect_refusal({0, 8, 8}, {}, "1 to 2^31");
  expect_refusal({8, 8, 8, -1}, {}, "not -1");
  expect_refusal({100, 100, 33}, tiles(TileKind::narrow, {1}), "pad the matrices");
  expect_refusal({128, 128, 64}, tiles(TileKind::wide, {1, 1, 2}), "2, 3, 4, 5, 6 or 8");
  expect_refusal({128, 128, 64}, tiles(TileKind::narrow, {2, 1, 2}), "clusters 1x1");
  expect_refusal({128, 128, 64}, tiles(TileKind::general, {2}), "than the general one");
  expect_refusal({128, 128, 256}, tiles(TileKind::slim, {1, 1, 8}), "it has 4 steps");
  expect_refusal({128, 128, 256}, tiles(TileKind::slim, {1}, TileOrder::rows, 5), "it has 4 steps");
  expect_refusal({128, 128, 256}, tiles(TileKind::slim, {1}, TileOrder::rows, 0),
                 "1 or more parts, not 0");
  expect_refusal({128, 128, 256}, tiles(TileKind::slim, {1, 1, 2}, TileOrder::rows, 2),
                 "without parts");
  Wish three_parts;
  three_parts.parts = 3;
  expect_refusal({100, 100, 33}, three_parts, "pad the matrices");
  expect_refusal<tfloat32>({128, 128, 64}, tiles(TileKind::wide, {1}), "narrow, slim, ");
  expect_refusal({128, 128, 64, 1, Order::column_major}, tiles(TileKind::slim, {1}), "wide and");
}

TEST(GemmRefusals, NameTheOperandThatIsNowhere) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  alignas(16) static float memory[4];
  // Odd lengths: the general kernel, which needs no tile map.
  try {
    Gemm<Simulator, tfloat32> const gemm(
        simulator, {33, 33, 33}, reinterpret_cast<tfloat32 const*>(memory), nullptr, memory);
    FAIL() << "accepted, by " << to_string(gemm.choice());
  } catch (std::invalid_argument const& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("B is null"), std::string::npos) << refusal.what();
  }
}

TEST(GemmRefusals, ATileIsSharedByPowersOfTwo) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto const trial = plain_trial(simulator, 512, 512, 64);
  EXPECT_THROW(trial.make_gemm(tiles(TileKind::narrow, {3})), std::invalid_argument);
  EXPECT_THROW(trial.make_gemm(tiles(TileKind::narrow, {32})), std::invalid_argument);
}

TEST(GemmRefusals, AClusterOverTheDevicesIsTheLaunchs) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto const trial = plain_trial(simulator, 128, 128, 64);
  EXPECT_THROW(trial.make_gemm(tiles(TileKind::narrow, {16})).launch(), LaunchError);
}

/// A wish for a part of the choice leaves the rest to the library.
TEST(GemmChoice, FulfilsWishes) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  auto const trial = plain_trial(simulator, 512, 512, 256);
  Wish wish;
  wish.cluster = ClusterShape(2, 2);
  EXPECT_EQ(trial.make_gemm(wish).choice().cut.cluster, ClusterShape(2, 2));
  wish.order = TileOrder::hilbert;
  EXPECT_EQ(trial.make_gemm(wish).choice().cut.order, TileOrder::hilbert);
  wish.kind = TileKind::slim;
  auto const gemm = trial.make_gemm(wish);
  EXPECT_EQ(to_string(gemm.choice()), "slim 2x2x1 hilbert");
  EXPECT_EQ(gemm.choices().size(), 1U);
}

}  // namespace
}  // namespace kohort::kernels::gemm
