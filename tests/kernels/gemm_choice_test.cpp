// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <kernels/common/random_data.hpp>
#include <kernels/gemm/choice.hpp>

#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace kohort::kernels::gemm {
namespace {

TEST(TileOrders, VisitEveryTileOnce) {
  for (TileOrder const order : all_tile_orders) {
    for (int rows = 1; rows < 36; ++rows) {
      for (int columns = 1; columns < 36; columns += 1 + columns / 9) {
        std::set<std::pair<int, int>> seen;
        for (TilePlace const place : tiles_in_order(order, rows, columns)) {
          EXPECT_TRUE(place.row < rows && place.column < columns);
          EXPECT_TRUE(seen.emplace(place.row, place.column).second) << "twice";
        }
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(rows * columns))
            << to_string(order) << " " << rows << " x " << columns;
      }
    }
  }
}

void expect_steps_to_neighbours(int rows, int columns) {
  std::vector<TilePlace> const tiles = tiles_in_order(TileOrder::hilbert, rows, columns);
  for (std::size_t i = 1; i < tiles.size(); ++i)
    EXPECT_EQ(
        std::abs(tiles[i].row - tiles[i - 1].row) + std::abs(tiles[i].column - tiles[i - 1].column),
        1)
        << rows << " x " << columns << ", step " << i;
}

TEST(TileOrders, HilbertsCurveStepsToNeighbours) {
  for (int const side : {1, 2, 4, 8, 16}) expect_steps_to_neighbours(side, side);
  expect_steps_to_neighbours(4, 16);
  expect_steps_to_neighbours(16, 4);
}

TEST(TileOrders, ALongRowTakesNoSquareOfItsLength) {
  EXPECT_EQ(tiles_in_order(TileOrder::hilbert, 1, 60000).size(), 60000U);
  EXPECT_EQ(tiles_in_order(TileOrder::hilbert, 60000, 2).size(), 120000U);
}

TEST(TileOrders, ByCacheEveryTileIsThereOnceAndThoseOfACacheAreARun) {
  auto const check = [](int rows, int columns, int clusters, int caches, bool in_runs) {
    std::vector<TilePlace> const plain = tiles_in_order(TileOrder::blocks, rows, columns);
    std::vector<TilePlace> const ordered = tiles_by_cache(plain, clusters, caches, in_runs);
    ASSERT_EQ(ordered.size(), plain.size());
    std::map<std::pair<int, int>, std::size_t> at;
    for (std::size_t i = 0; i < plain.size(); ++i) at[{plain[i].row, plain[i].column}] = i;
    std::vector<std::vector<std::size_t>> of_cache(static_cast<std::size_t>(caches));
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      int const cluster = static_cast<int>(i) % clusters;
      int const cache = in_runs ? cluster * caches / clusters : cluster % caches;
      auto const place = at.find({ordered[i].row, ordered[i].column});
      ASSERT_NE(place, at.end()) << "a tile is there twice, or is none";
      of_cache[static_cast<std::size_t>(cache)].push_back(place->second);
      at.erase(place);
    }
    for (auto const& tiles : of_cache)
      for (std::size_t i = 1; i < tiles.size(); ++i) EXPECT_EQ(tiles[i], tiles[i - 1] + 1);
  };
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    check(static_cast<int>(random_word(seed, 1) % 20) + 1,
          static_cast<int>(random_word(seed, 2) % 20) + 1,
          static_cast<int>(random_word(seed, 3) % 50) + 1,
          static_cast<int>(random_word(seed, 4) % 9) + 1, seed % 2 == 0);
}

TEST(TileOrders, WithOneCacheAsTheyWere) {
  std::vector<TilePlace> const plain = tiles_in_order(TileOrder::hilbert, 5, 7);
  std::vector<TilePlace> const same = tiles_by_cache(plain, 4, 1, false);
  ASSERT_EQ(same.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(same[i].row, plain[i].row);
    EXPECT_EQ(same[i].column, plain[i].column);
  }
}

std::vector<TileKind> const all_kinds{TileKind::wide, TileKind::middle, TileKind::narrow,
                                      TileKind::slim};

/// Devices on which some choices are resident and others are not, by chance.
TEST(Heuristic, NeverPicksWhatIsNotResident) {
  for (std::uint64_t device = 0; device < 300; ++device) {
    auto const resident = [&](TileKind kind, ClusterShape shape) {
      auto const which = static_cast<std::uint64_t>(
          ((static_cast<int>(kind) * 8 + shape.x) * 8 + shape.y) * 16 + shape.z);
      std::uint64_t const word = random_word(device, which);
      return word % 8 < device % 8 ? 0 : static_cast<int>(word / 8 % 132) + 1;
    };
    Extent const extent{static_cast<long long>(random_word(device, 1u << 20) % 20000) + 1,
                        static_cast<long long>(random_word(device, 1u << 21) % 20000) + 1,
                        static_cast<long long>(random_word(device, 1u << 22) % 300) + 1, 1};
    Choice const choice = best_guess(extent, all_kinds, resident);
    if (choice.kind == TileKind::general) continue;
    EXPECT_GT(resident(choice.kind, choice.cut.cluster), 0) << to_string(choice);
    EXPECT_LE(choice.cut.cluster.z * choice.cut.parts, extent.steps);
  }
}

/// AMD's devices: none of the four has room there.
TEST(Heuristic, TakesKindsForLessScratchOnlyWhereNoOtherIsResident) {
  std::vector<TileKind> kinds = all_kinds;
  kinds.insert(kinds.end(), {TileKind::compact, TileKind::small});
  for (long long const size : {64, 500, 4096}) {
    Extent const extent{size, size, 16, 1};
    auto const all = [](TileKind, ClusterShape shape) { return 132 / shape.count(); };
    EXPECT_FALSE(is_for_less_scratch(best_guess(extent, kinds, all).kind));
    auto const from_compact = [](TileKind kind, ClusterShape) {
      return is_for_less_scratch(kind) ? 256 : 0;
    };
    EXPECT_EQ(best_guess(extent, kinds, from_compact).kind, TileKind::compact);
    auto const from_small = [](TileKind kind, ClusterShape) {
      return kind == TileKind::small ? 304 : 0;
    };
    EXPECT_EQ(best_guess(extent, kinds, from_small).kind, TileKind::small);
  }
}

TEST(Heuristic, IsTheGeneralKernelWhereNoTileIsResident) {
  auto const nothing = [](TileKind, ClusterShape) { return 0; };
  EXPECT_EQ(best_guess({512, 512, 8, 1}, all_kinds, nothing).kind, TileKind::general);
}

TEST(Heuristic, PicksTheLeastOfItsOwnEstimates) {
  auto const resident = [](TileKind, ClusterShape shape) { return 132 / shape.count(); };
  for (long long const size : {128, 500, 1000, 4096, 8192}) {
    Extent const extent{size, size, size / 64 + 1, 1};
    Choice const best = best_guess(extent, all_kinds, resident);
    double const cycles = estimated_cycles(best, extent, resident(best.kind, best.cut.cluster));
    for (Choice const& other : candidates(extent, all_kinds))
      EXPECT_LE(cycles, estimated_cycles(other, extent, resident(other.kind, other.cut.cluster)));
  }
}

TEST(Choices, CutKIntoNoMorePiecesThanThereAreSteps) {
  for (Cut const& cut :
       {Cut{{1, 1, 5}, TileOrder::blocks, 1}, Cut{{1, 1, 1}, TileOrder::blocks, 5}}) {
    Choice const choice{TileKind::slim, cut};
    EXPECT_NO_THROW(require_steps(choice, {64, 64, 5}));
    try {
      require_steps(choice, {64, 64, 4});
      FAIL() << "a team without a step has no sums to give";
    } catch (std::invalid_argument const& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("cuts K into 5 pieces, but it has 4 steps"),
                std::string::npos)
          << refusal.what();
    }
  }
}

/// What an H200 was measured to like best (docs/results/gemm.md).
TEST(Heuristic, CutsKOfFewTilesIntoParts) {
  auto const resident = [](TileKind, ClusterShape shape) { return 132 / shape.count(); };
  Choice const long_sums = best_guess({512, 512, 256, 1}, all_kinds, resident);
  EXPECT_EQ(to_string(long_sums), "narrow 1x1x1 blocks in 8 parts");
  EXPECT_EQ(best_guess({8192, 8192, 128, 1}, all_kinds, resident).cut.parts, 1);
  EXPECT_EQ(to_string(best_guess({1024, 1024, 16, 1}, all_kinds, resident)), "slim 1x1x1 blocks");
}

/// A narrow tile fetches more for the same products, which the cache hides up to its size.
TEST(Heuristic, TakesNarrowTilesWhereTheCacheHoldsTheOperands) {
  auto const resident = [](TileKind, ClusterShape shape) { return 132 / shape.count(); };
  EXPECT_EQ(best_guess({2048, 2048, 32, 1}, all_kinds, resident).kind, TileKind::narrow);
  EXPECT_EQ(best_guess({4096, 4096, 64, 1}, all_kinds, resident).kind, TileKind::wide);
  EXPECT_EQ(best_guess({16384, 16384, 256, 1}, all_kinds, resident).kind, TileKind::wide);
}

TEST(Candidates, CutKIntoNoMorePiecesThanThereAreSteps) {
  for (Choice const& choice : candidates({512, 512, 3, 1}, all_kinds)) {
    EXPECT_LE(choice.cut.cluster.z * choice.cut.parts, 3);
    EXPECT_TRUE(can_split(choice));
  }
}

}  // namespace
}  // namespace kohort::kernels::gemm
