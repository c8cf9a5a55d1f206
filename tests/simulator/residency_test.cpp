// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the engine puts clusters, as kernels and observers see it.
#include "launching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace kohort::tests {
namespace {

using Policy = ClusterPolicy<Simulator>;

struct Place {
  int cluster;
  int sm;
  int group;
};

/// Where each team ran, by what its threads were told.
std::vector<Place> places_of(Policy policy, int teams) {
  std::vector<Place> places(static_cast<std::size_t>(teams));
  Place* const out = places.data();
  parallel_for(
      "places", policy, KOHORT_LAMBDA(Policy::member_type const& member) {
        if (member.team_rank() == 0)
          out[member.league_rank()] = {member.cluster_league_rank(), member.sm(),
                                       member.sm_group()};
      });
  return places;
}

void expect_one_group_and_distinct_sms(std::vector<Place> const& places,
                                       simulator::DeviceProfile const& profile) {
  std::vector<int> group_of_sm;
  for (int group = 0; group < static_cast<int>(profile.sm_groups.size()); ++group)
    group_of_sm.insert(group_of_sm.end(), static_cast<std::size_t>(profile.sm_groups[group]),
                       group);
  std::map<int, std::set<int>> sms;
  std::map<int, std::set<int>> groups;
  std::map<int, std::size_t> teams;
  for (Place const& place : places) {
    ASSERT_GE(place.sm, 0);
    ASSERT_LT(place.sm, profile.sm_count());
    EXPECT_EQ(place.group, group_of_sm[static_cast<std::size_t>(place.sm)]);
    sms[place.cluster].insert(place.sm);
    groups[place.cluster].insert(place.group);
    ++teams[place.cluster];
  }
  for (auto const& [cluster, count] : teams) {
    EXPECT_EQ(sms[cluster].size(), count) << "cluster " << cluster << " shares an SM";
    EXPECT_EQ(groups[cluster].size(), 1U) << "cluster " << cluster << " spans groups";
  }
}

TEST(Residency, PutsTheTeamsOfAClusterOnDistinctSmsOfOneGroup) {
  for (int const size : {1, 2, 3, 4, 8, 16}) {
    for (int const workers : {1, 16}) {
      SCOPED_TRACE(size);
      Simulator const target = simulated({.workers = workers});
      Policy policy(target, 40 * size, 32, ClusterShape{size});
      policy.allow_nonportable_size();
      expect_one_group_and_distinct_sms(places_of(policy, 40 * size), target.profile());
    }
  }
}

TEST(Residency, KeepsPreferredClustersInOneGroupToo) {
  Simulator const target = simulated();
  Policy policy(target, 400, 1024);
  policy.prefer(ClusterShape{8}, ClusterShape{4});
  expect_one_group_and_distinct_sms(places_of(policy, 400), target.profile());
}

TEST(Residency, DoesNotDependOnTheNumberOfWorkers) {
  auto const sms = [](int workers) {
    Policy const policy(simulated({.workers = workers}), 640, 64, ClusterShape{4});
    std::vector<int> all;
    for (Place const& place : places_of(policy, 640)) all.push_back(place.sm);
    return all;
  };
  EXPECT_EQ(sms(2), sms(1));
  EXPECT_EQ(sms(16), sms(1));
}

/// Counts the clusters that are in their slots at once, and watches that a slot holds one.
class Occupancy : public simulator::Observer {
 public:
  void cluster_started(simulator::Cluster const& cluster, int slot,
                       std::vector<simulator::TeamPlace> const&) override {
    std::scoped_lock lock(mutex_);
    slot_of_[cluster.index] = slot;
    twice_taken |= !taken_.insert(slot).second;
    most = std::max(most, taken_.size());
    highest = std::max(highest, slot);
  }
  void cluster_ended(simulator::Cluster const& cluster, std::uint64_t) override {
    std::scoped_lock lock(mutex_);
    taken_.erase(slot_of_[cluster.index]);
  }

  bool twice_taken = false;
  std::size_t most = 0;
  int highest = -1;

 private:
  std::mutex mutex_;
  std::map<int, int> slot_of_;
  std::set<int> taken_;
};

TEST(Residency, NeverExceedsTheResidentLimit) {
  // The tiny device: 2 groups of 4 SMs, 2 teams of 64 threads an SM.
  for (int const workers : {1, 2, 16}) {
    for (int const size : {1, 2, 4}) {
      Occupancy occupancy;
      Simulator const target =
          simulated({.workers = workers, .profile = "tiny", .observers = {&occupancy}});
      auto const turn = cell(target);
      int* const arrived = turn.data();
      Policy policy(target, 48 * size, 64, ClusterShape{size});
      policy.allow_nonportable_size();
      int const limit = policy.max_active_clusters([](Policy::member_type const&) {});
      // Clusters wait until the device is full, so the limit is reached as well as kept.
      parallel_for(
          "fills", policy, KOHORT_LAMBDA(Policy::member_type const& member) {
            if (member.team_rank() != 0 || member.cluster_rank() != 0) return;
            atomic_add(arrived, 1);
            while (atomic_load(arrived) < limit) {
            }
          });
      EXPECT_EQ(occupancy.most, static_cast<std::size_t>(limit)) << size;
      EXPECT_LT(occupancy.highest, limit);
      EXPECT_FALSE(occupancy.twice_taken);
      EXPECT_EQ(target.last_counts().resident_limit, limit);
    }
  }
}

TEST(Residency, ReachesTheLimitOfAnH200ForClustersOf16) {
  // Measured: 14 clusters of 16 with two teams an SM.
  Simulator const target = simulated({.workers = 2});
  auto const turn = cell(target);
  int* const arrived = turn.data();
  Policy policy(target, 14 * 16, 1024, ClusterShape{16});
  policy.allow_nonportable_size();
  EXPECT_NO_THROW(parallel_for(
      "grid_barrier", policy, KOHORT_LAMBDA(Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        atomic_add(arrived, 1);
        while (atomic_load(arrived) < member.league_size()) {
        }
      }));
  EXPECT_EQ(target.last_counts().resident_limit, 14);
}

}  // namespace
}  // namespace kohort::tests
