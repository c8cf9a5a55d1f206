// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <climits>
#include <kohort/simulator/placement.hpp>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kohort::simulator {
namespace {

/// A device of which only the groups matter; clusters are limited by the groups alone.
DeviceProfile device_of_groups(std::vector<int> groups) {
  DeviceProfile profile;
  profile.name = "random";
  profile.max_nonportable_cluster = *std::max_element(groups.begin(), groups.end());
  profile.max_portable_cluster = profile.max_nonportable_cluster;
  profile.sm_groups = std::move(groups);
  return profile;
}

/// Small random devices: up to five groups of up to six SMs, up to four teams an SM.
struct Scene {
  DeviceProfile profile;
  int teams_per_sm;
  int cluster_size;
};

Scene any_scene() {
  auto groups = *rc::gen::resize(
      5, rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 7))));
  DeviceProfile profile = device_of_groups(std::move(groups));
  int const teams = *rc::gen::inRange(0, 5);
  int const size = *rc::gen::inRange(1, 9);
  return {std::move(profile), teams, size};
}

/// The most clusters that fit in one group, by trying: cluster after cluster takes one free place
/// on each of the SMs that have most of them. (Taking from the fullest stocks never blocks a later
/// cluster that another choice would have let in.)
int clusters_that_fit(int sms, int teams_per_sm, int cluster_size) {
  std::vector<int> free_places(static_cast<std::size_t>(sms), teams_per_sm);
  for (int clusters = 0;; ++clusters) {
    std::sort(free_places.rbegin(), free_places.rend());
    if (cluster_size > sms || free_places[cluster_size - 1] == 0) return clusters;
    for (int i = 0; i < cluster_size; ++i) --free_places[i];
  }
}

/// The same by full search over which SMs each cluster takes, for very small groups.
int clusters_by_search(std::vector<int> free_places, int cluster_size,
                       std::map<std::vector<int>, int>& known) {
  std::sort(free_places.begin(), free_places.end());
  if (auto const found = known.find(free_places); found != known.end()) return found->second;
  int best = 0;
  for (unsigned chosen = 0; chosen < 1u << free_places.size(); ++chosen) {
    if (__builtin_popcount(chosen) != cluster_size) continue;
    std::vector<int> left = free_places;
    bool fits = true;
    for (std::size_t sm = 0; sm < left.size(); ++sm) {
      if (chosen >> sm & 1) fits &= left[sm]-- > 0;
    }
    if (fits) best = std::max(best, 1 + clusters_by_search(left, cluster_size, known));
  }
  known[free_places] = best;
  return best;
}

// `cudaOccupancyMaxActiveClusters` on an NVIDIA H200, driver 580, CUDA 13.0.
struct MeasuredRow {
  int teams_per_sm;
  std::array<int, 16> clusters;  // of 1 to 16 teams
};

constexpr MeasuredRow measured_rows[] = {
    {1, {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7}},
    {2, {264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 16, 14, 14, 14, 14}},
    {8, {1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 81, 74, 67, 65, 58, 58}},
};

TEST(MaxActiveClusters, EqualsWhatTheDriverOfAnH200Answers) {
  DeviceProfile const& h200 = find_profile("h200-sxm");
  for (MeasuredRow const& row : measured_rows) {
    for (int size = 1; size <= 16; ++size) {
      EXPECT_EQ(max_active_clusters(h200, row.teams_per_sm, size), row.clusters[size - 1])
          << row.teams_per_sm << " teams an SM, clusters of " << size;
    }
  }
}

TEST(MaxActiveClusters, IsZeroBeyondTheLargestCluster) {
  EXPECT_EQ(max_active_clusters(find_profile("h200-sxm"), 1, 17), 0);
  EXPECT_EQ(max_active_clusters(find_profile("a100"), 1, 1), 108);
  EXPECT_EQ(max_active_clusters(find_profile("a100"), 1, 2), 0);
}

TEST(MaxActiveClusters, RefusesASizeBelowOne) {
  EXPECT_THROW(max_active_clusters(find_profile("tiny"), 1, 0), std::invalid_argument);
  EXPECT_THROW(max_active_clusters(find_profile("tiny"), -1, 1), std::invalid_argument);
}

RC_GTEST_PROP(MaxActiveClusters, EqualsWhatAPlacerFits, ()) {
  Scene const scene = any_scene();
  int expected = 0;
  for (int const sms : scene.profile.sm_groups) {
    expected += clusters_that_fit(sms, scene.teams_per_sm, scene.cluster_size);
  }
  RC_ASSERT(max_active_clusters(scene.profile, scene.teams_per_sm, scene.cluster_size) == expected);
}

TEST(MaxActiveClusters, EqualsAFullSearchOfSmallGroups) {
  for (int sms = 1; sms <= 5; ++sms) {
    for (int teams = 0; teams <= 3; ++teams) {
      for (int size = 1; size <= sms; ++size) {
        std::map<std::vector<int>, int> known;
        int const best = clusters_by_search(std::vector<int>(sms, teams), size, known);
        EXPECT_EQ(max_active_clusters(device_of_groups({sms}), teams, size), best)
            << sms << " SMs, " << teams << " teams an SM, clusters of " << size;
      }
    }
  }
}

TEST(TeamsPerSm, OfAnH200FollowThreadsAndScratch) {
  DeviceProfile const& h200 = find_profile("h200-sxm");
  EXPECT_EQ(teams_per_sm(h200, 1024, 0), 2);
  EXPECT_EQ(teams_per_sm(h200, 1024, 232448), 1);
  EXPECT_EQ(teams_per_sm(h200, 1024, 232449), 0);
  EXPECT_EQ(teams_per_sm(h200, 1025, 0), 0);
  EXPECT_EQ(teams_per_sm(h200, 1, 0), 32);
  EXPECT_EQ(teams_per_sm(h200, 129, 0), 2048 / 160);
}

TEST(TeamsPerSm, CountTheDevicesOwnScratchForEachTeam) {
  DeviceProfile const& h200 = find_profile("h200-sxm");
  // 228 KB hold four teams of 57 KB, of which the device takes 1 KB each.
  EXPECT_EQ(teams_per_sm(h200, 32, 56 * 1024), 4);
  EXPECT_EQ(teams_per_sm(h200, 32, 56 * 1024 + 1), 3);
}

TEST(TeamsPerSm, AreNoneBeyondWhatOneTeamMayHaveThoughTheSmHasMore) {
  DeviceProfile profile = find_profile("tiny");
  profile.max_scratch_bytes_per_team = 1024;
  EXPECT_EQ(teams_per_sm(profile, 4, 1024), 3);
  EXPECT_EQ(teams_per_sm(profile, 4, 1025), 0);
}

TEST(TeamsPerSm, FollowRegistersInWholeUnits) {
  DeviceProfile const& h200 = find_profile("h200-sxm");
  EXPECT_EQ(teams_per_sm(h200, 1024, 0, 32), 2);
  EXPECT_EQ(teams_per_sm(h200, 1024, 0, 33), 1);
  EXPECT_EQ(teams_per_sm(h200, 1024, 0, 64), 1);
  EXPECT_EQ(teams_per_sm(h200, 1024, 0, 65), 0);
  EXPECT_EQ(teams_per_sm(h200, 128, 0, INT_MAX), 0);
}

TEST(TeamsPerSm, RefuseNumbersThatNoTeamHas) {
  DeviceProfile const& tiny = find_profile("tiny");
  EXPECT_THROW(teams_per_sm(tiny, 0, 0), std::invalid_argument);
  EXPECT_THROW(teams_per_sm(tiny, 4, -1), std::invalid_argument);
  EXPECT_THROW(teams_per_sm(tiny, 4, 0, -1), std::invalid_argument);
}

RC_GTEST_PROP(TeamsPerSm, AreTheMostThatFit, ()) {
  std::vector<std::string> const names = builtin_profile_names();
  DeviceProfile const& profile = find_profile(*rc::gen::elementOf(names));
  int const threads = *rc::gen::inRange(1, profile.max_threads_per_team + 1);
  int const scratch = *rc::gen::inRange(0, profile.max_scratch_bytes_per_team + 1);
  int const registers = *rc::gen::inRange(0, 256);
  auto const fits = [&](int teams) {
    int subgroups = 0;
    while (subgroups * profile.subgroup_size < threads) ++subgroups;
    long long const allocated_threads = 1LL * subgroups * profile.subgroup_size;
    long long allocated_scratch = profile.reserved_scratch_bytes_per_team + scratch;
    while ((allocated_scratch - profile.reserved_scratch_bytes_per_team) %
               profile.scratch_unit_bytes !=
           0) {
      ++allocated_scratch;
    }
    long long allocated_registers = registers;
    while (allocated_registers % profile.register_unit != 0) ++allocated_registers;
    return teams <= profile.max_teams_per_sm &&
           teams * allocated_threads <= profile.max_threads_per_sm &&
           teams * allocated_scratch <= profile.scratch_bytes_per_sm &&
           teams * allocated_threads * allocated_registers <= profile.registers_per_sm;
  };
  int const teams = teams_per_sm(profile, threads, scratch, registers);
  RC_ASSERT(fits(teams));
  RC_ASSERT(!fits(teams + 1));
}

RC_GTEST_PROP(Placement, HasAsManySlotsAsClustersCanBeActive, ()) {
  Scene const scene = any_scene();
  Placement const placement(scene.profile, scene.teams_per_sm, scene.cluster_size);
  RC_ASSERT(placement.resident_limit() ==
            max_active_clusters(scene.profile, scene.teams_per_sm, scene.cluster_size));
}

RC_GTEST_PROP(Placement, KeepsAClusterInOneGroupOnDistinctSmsAndSharesNoPlace, ()) {
  Scene const scene = any_scene();
  Placement const placement(scene.profile, scene.teams_per_sm, scene.cluster_size);
  std::vector<int> group_of_sm;
  for (std::size_t group = 0; group < scene.profile.sm_groups.size(); ++group) {
    group_of_sm.insert(group_of_sm.end(), scene.profile.sm_groups[group], static_cast<int>(group));
  }
  std::set<std::pair<int, int>> taken;
  std::set<int> sms_in_use;
  for (int slot = 0; slot < placement.resident_limit(); ++slot) {
    std::set<int> sms;
    for (int rank = 0; rank < scene.cluster_size; ++rank) {
      TeamPlace const place = placement.place(slot, rank);
      RC_ASSERT(place.group == placement.place(slot, 0).group);
      RC_ASSERT(place.sm >= 0 && place.sm < scene.profile.sm_count());
      RC_ASSERT(group_of_sm[place.sm] == place.group);
      RC_ASSERT(place.sm_slot >= 0 && place.sm_slot < scene.teams_per_sm);
      RC_ASSERT(sms.insert(place.sm).second);
      RC_ASSERT(taken.emplace(place.sm, place.sm_slot).second);
      sms_in_use.insert(place.sm);
    }
  }
  RC_ASSERT(placement.idle_sms() == scene.profile.sm_count() - static_cast<int>(sms_in_use.size()));
}

RC_GTEST_PROP(Placement, SpreadsConsecutiveSlotsOverTheGroups, ()) {
  Scene const scene = any_scene();
  Placement const placement(scene.profile, scene.teams_per_sm, scene.cluster_size);
  std::vector<int> used(scene.profile.sm_groups.size(), 0);
  for (int slot = 0; slot < placement.resident_limit(); ++slot) {
    int const group = placement.place(slot, 0).group;
    // A group gets another cluster only when none that has room is behind it.
    for (std::size_t other = 0; other < used.size(); ++other) {
      int const room =
          clusters_that_fit(scene.profile.sm_groups[other], scene.teams_per_sm, scene.cluster_size);
      RC_ASSERT(used[other] >= std::min(room, used[group]));
    }
    ++used[group];
  }
}

TEST(Placement, OfTinyIsTheSameByHand) {
  Placement const placement(find_profile("tiny"), 1, 2);
  ASSERT_EQ(placement.resident_limit(), 4);
  EXPECT_EQ(placement.place(0, 0), (TeamPlace{0, 0, 0}));
  EXPECT_EQ(placement.place(0, 1), (TeamPlace{0, 1, 0}));
  EXPECT_EQ(placement.place(1, 0), (TeamPlace{1, 4, 0}));
  EXPECT_EQ(placement.place(2, 0), (TeamPlace{0, 2, 0}));
  EXPECT_EQ(placement.place(3, 1), (TeamPlace{1, 7, 0}));
}

TEST(Placement, WrapsAClusterIntoTheNextPlacesOfAGroup) {
  // Two teams an SM, clusters of three on four SMs: the second cluster starts on the last SM.
  Placement const placement(find_profile("tiny"), 2, 3);
  ASSERT_EQ(placement.resident_limit(), 4);
  EXPECT_EQ(placement.place(2, 0), (TeamPlace{0, 3, 0}));
  EXPECT_EQ(placement.place(2, 1), (TeamPlace{0, 0, 1}));
  EXPECT_EQ(placement.place(2, 2), (TeamPlace{0, 1, 1}));
}

TEST(Placement, SaysThatClustersOf16StrandTwentySmsOfAnH200) {
  EXPECT_EQ(Placement(find_profile("h200-sxm"), 1, 16).idle_sms(), 20);
  EXPECT_EQ(Placement(find_profile("h200-sxm"), 1, 1).idle_sms(), 0);
}

TEST(Placement, RefusesASlotOrRankThatIsNotThere) {
  Placement const placement(find_profile("tiny"), 1, 2);
  EXPECT_THROW(placement.place(4, 0), std::out_of_range);
  EXPECT_THROW(placement.place(-1, 0), std::out_of_range);
  EXPECT_THROW(placement.place(0, 2), std::out_of_range);
  EXPECT_THROW(placement.place(0, -1), std::out_of_range);
  EXPECT_THROW(Placement(find_profile("h200-sxm"), 1, 17).place(0, 0), std::out_of_range);
}

}  // namespace
}  // namespace kohort::simulator
