// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <kernels/reduce/reduction.hpp>
#include <kernels/reduce/reference.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace kohort::kernels::reduce {
namespace {

ClusterShape const shapes[] = {{1}, {2}, {4}, {8}, {16}, {2, 2}, {4, 2}, {2, 2, 2}};

/// The sum after each of two launches, from a poisoned result: the second shows the reset.
template <class T>
std::vector<T> sums_of_two_launches(Simulator const& simulator, Variant variant, int team,
                                    ClusterShape cluster, std::vector<T> const& in) {
  Buffer<T, Simulator> device_in(simulator, in.size());
  deep_copy(device_in, in);
  Reduction<Simulator, T> const reduction(simulator, variant, team, cluster);
  std::vector<T> sums;
  for (int launch = 0; launch < 2; ++launch) {
    *reduction.result() = std::numeric_limits<T>::max();
    reduction.launch(device_in.data(), static_cast<long long>(in.size()));
    sums.push_back(reduction.read_result());
  }
  return sums;
}

template <class T>
void sums_as_the_reference(std::string const& profile, int largest_team) {
  Variant const variant =
      *rc::gen::elementOf(std::vector<Variant>(std::begin(all_variants), std::end(all_variants)));
  bool const is_tiny = profile == "tiny";
  RC_PRE(!is_tiny ||
         (variant != Variant::subgroup_tiles_32 && variant != Variant::subgroup_tiles_16));
  int team = 32;
  for (int doublings = *rc::gen::inRange(0, 4); doublings > 0 && team < largest_team; --doublings)
    team *= 2;
  ClusterShape const cluster = shapes[*rc::gen::inRange(0, is_tiny ? 3 : 8)];
  auto const count = static_cast<std::uint64_t>(*rc::gen::inRange(0, 60000));
  std::uint64_t const seed = *rc::gen::arbitrary<std::uint32_t>();
  auto const in = make_data<T>(count, [&](auto i) { return random_value<T>(seed, i); });

  Simulator const simulator(SimulatorOptions{.profile = profile});
  Reference const reference = reference_sum(std::span<T const>(in));
  for (T sum : sums_of_two_launches(simulator, variant, team, cluster, in))
    RC_ASSERT(relative_error(sum, reference) <= error_bound<T>());
}

RC_GTEST_PROP(ReduceProperty, SumsFloats, ()) { sums_as_the_reference<float>("h200-sxm", 256); }
RC_GTEST_PROP(ReduceProperty, SumsDoubles, ()) { sums_as_the_reference<double>("h200-sxm", 256); }
RC_GTEST_PROP(ReduceProperty, SumsInts, ()) {
  sums_as_the_reference<std::int32_t>("h200-sxm", 256);
}
RC_GTEST_PROP(ReduceProperty, SumsLongs, ()) {
  sums_as_the_reference<std::int64_t>("h200-sxm", 256);
}
RC_GTEST_PROP(ReduceProperty, SumsWithSubgroupsOfFour, ()) {
  sums_as_the_reference<float>("tiny", 64);
}

/// Counts of one launch with 256 threads a team on 2^16 floats.
LaunchCounts counts_of(Variant variant, ClusterShape cluster) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  std::vector<float> const in(1 << 16, 1.0f);
  Buffer<float, Simulator> device_in(simulator, in.size());
  deep_copy(device_in, in);
  Reduction<Simulator, float> const reduction(simulator, variant, 256, cluster);
  reduction.launch(device_in.data(), 1 << 16);
  EXPECT_EQ(reduction.read_result(), 65536.0f);
  return simulator.last_counts();
}

TEST(ReduceCounts, TreeHasNineBarriersAndACellAThread) {
  LaunchCounts const counts = counts_of(Variant::shared_tree, {1});
  EXPECT_EQ(counts.team_barriers, 9);
  EXPECT_EQ(counts.scratch_bytes_used, 256 * 4);
}

TEST(ReduceCounts, ShufflesHaveOneBarrierAndEightCellsOf32) {
  LaunchCounts const counts = counts_of(Variant::subgroup_shuffles, {1});
  EXPECT_EQ(counts.team_barriers, 1);
  EXPECT_EQ(counts.scratch_bytes_used, 8 * 4);
  EXPECT_EQ(counts.scratch_bytes, 32 * 4);
}

TEST(ReduceCounts, TilesOf16LeaveSixteenPartials) {
  EXPECT_EQ(counts_of(Variant::subgroup_tiles_32, {1}).scratch_bytes_used, 8 * 4);
  EXPECT_EQ(counts_of(Variant::subgroup_tiles_16, {1}).scratch_bytes_used, 16 * 4);
}

TEST(ReduceCounts, AnAtomicAClusterTakesFewerThanAnAtomicATeam) {
  LaunchCounts const by_team = counts_of(Variant::one_atomic_a_team, {1});
  LaunchCounts const by_cluster = counts_of(Variant::one_atomic_a_cluster, {4});
  // Each group adds and takes a ticket; the last one moves the total and resets the ticket.
  EXPECT_EQ(by_team.global_atomics, 2 * by_team.teams + 2);
  EXPECT_EQ(by_cluster.global_atomics, 2 * by_cluster.clusters + 2);
  EXPECT_EQ(by_cluster.clusters * 4, by_cluster.teams);
  EXPECT_EQ(by_cluster.cluster_barriers, 1);
}

/// The sum of 2^22 random floats by 1024 teams, under that schedule.
float sum_of_many_teams(Variant variant, std::string const& schedule) {
  std::uint64_t const count = 1 << 22;
  auto const in = make_data<float>(count, [](auto i) { return random_value<float>(9, i); });
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm", .schedule = schedule});
  std::vector<float> const sums =
      sums_of_two_launches(simulator, variant, 256, ClusterShape(1), in);
  EXPECT_EQ(simulator.last_counts().teams, 1024);
  EXPECT_EQ(sums[0], sums[1]) << "the second launch found places that were not empty";
  return sums[1];
}

TEST(Reduce, GivesEqualBitsFromPartialsWhateverTheSchedule) {
  for (Variant variant : {Variant::shared_tree, Variant::subgroup_tiles_32}) {
    float const sum = sum_of_many_teams(variant, "rank");
    EXPECT_EQ(sum_of_many_teams(variant, "reverse"), sum);
    EXPECT_EQ(sum_of_many_teams(variant, "last:0"), sum);
    EXPECT_EQ(sum_of_many_teams(variant, "random:7"), sum);
  }
}

/// Other data in each launch: a partial that the one before left would count as this one's.
TEST(Reduce, TakesNoPartialOfAnEarlierLaunch) {
  std::size_t const count = 1 << 18;
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  Buffer<std::int64_t, Simulator> data(simulator, count);
  for (Variant variant : all_variants) {
    Reduction<Simulator, std::int64_t> const reduction(simulator, variant, 256, ClusterShape(1));
    for (std::int64_t value : {1, 5, 2}) {
      deep_copy(data, value);
      // Leagues of different length, so that places of the longest are left and taken up again.
      std::int64_t const length = value == 5 ? count / 4 : count;
      reduction.launch(data.data(), length);
      EXPECT_EQ(reduction.read_result(), value * length) << to_string(variant);
    }
  }
}

void expect_refusal(Variant variant, int team, std::string const& part) {
  Simulator const simulator(SimulatorOptions{.profile = "tiny"});
  try {
    Reduction<Simulator, float> const reduction(simulator, variant, team, ClusterShape(1));
    FAIL() << "accepted " << team << " threads";
  } catch (std::invalid_argument const& refusal) {
    EXPECT_NE(std::string(refusal.what()).find(part), std::string::npos) << refusal.what();
  }
}

TEST(Reduce, RefusesTeamsThatTheVariantCantHave) {
  expect_refusal(Variant::shared_tree, 48, "power of two");
  expect_refusal(Variant::one_atomic_a_team, 30, "multiple of 4");
  expect_refusal(Variant::subgroup_tiles_16, 32, "subgroup, 4");
}

}  // namespace
}  // namespace kohort::kernels::reduce
