// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <kernels/histogram/histogram.hpp>
#include <kernels/histogram/reference.hpp>

#include <span>
#include <vector>

namespace kohort::kernels::histogram {
namespace {

ClusterShape const shapes[] = {{1}, {2}, {4}, {2, 2}, {8}, {16}, {4, 2}, {2, 2, 2}};

std::vector<unsigned> count_twice(Histogram<Simulator> const& histogram, Simulator const& simulator,
                                  std::vector<int> const& in, int bins) {
  Buffer<int, Simulator> device_in(simulator, in.size());
  Buffer<unsigned, Simulator> device_out(simulator, static_cast<std::size_t>(bins));
  deep_copy(device_in, in);
  deep_copy(device_out, 0xdeadbeefu);
  for (int launch = 0; launch < 2; ++launch)  // the second finds the first one's counters
    histogram.launch(device_in.data(), static_cast<long long>(in.size()), device_out.data());
  std::vector<unsigned> counted(static_cast<std::size_t>(bins));
  deep_copy(counted, device_out);
  return counted;
}

/// Samples of which some lie below and above the bins.
std::vector<int> samples_around(std::uint64_t seed, std::uint64_t count, int lower, int range) {
  return make_data<int>(count, [&](auto i) {
    return lower - range / 8 + static_cast<int>(random_word(seed, i) % (range + range / 4 + 1));
  });
}

void counts_as_the_reference(std::string const& profile, int shape_count, int most_bins) {
  ClusterShape const cluster = shapes[*rc::gen::inRange(0, shape_count)];
  int const bin_count = *rc::gen::inRange(1, most_bins);
  auto const width = static_cast<unsigned>(*rc::gen::inRange(1, 50));
  int const lower = *rc::gen::inRange(-100000, 100000);
  auto const count = static_cast<std::uint64_t>(*rc::gen::inRange(0, 30000));
  int const team = 32 << *rc::gen::inRange(0, 2);
  auto const in = samples_around(*rc::gen::arbitrary<std::uint32_t>(), count, lower,
                                 bin_count * static_cast<int>(width));
  Simulator const simulator(SimulatorOptions{.profile = profile});
  Histogram<Simulator> const histogram(simulator, Bins(bin_count, lower, width), team, cluster);
  RC_ASSERT(count_twice(histogram, simulator, in, bin_count) ==
            reference_histogram(std::span<int const>(in), bin_count, lower, width));
}

RC_GTEST_PROP(HistogramProperty, Counts, ()) { counts_as_the_reference("h200-sxm", 8, 5000); }
RC_GTEST_PROP(HistogramProperty, CountsOnTheSmallDevice, ()) {
  counts_as_the_reference("tiny", 4, 990);
}

/// Every bin count up to the device's largest cluster: the harness chooses the cluster.
RC_GTEST_PROP(HistogramProperty, SpreadsBinsThatOneTeamCantHold, ()) {
  int const bin_count = *rc::gen::inRange(993, 4 * 992 + 1);
  auto const in = samples_around(*rc::gen::arbitrary<std::uint32_t>(), 5000, 0, bin_count);
  Simulator const simulator(SimulatorOptions{.profile = "tiny"});
  Histogram<Simulator> const histogram(simulator, Bins(bin_count, 0, 1));
  RC_ASSERT(histogram.cluster().count() > 1);
  RC_ASSERT(count_twice(histogram, simulator, in, bin_count) ==
            reference_histogram(std::span<int const>(in), bin_count, 0, 1));
}

RC_GTEST_PROP(FastDivideProperty, EqualsDivision, ()) {
  auto const divisor = *rc::gen::inRange<std::uint32_t>(1, 1u << 31);
  auto const number = *rc::gen::inRange<std::uint32_t>(0, 1u << 31);
  RC_ASSERT(FastDivide(divisor).quotient(number) == number / divisor);
  auto const multiple = number / divisor * divisor;  // where rounding would show first
  RC_ASSERT(FastDivide(divisor).quotient(multiple) == multiple / divisor);
  RC_ASSERT(multiple == 0 ||
            FastDivide(divisor).quotient(multiple - 1) == (multiple - 1) / divisor);
}

TEST(Histogram, TakesOneTeamWhileTheBinsFit) {
  Simulator const simulator(SimulatorOptions{.profile = "h200-sxm"});
  EXPECT_EQ(Histogram<Simulator>(simulator, Bins(49152, 0, 1)).cluster().count(), 1);
  EXPECT_EQ(Histogram<Simulator>(simulator, Bins(65536, 0, 1)).cluster().count(), 2);
  EXPECT_EQ(Histogram<Simulator>(simulator, Bins(256, 0, 1)).copies(), 32);
}

TEST(Histogram, RefusesMoreBinsThanTheLargestClusterHoldsAndNamesIt) {
  Simulator const simulator(SimulatorOptions{.profile = "tiny"});
  try {
    Histogram<Simulator> const histogram(simulator, Bins(4 * 992 + 1, 0, 1));
    FAIL() << "accepted";
  } catch (std::invalid_argument const& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("3968"), std::string::npos) << refusal.what();
  }
}

TEST(Histogram, PushesToPeersAlone) {
  Simulator const simulator(SimulatorOptions{.profile = "tiny"});
  std::vector<int> const in(1000, 0);  // all belong to the first team of each cluster
  Histogram<Simulator> const histogram(simulator, Bins(64, 0, 1), 32, ClusterShape(2));
  std::vector<unsigned> const counted = count_twice(histogram, simulator, in, 64);
  EXPECT_EQ(counted[0], 1000u);
  EXPECT_GT(simulator.last_counts().remote_atomics, 0);
  EXPECT_EQ(simulator.last_counts().remote_atomics + simulator.last_counts().team_atomics, 1000);
}

}  // namespace
}  // namespace kohort::kernels::histogram
