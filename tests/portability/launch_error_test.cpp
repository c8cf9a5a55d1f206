// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// explain(): each limit in turn, what it says, and that what it recommends is accepted.
#include <kohort/launch_error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace {

using kohort::ClusterMode;
using kohort::ClusterShape;
using kohort::DeviceProperties;
using kohort::LaunchError;
using kohort::League;
using kohort::Support;
using kohort::Impl::describe;
using kohort::Impl::explain;
using kohort::Impl::LaunchRequest;
using kohort::Impl::ResidencyQueries;
using ::testing::HasSubstr;

/// The H200 of docs/results/h200.md, with one team an SM: 132 SMs in these groups.
DeviceProperties h200() {
  DeviceProperties device;
  device.target = "Simulator";
  device.device = "NVIDIA H200";
  device.sm_count = 132;
  device.domains = {16, 16, 16, 16, 16, 18, 18, 8, 2, 2, 2, 2};
  device.subgroup_size = 32;
  device.max_team_size = 1024;
  device.max_team_scratch_bytes = 232448;
  device.largest_portable_cluster = 8;
  device.largest_nonportable_cluster = 16;
  return device;
}

/// The rule for the resident limit, with one team an SM.
ResidencyQueries one_team_an_sm(DeviceProperties const& device) {
  ResidencyQueries queries;
  queries.max_active_clusters = [device](int size) {
    int clusters = 0;
    for (int group : device.domains) clusters += group / size;
    return clusters;
  };
  return queries;
}

LaunchRequest request(League league, ClusterShape cluster, int threads = 256) {
  LaunchRequest asked;
  asked.label = "kernel";
  asked.league = league;
  asked.cluster = cluster;
  asked.team_threads = threads;
  return asked;
}

Support explained(LaunchRequest const& asked, DeviceProperties const& device = h200()) {
  return explain(asked, device, one_team_an_sm(device));
}

TEST(Explain, AcceptsWhatTheDeviceCanTake) {
  Support const support = explained(request(64, 8));
  EXPECT_TRUE(support.ok);
  EXPECT_TRUE(support.reason.empty());
}

TEST(Explain, NamesEachLimitOfTheExtents) {
  EXPECT_THAT(explained(request(0, 1)).limit, HasSubstr("extent of a league is at least 1"));
  EXPECT_THAT(explained(request(4, 0)).limit, HasSubstr("extent of a cluster is at least 1"));
  EXPECT_THAT(explained(request({65536, 32768}, 1)).limit, HasSubstr("2147483647 teams"));
  EXPECT_THAT(explained(request({1, 65536}, 1)).limit, HasSubstr("at most 65535"));
  EXPECT_THAT(explained(request({1, 1, 65536}, 1)).limit, HasSubstr("at most 65535"));
  EXPECT_THAT(explained(request(100, 3)).limit, HasSubstr("multiple of the cluster's extent"));
}

TEST(Explain, NamesAShapeThatContradictsClusterDims) {
  LaunchRequest asked = request(8, 4);
  asked.has_static_cluster = true;
  asked.static_cluster = ClusterShape(2);
  Support const support = explained(asked);
  EXPECT_THAT(support.limit, HasSubstr("must agree with ClusterDims<2,1,1>"));
  EXPECT_THAT(support.would_work, HasSubstr("cluster 2×1×1"));
  asked.cluster = asked.static_cluster;
  EXPECT_TRUE(explained(asked).ok);
}

TEST(Explain, NamesAPreferredShapeThatDoesNotNest) {
  LaunchRequest asked = request(12, 2);
  asked.has_preferred_cluster = true;
  asked.preferred_cluster = ClusterShape(3);
  EXPECT_THAT(explained(asked).limit, HasSubstr("a preferred cluster is a multiple"));
  asked.preferred_cluster = ClusterShape(8);
  EXPECT_THAT(explained(asked).limit, HasSubstr("a preferred cluster is a multiple"));
  asked.preferred_cluster = ClusterShape(4);
  EXPECT_TRUE(explained(asked).ok);
}

TEST(Explain, NamesEachLimitOfATeam) {
  EXPECT_THAT(explained(request(4, 1, -1)).limit, HasSubstr("at least 1 thread"));
  EXPECT_THAT(explained(request(4, 1, 1025)).limit, HasSubstr("at most 1024 threads"));
  LaunchRequest bounded = request(4, 1, 129);
  bounded.launch_bounds_threads = 128;
  EXPECT_THAT(explained(bounded).limit, HasSubstr("LaunchBounds promises at most 128 threads"));
  LaunchRequest large = request(4, 1);
  large.scratch_bytes = 232449;
  EXPECT_THAT(explained(large).limit, HasSubstr("at most 232448 B of scratch"));
  large.scratch_bytes = 232448;
  EXPECT_TRUE(explained(large).ok);
}

TEST(Explain, NamesAKernelsRegisters) {
  ResidencyQueries queries = one_team_an_sm(h200());
  queries.max_team_threads = 512;
  Support const support = explain(request(4, 1, 640), h200(), queries);
  EXPECT_THAT(support.limit, HasSubstr("registers allow at most 512 threads"));
  EXPECT_THAT(support.would_work, HasSubstr("LaunchBounds<640>"));
  EXPECT_TRUE(explain(request(4, 1, 512), h200(), queries).ok);
}

TEST(Explain, OffersOptingInWithWhatItCosts) {
  LaunchRequest asked = request(64, 16);
  Support const support = explained(asked);
  EXPECT_EQ(support.limit, "a cluster over 8 needs allow_nonportable_size()");
  EXPECT_EQ(support.would_work,
            "cluster 8 (15 resident at once), or 16 with allow_nonportable_size() (7 resident; 20 "
            "of 132 SMs stand idle)");
  asked.nonportable_size_allowed = true;
  EXPECT_TRUE(explained(asked).ok);
}

TEST(Explain, NamesTheDevicesLargestCluster) {
  LaunchRequest asked = request(34, 17);
  asked.nonportable_size_allowed = true;
  Support const support = explained(asked);
  EXPECT_EQ(support.limit, "this device's largest cluster is 16 teams");
  EXPECT_THAT(support.would_work, HasSubstr("cluster 16 ("));
  asked.nonportable_size_allowed = false;
  EXPECT_EQ(explained(asked).would_work,
            "cluster 8 (15 resident at once), or up to 16 with allow_nonportable_size()");
}

TEST(Explain, SaysThatADeviceHasNoClusters) {
  DeviceProperties device = h200();
  device.device = "NVIDIA A100";
  device.largest_portable_cluster = 1;
  device.largest_nonportable_cluster = 1;
  Support const support = explained(request(4, 2), device);
  EXPECT_EQ(support.limit, "NVIDIA A100 has no thread-block clusters");
  EXPECT_EQ(support.would_work,
            "a cluster of 1, or ClusterMode::automatic, which emulates clusters there");
  EXPECT_TRUE(explained(request(4, 1), device).ok);
}

/// tokenspeed#310: the size is allowed, and no group of SMs is large enough.
TEST(Explain, SaysThatNoGroupHasRoom) {
  DeviceProperties device = h200();
  device.sm_count = 8;
  device.domains = {4, 4};
  Support const support = explained(request(16, 8), device);
  EXPECT_EQ(support.limit, "no group of SMs has room for one such cluster at once");
  EXPECT_EQ(support.would_work, "cluster 4 (2 resident at once)");
  EXPECT_TRUE(explained(request(16, 4), device).ok);
}

TEST(Explain, SaysWhyAKernelHasNoEmulatedClusters) {
  LaunchRequest asked = request(4, 2);
  asked.mode = ClusterMode::emulated;
  ResidencyQueries queries = one_team_an_sm(h200());
  EXPECT_TRUE(explain(asked, h200(), queries).ok);
  queries.why_not_emulated = "a reason";
  queries.would_be_emulated = "a way out";
  Support const support = explain(asked, h200(), queries);
  EXPECT_EQ(support.limit, "a reason");
  EXPECT_EQ(support.would_work, "a way out");
  asked.cluster = ClusterShape(1);
  EXPECT_TRUE(explain(asked, h200(), queries).ok) << "a cluster of one needs no emulation";
}

/// The first league that a refusal recommends, such as "a league of 99×1×1".
League recommended_league(std::string const& text) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("league of (\\d+)×(\\d+)×(\\d+)"))) return 0;
  return {std::stoi(match[1]), std::stoi(match[2]), std::stoi(match[3])};
}

RC_GTEST_PROP(Explain, RecommendsLeaguesThatItAccepts, (unsigned x, unsigned y, unsigned z)) {
  League const league(1 + x % 100, 1 + y % 50, 1 + z % 20);
  ClusterShape const cluster(1 + x / 100 % 4, 1 + y / 50 % 2, 1 + z / 20 % 2);
  LaunchRequest asked = request(league, cluster);
  asked.nonportable_size_allowed = true;
  Support const support = explained(asked);
  bool const divides =
      league.x % cluster.x == 0 && league.y % cluster.y == 0 && league.z % cluster.z == 0;
  RC_ASSERT(support.ok == divides);
  if (divides) return;
  asked.league = recommended_league(support.would_work);
  RC_ASSERT(asked.league.count() > 1);
  RC_ASSERT(explained(asked).ok);
}

RC_GTEST_PROP(Explain, RecommendsClustersThatItAccepts,
              (std::vector<unsigned char> groups, unsigned char teams, bool allowed)) {
  RC_PRE(!groups.empty());
  DeviceProperties device = h200();
  device.domains.clear();
  for (unsigned group : groups) device.domains.push_back(1 + static_cast<int>(group % 20));
  device.sm_count = 0;
  for (int group : device.domains) device.sm_count += group;
  int const size = 1 + teams % 20;
  LaunchRequest asked = request(64 * size, size);
  asked.nonportable_size_allowed = allowed;
  Support const support = explained(asked, device);
  RC_TAG(support.ok ? "accepted" : support.limit);
  if (support.ok) return;
  std::smatch match;
  RC_ASSERT(std::regex_search(support.would_work, match, std::regex("^cluster (\\d+) ")));
  int const recommended = std::stoi(match[1]);
  LaunchRequest again = request(64 * recommended, recommended);
  again.nonportable_size_allowed = asked.nonportable_size_allowed;
  RC_ASSERT(explained(again, device).ok);
}

TEST(Describe, SaysWhatWasAsked) {
  LaunchRequest asked = request({100, 2}, ClusterShape(4, 2));
  asked.scratch_bytes = 1024;
  EXPECT_EQ(describe(asked), "league 100×2×1, cluster 4×2×1, 256 threads, 1024 B scratch a team");
  asked.cluster_is_automatic = true;
  asked.team_threads = 0;
  asked.mode = ClusterMode::native;
  EXPECT_EQ(describe(asked),
            "league 100×2×1, cluster AUTO, AUTO threads, 1024 B scratch a team, mode native");
}

TEST(LaunchError, HasAllPartsAsTextAndAsFields) {
  LaunchError const error("softmax", "Simulator (h200-sxm)", "cluster 16×1×1",
                          Support{false, "a limit", "a limit", "a cluster of 8"});
  EXPECT_STREQ(error.what(),
               "kohort: launch of \"softmax\" refused on Simulator (h200-sxm)\n"
               "  asked for   cluster 16×1×1\n"
               "  limit       a limit\n"
               "  would work  a cluster of 8");
  EXPECT_EQ(error.label(), "softmax");
  EXPECT_EQ(error.device(), "Simulator (h200-sxm)");
  EXPECT_EQ(error.asked(), "cluster 16×1×1");
  EXPECT_EQ(error.limit(), "a limit");
  EXPECT_EQ(error.would_work(), "a cluster of 8");
}

}  // namespace
