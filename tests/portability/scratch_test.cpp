// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/scratch.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

using kohort::Impl::NoScratch;
using kohort::Impl::ScratchLayout;

struct alignas(128) Wide {
  char bytes[256];
};
struct alignas(32) Vector {
  float lanes[8];
};
struct Odd {
  char bytes[7];
};

struct Range {
  std::size_t first;
  std::size_t bytes;
  std::size_t alignment;
};

/// The objects of a layout that hold at least a byte, by their offsets.
template <class Team, class Cluster, class DynamicTeam, class DynamicCluster>
std::vector<Range> ranges_of(int team_count, int cluster_count) {
  using Layout = ScratchLayout<Team, Cluster, DynamicTeam, DynamicCluster>;
  using kohort::Impl::scratch_size;
  std::vector<Range> const all = {
      {Layout::team_offset, scratch_size<Team>, alignof(Team)},
      {Layout::cluster_offset, scratch_size<Cluster>, alignof(Cluster)},
      {Layout::dynamic_cluster_offset, scratch_size<DynamicCluster> * cluster_count,
       alignof(DynamicCluster)},
      {Layout::dynamic_team_offset(cluster_count), scratch_size<DynamicTeam> * team_count,
       alignof(DynamicTeam)}};
  std::vector<Range> used;
  for (Range const& range : all) {
    if (range.bytes > 0) used.push_back(range);
  }
  return used;
}

template <class Team, class Cluster, class DynamicTeam, class DynamicCluster>
void check_layout(int team_count, int cluster_count) {
  using Layout = ScratchLayout<Team, Cluster, DynamicTeam, DynamicCluster>;
  std::vector<Range> ranges =
      ranges_of<Team, Cluster, DynamicTeam, DynamicCluster>(team_count, cluster_count);
  std::sort(ranges.begin(), ranges.end(),
            [](Range const& a, Range const& b) { return a.first < b.first; });
  std::size_t end = 0;
  std::size_t payload = 0;
  for (Range const& range : ranges) {
    RC_ASSERT(range.first >= end);
    RC_ASSERT(range.first % range.alignment == 0);
    RC_ASSERT(Layout::alignment % range.alignment == 0);
    end = range.first + range.bytes;
    payload += range.bytes;
  }
  std::size_t const bytes = Layout::bytes(team_count, cluster_count);
  RC_ASSERT(bytes >= end);
  // Never more than the padding that four alignments can ask for.
  RC_ASSERT(bytes <= payload + 4 * Layout::alignment);
}

RC_GTEST_PROP(ScratchLayout, NeverOverlapsAndKeepsAlignments, (short teams, short clusters)) {
  int const team_count = std::abs(teams % 2000);
  int const cluster_count = std::abs(clusters % 2000);
  check_layout<char, int, double, short>(team_count, cluster_count);
  check_layout<Odd, Wide, Odd, Odd>(team_count, cluster_count);
  check_layout<Wide, char, Vector, char>(team_count, cluster_count);
  check_layout<Odd[3], Vector[2], Wide, Odd>(team_count, cluster_count);
  check_layout<NoScratch, Odd, NoScratch, double>(team_count, cluster_count);
  check_layout<Odd, NoScratch, Wide, NoScratch>(team_count, cluster_count);
  check_layout<NoScratch, NoScratch, Vector, Odd>(team_count, cluster_count);
}

TEST(ScratchLayout, IsEmptyWithoutTraits) {
  using Layout = ScratchLayout<NoScratch, NoScratch, NoScratch, NoScratch>;
  EXPECT_EQ(Layout::bytes(0, 0), 0u);
  EXPECT_FALSE(Layout::has_dynamic_team);
  EXPECT_FALSE(Layout::has_dynamic_cluster);
}

TEST(ScratchLayout, TakesJustTheObjectsOfOneKind) {
  EXPECT_EQ((ScratchLayout<float[256], NoScratch, NoScratch, NoScratch>::bytes(0, 0)), 1024u);
  EXPECT_EQ((ScratchLayout<NoScratch, float[256], NoScratch, NoScratch>::bytes(0, 0)), 1024u);
  EXPECT_EQ((ScratchLayout<NoScratch, NoScratch, float, NoScratch>::bytes(100, 0)), 400u);
  EXPECT_EQ((ScratchLayout<NoScratch, NoScratch, NoScratch, float>::bytes(0, 100)), 400u);
}

TEST(ScratchLayout, AlignsTheBlockForItsStrictestObject) {
  EXPECT_EQ((ScratchLayout<char, NoScratch, NoScratch, NoScratch>::alignment), 16u);
  EXPECT_EQ((ScratchLayout<char, Wide, NoScratch, NoScratch>::alignment), 128u);
  EXPECT_EQ((ScratchLayout<char, NoScratch, NoScratch, Vector>::alignment), 32u);
}

TEST(ScratchLayout, KeepsFixedOffsetsWhateverTheLengths) {
  using Layout = ScratchLayout<char[3], int[2], double, short>;
  static_assert(Layout::team_offset == 0);
  static_assert(Layout::cluster_offset == 4);
  static_assert(Layout::dynamic_cluster_offset == 12);
  EXPECT_EQ(Layout::dynamic_team_offset(0), 16u);
  EXPECT_EQ(Layout::dynamic_team_offset(3), 24u);
}

}  // namespace
