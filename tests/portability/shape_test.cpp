// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/kohort.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using kohort::AUTO;
using kohort::ClusterDims;
using kohort::ClusterShape;
using kohort::Extents;
using kohort::League;
using kohort::TeamSize;

TEST(Shape, LeavesOutExtentsAsOne) {
  EXPECT_EQ(Extents(5), Extents(5, 1, 1));
  EXPECT_EQ(Extents(5, 6), Extents(5, 6, 1));
  EXPECT_EQ(Extents(), Extents(1, 1, 1));
}

TEST(Shape, AcceptsPlainIntegers) {
  League const league = 12;
  ClusterShape const cluster = 4;
  TeamSize const team = 256;
  EXPECT_EQ(league.count(), 12);
  EXPECT_EQ(cluster.count(), 4);
  EXPECT_EQ(team.threads, 256);
}

TEST(Shape, WritesAutoAsZeroThreads) { EXPECT_EQ(TeamSize(AUTO).threads, 0); }

TEST(Shape, CountsWithoutOverflow) { EXPECT_EQ(Extents(65536, 65536, 4).count(), 17179869184LL); }

TEST(Shape, PrintsAsFlagsAreWritten) { EXPECT_EQ(to_string(Extents(4, 2, 1)), "4x2x1"); }

TEST(Shape, KeepsCompileTimeExtents) {
  static_assert(ClusterDims<4, 2>::shape == ClusterShape(4, 2, 1));
  static_assert(ClusterDims<2>::shape.count() == 2);
  EXPECT_EQ((ClusterDims<1, 2, 3>::shape), ClusterShape(1, 2, 3));
}

RC_GTEST_PROP(Shape, IndexesAndCountsEveryExtent, (int x, int y, int z)) {
  int const a = 1 + std::abs(x % 1000);
  int const b = 1 + std::abs(y % 1000);
  int const c = 1 + std::abs(z % 1000);
  Extents const extents(a, b, c);
  RC_ASSERT(extents[0] == a && extents[1] == b && extents[2] == c);
  RC_ASSERT(extents.count() == static_cast<long long>(a) * b * c);
  RC_ASSERT(to_string(extents) ==
            std::to_string(a) + "x" + std::to_string(b) + "x" + std::to_string(c));
  RC_ASSERT((extents == Extents(c, b, a)) == (a == c));
}

}  // namespace
