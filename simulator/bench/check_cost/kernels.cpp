// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.hpp"

#include <kernels/halo/reference.hpp>
#include <kernels/halo/row_stencil.hpp>
#include <kernels/histogram/histogram.hpp>
#include <kernels/reduce/reduction.hpp>
#include <simulator/bench/tree_reduction.hpp>

#include <cmath>
#include <memory>
#include <numeric>

namespace kohort::bench {
namespace {

#if defined(KOHORT_CHECK_COST_CHECKED)
constexpr char const* mode = "check";
#else
constexpr char const* mode = "run";
#endif

Simulator target() { return Simulator({.mode = mode}); }

template <class T>
std::vector<T> downloaded(Buffer<T, Simulator> const& buffer) {
  std::vector<T> values(buffer.size());
  deep_copy(values, buffer);
  return values;
}

/// Small whole numbers, whose sums floats hold exactly.
std::vector<float> small_numbers(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7 % 5);
  return values;
}

template <class T>
std::shared_ptr<Buffer<T, Simulator>> uploaded(std::vector<T> const& values) {
  auto buffer = std::make_shared<Buffer<T, Simulator>>(target(), values.size());
  deep_copy(*buffer, values);
  return buffer;
}

template <class T>
std::shared_ptr<Buffer<T, Simulator>> room(std::size_t count) {
  return std::make_shared<Buffer<T, Simulator>>(target(), count);
}

/// A barrier a halving, and little between.
template <int Threads>
CheckedKernel::Ready tree_reduction() {
  using Policy = ClusterPolicy<Simulator, TeamScratch<float[Threads]>>;
  int const blocks = 1024;
  auto const sums = room<float>(blocks);
  float* const out = sums->data();
  auto launch = [policy = Policy(target(), blocks, Threads), out, sums] {
    parallel_for("tree", policy, [=](typename Policy::member_type const& member) {
      auto& cells = member.team_scratch();
      int const thread = member.team_rank();
      cells[thread] = static_cast<float>(thread + member.league_rank());
      member.team_barrier();
      for (int half = Threads / 2; half > 0; half /= 2) {
        if (thread < half) cells[thread] += cells[thread + half];
        member.team_barrier();
      }
      if (thread == 0) out[member.league_rank()] = cells[0];
    });
  };
  auto is_right = [sums] {
    std::vector<float> const found = downloaded(*sums);
    for (int block = 0; block < blocks; ++block)
      if (found[static_cast<std::size_t>(block)] != expected_sum(block, Threads)) return false;
    return true;
  };
  return {launch, is_right};
}

CheckedKernel::Ready reduction(kernels::reduce::Variant variant, std::size_t count,
                               ClusterShape cluster) {
  auto const in = uploaded(small_numbers(count));
  auto const reduction = std::make_shared<kernels::reduce::Reduction<Simulator, float>>(
      target(), variant, 256, cluster);
  auto launch = [=] { reduction->launch(in->data(), static_cast<long long>(count)); };
  auto is_right = [=] {
    std::vector<float> const values = downloaded(*in);
    double const sum = std::accumulate(values.begin(), values.end(), 0.0);
    return std::abs(static_cast<double>(reduction->read_result()) - sum) <= 1e-6 * sum;
  };
  return {launch, is_right};
}

CheckedKernel::Ready halo(long long width, long long rows) {
  std::vector<float> const weights{0.4F, 0.2F, 0.1F, 0.05F, 0.05F};
  auto const in = uploaded(small_numbers(static_cast<std::size_t>(width * rows)));
  auto const out = room<float>(static_cast<std::size_t>(width * rows));
  auto const stencil = std::make_shared<kernels::halo::RowStencil<Simulator, float>>(
      target(), weights, ClusterShape(4));
  auto launch = [=] { stencil->launch(in->data(), out->data(), width, rows); };
  auto is_right = [=] {
    std::vector<float> const values = downloaded(*in);
    std::vector<float> const found = downloaded(*out);
    for (long long at = 16; at < width - 16; ++at) {
      double expected = static_cast<double>(weights[0]) * values[static_cast<std::size_t>(at)];
      for (std::size_t r = 1; r < weights.size(); ++r)
        expected += static_cast<double>(weights[r]) * (values[static_cast<std::size_t>(at) - r] +
                                                       values[static_cast<std::size_t>(at) + r]);
      if (std::abs(found[static_cast<std::size_t>(at)] - expected) > 1e-4) return false;
    }
    return true;
  };
  return {launch, is_right};
}

CheckedKernel::Ready scaled_sum(std::size_t count) {
  using Policy = ClusterPolicy<Simulator>;
  auto const x = uploaded(small_numbers(count));
  auto const y = uploaded(small_numbers(count));
  auto const z = room<float>(count);
  float const* const a = x->data();
  float const* const b = y->data();
  float* const c = z->data();
  int const threads = 256;
  int const each = 64;
  auto const teams = static_cast<int>(count / (threads * each));
  auto launch = [=, policy = Policy(target(), teams, threads)] {
    parallel_for("scaled_sum", policy, [=](Policy::member_type const& member) {
      std::size_t const first = static_cast<std::size_t>(member.league_rank()) * (threads * each) +
                                static_cast<std::size_t>(member.team_rank());
      for (std::size_t i = 0; i < each; ++i)
        c[first + i * threads] = 2.0F * a[first + i * threads] + b[first + i * threads];
    });
  };
  auto is_right = [=] {
    std::vector<float> const found = downloaded(*z);
    std::vector<float> const values = small_numbers(count);
    for (std::size_t i = 0; i < count; ++i)
      if (found[i] != 3.0F * values[i]) return false;
    return static_cast<bool>(x) && static_cast<bool>(y);
  };
  return {launch, is_right};
}

CheckedKernel::Ready histogram(std::size_t count, int bins) {
  std::vector<int> samples(count);
  for (std::size_t i = 0; i < count; ++i)
    samples[i] = static_cast<int>(i * 2654435761U % static_cast<unsigned>(bins));
  auto const in = uploaded(samples);
  auto const out = room<unsigned>(static_cast<std::size_t>(bins));
  auto const kernel = std::make_shared<kernels::histogram::Histogram<Simulator>>(
      target(), kernels::histogram::Bins(bins, 0, 1), 256);
  auto launch = [=] { kernel->launch(in->data(), static_cast<long long>(count), out->data()); };
  auto is_right = [=] {
    std::vector<unsigned> const found = downloaded(*out);
    std::vector<unsigned> expected(static_cast<std::size_t>(bins), 0);
    for (int const sample : samples) ++expected[static_cast<std::size_t>(sample)];
    return found == expected;
  };
  return {launch, is_right};
}

}  // namespace
}  // namespace kohort::bench

#if defined(KOHORT_CHECK_COST_CHECKED)
extern "C" void kohort_checked_kernels(std::vector<kohort::bench::CheckedKernel>& kernels) {
#else
extern "C" void kohort_plain_kernels(std::vector<kohort::bench::CheckedKernel>& kernels) {
#endif
  using namespace kohort::bench;
  using kohort::kernels::reduce::Variant;
  constexpr std::size_t million = std::size_t{1} << 20U;
  auto const bytes = [](double elements) { return 4.0 * elements; };
  kernels = {
      {"tree_reduction_256", true, bytes(1024), [] { return tree_reduction<256>(); }},
      {"tree_reduction_1024", true, bytes(1024), [] { return tree_reduction<1024>(); }},
      {"reduce_shared_tree", true, bytes(million),
       [] { return reduction(Variant::shared_tree, million, 1); }},
      {"reduce_clusters", true, bytes(million),
       [] { return reduction(Variant::one_atomic_a_cluster, million, 4); }},
      {"halo", true, bytes(2 * million), [] { return halo(million / 16, 16); }},
      {"reduce_streaming", false, bytes(16 * million),
       [] { return reduction(Variant::one_atomic_a_team, 16 * million, 1); }},
      {"scaled_sum", false, bytes(3.0 * 4 * million), [] { return scaled_sum(4 * million); }},
      {"histogram", false, bytes(4 * million), [] { return histogram(4 * million, 2048); }},
  };
}
