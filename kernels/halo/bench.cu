// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halo: Kohort's stencil beside its twin in plain CUDA, and beside a copy of the same bytes.
#include <kernels/bench/kernel_of.cuh>
#include <kernels/bench/measure.cuh>
#include <kernels/halo/reference.hpp>
#include <kernels/halo/row_stencil.hpp>
#include <kernels/halo/twin.cuh>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <span>

namespace {

using namespace kohort;
using bench::check;

constexpr int team_threads = 256;
constexpr int packets_a_thread = 3;

template <int MaxRadius>
using Ours = kernels::halo::Stencil<float, MaxRadius, team_threads, packets_a_thread>;

template <int MaxRadius>
constexpr auto twin_kernel = twin::halo::stencil<float, MaxRadius, team_threads, packets_a_thread>;

template <int MaxRadius>
constexpr int scratch_bytes = 3 * sizeof(typename Ours<MaxRadius>::tile_type);

template <int MaxRadius>
void launch_twin(float const* in, float* out, long long width, std::vector<float> const& weights,
                 int cluster, int blocks) {
  twin::halo::Problem<float, MaxRadius> problem{in, out, width, width, 1, {}};
  std::copy(weights.begin(), weights.end(), problem.weights);
  cudaLaunchAttribute shape{};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(team_threads);
  config.dynamicSmemBytes = scratch_bytes<MaxRadius>;
  config.attrs = &shape;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, twin_kernel<MaxRadius>, problem);
}

class Bench {
 public:
  explicit Bench(bench::Options const& options)
      : options_(options),
        report_("kohort_bench_halo", options),
        in_(kernels::make_data<float>(width,
                                      [](auto i) { return kernels::random_value<float>(11, i); })),
        device_in_(target_, width),
        device_out_(target_, width) {
    bench::add_device_context(report_);
    report_.add_context("data", "one row of 2^28 uniform random floats in [0, 1), seed 11");
    report_.add_context("l2", "input and output are many times L2");
    report_.add_context("ratio_to_twin", "time of ours over time of the twin, alternating alone");
    deep_copy(device_in_, in_);
  }

  bool run() {
    bool right = true;
    right &= run_radius<4>(4);
    right &= run_radius<8>(8);
    right &= run_radius<16>(16);
    return report_.publish() && right;
  }

 private:
  static constexpr long long width = 1LL << 28;

  template <int MaxRadius>
  bool run_radius(int radius) {
    auto const weights = kernels::halo::falling_weights<float>(radius);
    check(cudaFuncSetAttribute(twin_kernel<MaxRadius>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               scratch_bytes<MaxRadius>),
          "cudaFuncSetAttribute");
    expected_ = kernels::make_data<double>(width, [&](auto i) {
      return kernels::halo::reference_element(in_.data(), width, std::span<float const>(weights),
                                              static_cast<long long>(i));
    });
    bool right = true;
    for (int cluster : {2, 4, 8}) right &= run_cluster<MaxRadius>(weights, radius, cluster);
    return right;
  }

  template <int MaxRadius>
  bool run_cluster(std::vector<float> const& weights, int radius, int cluster) {
    kernels::halo::RowStencil<Cuda, float> const ours(target_, std::span<float const>(weights),
                                                      ClusterShape(cluster));
    std::string const name = "halo/float/268435456/radius:" + std::to_string(radius) +
                             "/cluster:" + std::to_string(cluster);
    std::vector<bench::Contender> const contenders{
        {name, [&] { ours.launch(device_in_.data(), device_out_.data(), width, 1); }},
        {name + "/twin",
         [&] {
           launch_twin<MaxRadius>(device_in_.data(), device_out_.data(), width, weights, cluster,
                                  ours.league(width, 1).x);
         }},
        {"copy of the same bytes", [&] {
           cudaMemcpyAsync(device_out_.data(), device_in_.data(), width * sizeof(float),
                           cudaMemcpyDeviceToDevice, nullptr);
         }}};
    bool right = verify(contenders[0]) && verify(contenders[1]);
    if (!right) return false;
    measure<MaxRadius>(contenders);
    return true;
  }

  bool verify(bench::Contender const& contender) {
    check(cudaMemset(device_out_.data(), 0xff, width * sizeof(float)), "cudaMemset");
    contender.call();
    std::vector<float> out(width);
    deep_copy(out, device_out_);
    std::atomic<long long> wrong = 0;
    kernels::in_parallel_parts(width, [&](std::uint64_t first, std::uint64_t end) {
      for (std::uint64_t i = first; i < end; ++i)
        if (!(std::abs(out[i] - expected_[i]) <= kernels::halo::error_bound<float>())) ++wrong;
    });
    if (wrong == 0) return true;
    std::fprintf(stderr, "%s: %lld elements are wrong\n", contender.name.c_str(), wrong.load());
    return false;
  }

  template <int MaxRadius>
  void measure(std::vector<bench::Contender> const& contenders) {
    auto const timings = bench::alternate(contenders, options_.rounds, 1);
    // The copy leaves L2 in a state of its own to what follows: ours and the twin meet alone too.
    auto const pair = bench::alternate({contenders[0], contenders[1]}, options_.rounds, 1);
    int const scratch = scratch_bytes<MaxRadius>;
    bench::Footprint const footprints[] = {
        bench::footprint(bench::kernel_of<Ours<MaxRadius>>(true), team_threads, scratch),
        bench::footprint(reinterpret_cast<void const*>(twin_kernel<MaxRadius>), team_threads,
                         scratch)};
    for (std::size_t i = 0; i < 2; ++i) {
      bench::Entry entry{contenders[i].name, timings[i], {}, {}};
      entry.figures = {{"tb_per_s", 8.0 * width / timings[i].median_us / 1e6},
                       {"speed_to_copy", timings[2].median_us / timings[i].median_us}};
      if (i == 0)
        entry.figures.emplace_back("ratio_to_twin", pair[0].median_us / pair[1].median_us);
      entry.figures.emplace_back("registers", footprints[i].registers);
      entry.figures.emplace_back("shared_bytes", footprints[i].shared_bytes);
      entry.figures.emplace_back("blocks_an_sm", footprints[i].blocks_an_sm);
      report_.add(entry);
    }
  }

  bench::Options options_;
  bench::Report report_;
  std::vector<float> in_;
  std::vector<double> expected_;
  Cuda target_{cudaStream_t{0}};  // the twin and the copy use the default stream
  Buffer<float, Cuda> device_in_;
  Buffer<float, Cuda> device_out_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    return Bench(kohort::bench::parse_options(argc, argv)).run() ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
