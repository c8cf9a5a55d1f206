// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <kohort/simulator/group_map.hpp>
#include <sstream>
#include <string>

namespace kohort::simulator {
namespace {

/// Columns of a line on a terminal: bytes that continue a UTF-8 character take none.
int columns_of(std::string const& line) {
  int columns = 0;
  for (char const c : line) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return columns;
}

TEST(DrawGroupMap, ShowsTheGroupsAndTheResidentClustersOfAnH200) {
  EXPECT_EQ(draw_group_map(find_profile("h200-sxm"), 100),
            R"(NVIDIA H200 (profile h200-sxm, measured)
  132 SMs, 228 KB shared memory an SM, 60 MB L2, HBM 4.28 TB/s copy
  SM groups that host clusters
    18 ██████████████████   18 ██████████████████   16 ████████████████ ×5   8 ████████   2 ██ ×4
  cluster size            1    2    3    4    5    6    7    8    …   16
  resident (1 team/SM)  132   66   39   30   22   17   15   15         7
  SMs in use           100% 100%  89%  91%  83%  77%  80%  91%       85%
  largest cluster 8 portable, 16 by allow_nonportable_size()
)");
}

TEST(DrawGroupMap, SaysWhereThereAreNoClusters) {
  EXPECT_EQ(draw_group_map(find_profile("a100"), 80), R"(NVIDIA A100 (profile a100, published)
  108 SMs, 164 KB shared memory an SM, 40 MB L2, HBM 1.555 TB/s peak
  SM groups
    16 ████████████████ ×5   14 ██████████████   14 ██████████████
  cluster size            1
  resident (1 team/SM)  108
  SMs in use           100%
  no hardware clusters: a cluster of two or more is refused
)");
}

TEST(DrawGroupMap, DrawsGroupsWiderThanTheLineToAScale) {
  DeviceProfile profile = find_profile("tiny");
  profile.sm_groups = {200, 100};
  EXPECT_NE(draw_group_map(profile, 80).find("SM groups that host clusters (a block is 4 SMs)"),
            std::string::npos);
}

TEST(DrawGroupMap, StaysWithinTheLine) {
  for (std::string const& name : builtin_profile_names()) {
    for (int const columns : {0, 60, 72, 80, 100, 200}) {
      std::istringstream picture(draw_group_map(find_profile(name), columns));
      std::string line;
      // The device's own line is text that does not wrap.
      for (int number = 1; std::getline(picture, line); ++number) {
        if (number != 2) {
          EXPECT_LE(columns_of(line), std::max(columns, 60)) << line;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kohort::simulator
