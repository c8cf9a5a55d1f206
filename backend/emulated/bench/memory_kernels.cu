// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce, histogram and halo.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>

#include <backend/emulated/bench/kernels.cuh>
#include <kernels/common/random_data.hpp>
#include <kernels/halo/reference.hpp>
#include <kernels/halo/row_stencil.hpp>
#include <kernels/histogram/histogram.hpp>
#include <kernels/histogram/reference.hpp>
#include <kernels/reduce/reduction.hpp>
#include <kernels/reduce/reference.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>

namespace kohort::bench {
namespace {

bool complain(std::string const& name) {
  std::fprintf(stderr, "%s: the result is wrong\n", name.c_str());
  return false;
}

}  // namespace

bool measure_reduce(Targets const& targets, Options const& options, Report& report) {
  using namespace kernels::reduce;
  bool right = true;
  for (long long count : {1LL << 20, 1LL << 24, 1LL << 28}) {
    auto const host =
        kernels::make_data<float>(count, [](auto i) { return kernels::random_value<float>(7, i); });
    Buffer<float, Cuda> in(targets.native, count);
    deep_copy(in, host);
    auto const reference = reference_sum(std::span<float const>(host));
    std::vector<std::unique_ptr<Reduction<Cuda, float>>> all;
    std::vector<Contender> contenders;
    std::string const prefix = "reduce/float/" + std::to_string(count) + "/";
    auto const add = [&](Cuda const& target, Variant variant, int threads, int cluster,
                         std::string const& how) {
      all.push_back(std::make_unique<Reduction<Cuda, float>>(target, variant, threads,
                                                             ClusterShape(cluster)));
      auto* const mine = all.back().get();
      contenders.push_back({prefix + how, [mine, &in, count] { mine->launch(in.data(), count); }});
      for (int time = 0; time < 2; ++time) {
        check(cudaMemset(mine->result(), 0xff, sizeof(float)), "cudaMemset");
        mine->launch(in.data(), count);
        if (!(relative_error(mine->read_result(), reference) <= error_bound<float>()))
          right = complain(prefix + how);
      }
    };
    add(targets.emulated, Variant::one_atomic_a_cluster, 256, 8, "emulated 8 × 256");
    add(targets.native, Variant::one_atomic_a_cluster, 256, 8, "native 8 × 256");
    add(targets.emulated, Variant::one_atomic_a_cluster, 512, 2, "emulated 2 × 512");
    add(targets.native, Variant::one_atomic_a_cluster, 512, 2, "native 2 × 512");
    add(targets.native, Variant::one_atomic_a_team, 256, 1, "no clusters, 256");
    add(targets.native, Variant::one_atomic_a_team, 512, 1, "no clusters, 512");
    add(targets.native, Variant::subgroup_tiles_32, 512, 1, "no clusters, tiles, 512");
    Buffer<float, Cuda> result(targets.native, 1);
    std::size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, in.data(), result.data(), count);
    Buffer<char, Cuda> temporary(targets.native, bytes);
    contenders.push_back({prefix + "CUB", [&] {
                            cub::DeviceReduce::Sum(temporary.data(), bytes, in.data(),
                                                   result.data(), count);
                          }});
    if (!right) return false;
    add_comparison(report, contenders, 0, 1, {4, 5, 6, 7}, options.rounds);
    std::vector<Contender> const pairs(contenders.begin() + 2, contenders.end());
    add_comparison(report, {pairs[0], pairs[1], pairs[3]}, 0, 1, {2}, options.rounds);
  }
  return right;
}

bool measure_histogram(Targets const& targets, Options const& options, Report& report) {
  using namespace kernels::histogram;
  constexpr long long count = 1LL << 28;
  bool right = true;
  for (int bins : {2048, 49152, 65536, 131072, 262144}) {
    auto const host = kernels::make_data<int>(count, [=](auto i) {
      return static_cast<int>((kernels::random_word(5, i) >> 32) * bins >> 32);
    });
    Buffer<int, Cuda> in(targets.native, count);
    deep_copy(in, host);
    Buffer<unsigned, Cuda> out(targets.native, bins);
    Bins const wanted(bins, 0, 1);
    Histogram<Cuda> const emulated(targets.emulated, wanted);
    Histogram<Cuda> const native(targets.native, wanted);
    std::size_t bytes = 0;
    auto const cub_call = [&](void* temporary) {
      return cub::DeviceHistogram::HistogramEven(temporary, bytes, in.data(), out.data(), bins + 1,
                                                 0, bins, static_cast<int>(count));
    };
    check(cub_call(nullptr), "CUB");
    Buffer<char, Cuda> temporary(targets.native, bytes);
    std::string const name = "histogram/int32/268435456/bins:" + std::to_string(bins) +
                             "/cluster:" + std::to_string(emulated.cluster().count());
    std::vector<Contender> const contenders{
        {name + "/emulated", [&] { emulated.launch(in.data(), count, out.data()); }},
        {name + "/native", [&] { native.launch(in.data(), count, out.data()); }},
        {name + "/CUB", [&] { cub_call(temporary.data()); }}};
    auto const expected = reference_histogram(std::span<int const>(host), bins, 0, 1);
    for (Contender const& contender : contenders) {
      check(cudaMemset(out.data(), 0xff, bins * sizeof(unsigned)), "cudaMemset");
      contender.call();
      std::vector<unsigned> counted(bins);
      deep_copy(counted, out);
      if (counted != expected) return complain(contender.name);
    }
    // Where one team holds the bins, the kernel without clusters is the same one.
    std::vector<std::size_t> rivals{2};
    if (native.cluster().count() == 1) rivals.push_back(1);
    add_comparison(report, contenders, 0, 1, rivals, options.rounds / 2 + 1);
  }
  return right;
}

bool measure_halo(Targets const& targets, Options const& options, Report& report) {
  using namespace kernels::halo;
  constexpr long long width = 1LL << 26;
  auto const host =
      kernels::make_data<float>(width, [](auto i) { return kernels::random_value<float>(11, i); });
  Buffer<float, Cuda> in(targets.native, width);
  Buffer<float, Cuda> out(targets.native, width);
  deep_copy(in, host);
  for (int radius : {4, 16}) {
    auto const weights = falling_weights<float>(radius);
    for (int cluster : {2, 8}) {
      RowStencil<Cuda, float> const emulated(targets.emulated, std::span<float const>(weights),
                                             ClusterShape(cluster));
      RowStencil<Cuda, float> const native(targets.native, std::span<float const>(weights),
                                           ClusterShape(cluster));
      std::string const name = "halo/float/67108864/radius:" + std::to_string(radius) +
                               "/cluster:" + std::to_string(cluster);
      std::vector<Contender> const contenders{
          {name + "/emulated", [&] { emulated.launch(in.data(), out.data(), width, 1); }},
          {name + "/native", [&] { native.launch(in.data(), out.data(), width, 1); }}};
      for (Contender const& contender : contenders) {
        check(cudaMemset(out.data(), 0xff, width * sizeof(float)), "cudaMemset");
        contender.call();
        std::vector<float> result(width);
        deep_copy(result, out);
        std::atomic<long long> wrong = 0;
        kernels::in_parallel_parts(width, [&](std::uint64_t first, std::uint64_t end) {
          for (std::uint64_t i = first; i < end; ++i) {
            double const expected = reference_element(
                host.data(), width, std::span<float const>(weights), static_cast<long long>(i));
            if (!(std::abs(result[i] - expected) <= error_bound<float>())) ++wrong;
          }
        });
        if (wrong != 0) return complain(contender.name);
      }
      add_comparison(report, contenders, 0, 1, {}, options.rounds);
    }
  }
  return true;
}

}  // namespace kohort::bench
