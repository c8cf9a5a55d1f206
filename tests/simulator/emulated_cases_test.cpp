// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emulated clusters on random devices: every task is done exactly once, and no two ranks of a
// cluster are in different domains. KOHORT_EMULATED_CASES sets how many; 100,000 were run once
// (docs/results/emulated_cases.md).
#include "launching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace kohort::tests {
namespace {

/// A device in one of its partition modes: so many XCDs of so many compute units.
struct Case {
  std::uint64_t number;
  int domains;
  int units;  ///< compute units a domain, but for one that lacks some
  int teams_a_unit;
  bool own_caches;  ///< each domain has an L2 of its own
  int cluster;
  int clusters;  ///< of the league
  int threads;
  TaskHandout handout;
  bool manual;
  std::uint64_t seed;
};

Case random_case(std::uint64_t number) {
  std::mt19937_64 random(number * 0x9e3779b97f4a7c15U + 11);
  auto const in = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  Case one{};
  one.number = number;
  one.domains = 1 << in(0, 3);  // SPX of 8 XCDs, DPX, QPX, CPX
  if (in(0, 3) == 0) one.domains = in(1, 7);
  one.units = in(0, 5) == 0 ? in(1, 4) : in(5, 12);
  one.teams_a_unit = in(1, 3);
  one.own_caches = in(0, 5) != 0;
  one.cluster = in(2, 8);
  one.clusters = in(0, 2) == 0 ? in(1, 4) : in(1, 60);
  one.threads = 4 * in(1, 2);
  one.handout = static_cast<TaskHandout>(in(0, 3));
  one.manual = in(0, 3) == 0;
  one.seed = random() % 1000;
  return one;
}

std::string to_string(Case const& one) {
  return "case " + std::to_string(one.number) + ": " + std::to_string(one.domains) +
         " domains of " + std::to_string(one.units) + " units × " +
         std::to_string(one.teams_a_unit) + " teams" + (one.own_caches ? "" : ", one L2") + ", " +
         std::to_string(one.clusters) + " clusters of " + std::to_string(one.cluster) + " × " +
         std::to_string(one.threads) + " threads, handout " +
         std::to_string(static_cast<int>(one.handout)) + (one.manual ? ", manual" : "") +
         ", seed " + std::to_string(one.seed);
}

simulator::DeviceProfile device_of(Case const& one) {
  simulator::DeviceProfile device = simulator::find_profile("tiny");
  device.name = "random";
  device.sm_groups.assign(static_cast<std::size_t>(one.domains), one.units);
  // One domain short of a unit, as harvested dies are.
  if (one.units > 1 && one.seed % 3 == 0) device.sm_groups.back() -= 1;
  device.max_teams_per_sm = one.teams_a_unit;
  device.l2_is_per_group = one.own_caches;
  device.max_portable_cluster = device.max_nonportable_cluster = 1;
  device.has_dsmem = device.has_multicast = device.has_pair_mma = false;
  return device;
}

struct Seen {
  int* times;
  int* domain;
  int* from_peer;
};

template <class... Traits>
void launch(Simulator const& target, Case const& one, Seen const& seen) {
  using Policy = ClusterPolicy<Simulator, ClusterScratch<int>, Traits...>;
  Policy policy(target, one.cluster * one.clusters, one.threads, one.cluster);
  policy.allow_nonportable_size().task_handout(one.handout);
  parallel_for("random_case", policy, [=](typename Policy::member_type const& member) {
    int const team = member.league_rank();
    auto cell = member.cluster_scratch();
    if (member.team_rank() == 0) {
      atomic_add(&seen.times[team], 1);
      seen.domain[team] = member.sm_group();
      *cell = team;
    }
    // Under ManualLifetime one rank leaves before the others have met.
    if constexpr (Policy::traits::manual_lifetime)
      if (member.cluster_rank() == one.cluster - 1) return;
    member.cluster_barrier();
    int const peers = one.cluster - (Policy::traits::manual_lifetime ? 1 : 0);
    if (member.team_rank() == 0)
      seen.from_peer[team] = *member.peer(cell, (member.cluster_rank() + 1) % peers);
    if constexpr (Policy::traits::manual_lifetime) member.cluster_barrier();
  });
}

/// Empty if all went as it should.
std::string failure_of(Case const& one, bool& was_refused) {
  simulator::DeviceProfile const device = device_of(one);
  SimulatorOptions options;
  options.device = &device;
  options.schedule = one.seed % 2 == 0 ? "rank" : "random:" + std::to_string(one.seed);
  Simulator const target(options);
  int const teams = one.cluster * one.clusters;
  std::vector<int> times(static_cast<std::size_t>(teams), 0);
  std::vector<int> domain(static_cast<std::size_t>(teams), -2);
  std::vector<int> from_peer(static_cast<std::size_t>(teams), -1);
  Seen const seen{times.data(), domain.data(), from_peer.data()};
  int const largest = *std::max_element(device.sm_groups.begin(), device.sm_groups.end());
  int const sms = one.own_caches ? largest : device.sm_count();
  try {
    if (one.manual) {
      launch<ManualLifetime>(target, one, seen);
    } else {
      launch(target, one, seen);
    }
  } catch (LaunchError const& refusal) {
    // Right where a cluster's teams can't have a unit each.
    was_refused = true;
    return one.cluster > sms ? "" : refusal.what();
  }
  if (one.cluster > sms) return "a cluster that has no room was taken";
  int const peers = one.cluster - (one.manual ? 1 : 0);
  for (int team = 0; team < teams; ++team) {
    auto const at = static_cast<std::size_t>(team);
    int const rank = team % one.cluster;
    if (times[at] != 1)
      return "team " + std::to_string(team) + " ran " + std::to_string(times[at]) + " times";
    if (domain[at] != domain[at - static_cast<std::size_t>(rank)])
      return "team " + std::to_string(team) + " is in another domain than its cluster's first";
    if (rank < peers && from_peer[at] != team - rank + (rank + 1) % peers)
      return "team " + std::to_string(team) + " read " + std::to_string(from_peer[at]);
  }
  return "";
}

TEST(EmulatedCases, EveryTaskIsDoneOnceWithinOneDomain) {
  char const* const wanted = std::getenv("KOHORT_EMULATED_CASES");
  int const count = wanted == nullptr ? 1500 : std::atoi(wanted);
  ASSERT_GT(count, 0) << "KOHORT_EMULATED_CASES is the number of cases";
  int refused = 0;
  for (int number = 0; number < count; ++number) {
    Case const one = random_case(static_cast<std::uint64_t>(number));
    bool was_refused = false;
    std::string const failure = failure_of(one, was_refused);
    refused += was_refused;
    ASSERT_EQ(failure, "") << to_string(one);
  }
  std::printf("%d cases, %d of them refused because a cluster had no room\n", count, refused);
  EXPECT_LT(refused, count / 2);
}

}  // namespace
}  // namespace kohort::tests
