// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/impl/warpgroup_fragments.hpp>

#include "backend/hip/include/kohort/backend/hip/fragments.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

namespace kohort::Impl {
namespace {

constexpr int threads = 128;

/// Every value of a product of 64 × N belongs to one thread, and every word of A.
template <class Fragments>
void expect_each_place_once(int columns) {
  std::set<std::pair<int, int>> places;
  for (int thread = 0; thread < threads; ++thread) {
    for (int pair = 0; pair < columns / 4; ++pair) {
      MatrixPlace const place = Fragments::pair(thread, pair);
      EXPECT_EQ(place.column % 2, 0);
      EXPECT_TRUE(places.emplace(place.row, place.column).second);
      EXPECT_LT(place.row, 64);
      EXPECT_LT(place.column, columns);
      EXPECT_EQ(place.column / Fragments::columns, pair / Fragments::pairs);
    }
  }
  EXPECT_EQ(places.size(), 64U * static_cast<unsigned>(columns) / 2);
}

template <class Fragments>
void expect_each_word_once() {
  std::set<std::pair<int, int>> words;
  for (int thread = 0; thread < threads; ++thread) {
    for (int word = 0; word < 16; ++word) {
      MatrixPlace const place = Fragments::word(thread, word);
      EXPECT_TRUE(words.emplace(place.row, place.column).second);
      EXPECT_LT(place.row, 64);
      EXPECT_LT(place.column, 32);
    }
  }
  EXPECT_EQ(words.size(), 64U * 32);
}

TEST(WarpgroupFragments, AreEachPlaceOnce) {
  for (int const columns : {32, 64, 96, 128, 192, 256}) {
    expect_each_place_once<WarpgroupFragments>(columns);
    expect_each_place_once<HipPlaces>(columns);
  }
  expect_each_word_once<WarpgroupFragments>();
  expect_each_word_once<HipPlaces>();
}

/// As much of K as the 16 lanes' four pieces of 16 B of one half are, in words that stand for
/// whatever they hold: what a matrix core makes of them for each lane. Its first operand's row and
/// its second one's column are lane % 16, its results row 4 · (lane / 16) + i, column lane % 16.
struct MatrixCore {
  int first[64][4] = {};   ///< by lane: 16 B
  int second[64][4] = {};  ///< the same

  int result(int lane, int i) const {
    int sum = 0;
    for (int group = 0; group < 4; ++group)
      for (int word = 0; word < 4; ++word)
        sum += first[group * 16 + lane / 16 * 4 + i][word] * second[group * 16 + lane % 16][word];
    return sum;
  }
};

/// No AMD device has run MatrixOperations<Hip>: that the places are right which it reads and leaves
/// is shown here. Its loop over them is written again.
TEST(HipPlaces, MultiplyAsTheMatrixCoresDo) {
  constexpr int columns = 96;
  std::mt19937 engine(7);
  std::uniform_int_distribution<int> number(-9, 9);
  std::vector<std::vector<int>> a(64, std::vector<int>(32));
  std::vector<std::vector<int>> b(columns, std::vector<int>(32));  // by column
  for (auto* matrix : {&a, &b})
    for (auto& row : *matrix)
      for (int& word : row) word = number(engine);
  for (int wavefront = 0; wavefront < 2; ++wavefront) {
    for (int at = 0; at < columns; at += 16) {
      for (int block = 0; block < 2; ++block) {
        int sums[64][4] = {};
        for (int half = 0; half < 2; ++half) {
          MatrixCore core;
          for (int lane = 0; lane < 64; ++lane) {
            int const thread = wavefront * 64 + lane;
            for (int word = 0; word < 4; ++word) {
              core.first[lane][word] = b[at + lane % 16][HipPlaces::piece(thread, half) * 4 + word];
              MatrixPlace const of_a = HipPlaces::word(thread, block * 8 + half * 4 + word);
              core.second[lane][word] = a[of_a.row][of_a.column];
            }
          }
          for (int lane = 0; lane < 64; ++lane)
            for (int i = 0; i < 4; ++i) sums[lane][i] += core.result(lane, i);
        }
        for (int lane = 0; lane < 64; ++lane) {
          for (int i = 0; i < 4; ++i) {
            MatrixPlace const place =
                HipPlaces::pair(wavefront * 64 + lane, (at / 16 * 2 + block) * 2 + i / 2);
            int expected = 0;
            for (int word = 0; word < 32; ++word)
              expected += a[place.row][word] * b[place.column + i % 2][word];
            EXPECT_EQ(sums[lane][i], expected) << "lane " << lane << ", value " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace kohort::Impl
