// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <kernels/halo/reference.hpp>
#include <kernels/halo/row_stencil.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace kohort::kernels::halo {
namespace {

ClusterShape const shapes[] = {{1}, {2}, {4}, {2, 2}, {1, 2}, {8}, {16}, {4, 2}};

/// Runs over random rows from a poisoned output; compares every element, and shows that what lies
/// between the rows was left alone.
template <class T>
void matches_the_reference(std::string const& profile, int shape_count, int widest) {
  long long const width = *rc::gen::inRange(1, widest);
  long long const rows = *rc::gen::inRange(1, 6);
  int const radius = *rc::gen::inRange(1, largest_radius + 1);
  ClusterShape const cluster = shapes[*rc::gen::inRange(0, shape_count)];
  std::uint64_t const seed = *rc::gen::arbitrary<std::uint32_t>();
  long long const pitch = pitch_of<T>(width);
  auto const weights = falling_weights<T>(radius);
  auto const in = make_data<T>(static_cast<std::uint64_t>(pitch * rows),
                               [&](auto i) { return random_value<T>(seed, i); });

  Simulator const simulator(SimulatorOptions{.profile = profile});
  Buffer<T, Simulator> device_in(simulator, in.size());
  Buffer<T, Simulator> device_out(simulator, in.size());
  deep_copy(device_in, in);
  deep_copy(device_out, std::numeric_limits<T>::quiet_NaN());
  RowStencil<Simulator, T> const stencil(simulator, std::span<T const>(weights), cluster);
  stencil.launch(device_in.data(), device_out.data(), width, rows);

  std::vector<T> out(in.size());
  deep_copy(out, device_out);
  RC_ASSERT(largest_error(std::span<T const>(in), std::span<T const>(out), width, pitch, rows,
                          std::span<T const>(weights)) <= error_bound<T>());
  for (long long row = 0; row < rows; ++row)
    for (long long i = width; i < pitch; ++i) RC_ASSERT(std::isnan(out[row * pitch + i]));
}

RC_GTEST_PROP(HaloProperty, Floats, ()) { matches_the_reference<float>("h200-sxm", 8, 40000); }
RC_GTEST_PROP(HaloProperty, Doubles, ()) { matches_the_reference<double>("h200-sxm", 8, 20000); }
// The small device takes many rounds a row: its league holds eight tiles of 128 elements or fewer.
RC_GTEST_PROP(HaloProperty, FloatsInManyRounds, ()) {
  matches_the_reference<float>("tiny", 5, 20000);
}
RC_GTEST_PROP(HaloProperty, DoublesInManyRounds, ()) {
  matches_the_reference<double>("tiny", 5, 20000);
}

TEST(Halo, KeepsAConstantRowConstantInside) {
  Simulator const simulator(SimulatorOptions{.profile = "tiny"});
  std::vector<float> const in(1000, 2.0f);
  Buffer<float, Simulator> device_in(simulator, in.size());
  Buffer<float, Simulator> device_out(simulator, in.size());
  deep_copy(device_in, in);
  auto const weights = falling_weights<float>(2);
  RowStencil<Simulator, float> const stencil(simulator, std::span<float const>(weights),
                                             ClusterShape(2));
  stencil.launch(device_in.data(), device_out.data(), 1000, 1);
  std::vector<float> out(in.size());
  deep_copy(out, device_out);
  for (int i = 2; i < 998; ++i) ASSERT_NEAR(out[i], 2.0f, 1e-6f) << i;
  EXPECT_LT(out[0], 2.0f);  // zeros lie beyond the row
  EXPECT_LT(out[999], 2.0f);
}

TEST(Halo, RefusesARadiusThatNoKernelIsUnrolledFor) {
  Simulator const simulator(SimulatorOptions{.profile = "tiny"});
  std::vector<float> const weights(largest_radius + 2, 0.0f);
  EXPECT_THROW(
      (RowStencil<Simulator, float>(simulator, std::span<float const>(weights), ClusterShape(1))),
      std::invalid_argument);
}

}  // namespace
}  // namespace kohort::kernels::halo
