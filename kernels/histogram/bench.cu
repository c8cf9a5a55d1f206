// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// histogram: Kohort's beside its twin in plain CUDA, and beside CUB.
#include <cub/device/device_histogram.cuh>

#include <kernels/bench/kernel_of.cuh>
#include <kernels/bench/measure.cuh>
#include <kernels/histogram/histogram.hpp>
#include <kernels/histogram/reference.hpp>
#include <kernels/histogram/twin.cuh>

#include <cstdio>
#include <span>

namespace {

using namespace kohort;
using bench::check;
using kernels::histogram::Bins;
using kernels::histogram::Histogram;

/// The twin launched as by hand, with the numbers that Kohort's harness chose.
class Twin {
 public:
  Twin(Histogram<Cuda> const& ours, Bins const& bins) : ours_(ours), bins_(bins) {
    bool const two = ours.two_teams_an_sm();
    if (ours.cluster().count() > 1) {
      kernel_ = twin::histogram::count_in_cluster<1>;
    } else {
      kernel_ =
          two ? twin::histogram::count_in_one_block<2> : twin::histogram::count_in_one_block<1>;
    }
    check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448),
          "cudaFuncSetAttribute");
  }

  void launch(int const* in, long long count, unsigned* out) const {
    twin::histogram::clear<<<(bins_.count + 255) / 256, 256>>>(out, bins_.count);
    int const cluster = static_cast<int>(ours_.cluster().count());
    int copies_log2 = 0;
    while ((1 << copies_log2) < ours_.copies()) ++copies_log2;
    twin::histogram::Problem const problem{
        in,
        count,
        bins_.count,
        bins_.lower,
        twin::histogram::make_divisor(bins_.width.divisor()),
        bins_.range,
        twin::histogram::make_divisor(static_cast<unsigned>((bins_.count + cluster - 1) / cluster)),
        ours_.cell_count(),
        copies_log2,
        out};
    cudaLaunchAttribute shape{};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(ours_.resident_clusters() * cluster);
    config.blockDim = dim3(ours_.team_threads());
    config.dynamicSmemBytes = static_cast<std::size_t>(ours_.cell_count()) * 4;
    config.attrs = &shape;
    config.numAttrs = cluster > 1 ? 1 : 0;
    cudaLaunchKernelEx(&config, kernel_, problem);
  }
  bench::Footprint footprint() const {
    return bench::footprint(reinterpret_cast<void const*>(kernel_), ours_.team_threads(),
                            ours_.cell_count() * 4);
  }

 private:
  Histogram<Cuda> const& ours_;
  Bins bins_;
  void (*kernel_)(twin::histogram::Problem) = nullptr;
};

/// CUB's histogram of even bins, its temporary memory allocated beforehand.
class Cub {
 public:
  Cub(int const* in, long long count, unsigned* out, Bins const& bins)
      : in_(in), count_(count), out_(out), bins_(bins) {
    check(call(nullptr), "cub::DeviceHistogram::HistogramEven");
    check(cudaMalloc(&temporary_, bytes_), "cudaMalloc");
  }
  ~Cub() { cudaFree(temporary_); }
  cudaError_t call(void* temporary) {
    return cub::DeviceHistogram::HistogramEven(temporary, bytes_, in_, out_, bins_.count + 1,
                                               bins_.lower,
                                               bins_.lower + static_cast<int>(bins_.range), count_);
  }
  void launch() { call(temporary_); }

 private:
  int const* in_;
  long long count_;
  unsigned* out_;
  Bins bins_;
  void* temporary_ = nullptr;
  std::size_t bytes_ = 0;
};

class Bench {
 public:
  explicit Bench(bench::Options const& options)
      : options_(options),
        report_("kohort_bench_histogram", options),
        device_in_(target_, count),
        device_out_(target_, 1 << 20) {
    bench::add_device_context(report_);
    report_.add_context("data", "2^28 uniform random int32 in [0, bins), bins of width 1, seed 5");
    report_.add_context("l2", "the input is many times L2");
    report_.add_context("ratio_to_twin", "time of ours over time of the twin, alternating alone");
    report_.add_context("speed_to_cub", "CUB's time over ours, clearing the bins included");
  }

  bool run() {
    bool right = true;
    for (int bins : {256, 2048, 16384, 49152, 65536, 131072, 262144}) right &= run_bins(bins);
    return report_.publish() && right;
  }

 private:
  static constexpr long long count = 1LL << 28;

  bool run_bins(int bin_count) {
    auto const in = kernels::make_data<int>(count, [=](auto i) {
      return static_cast<int>((kernels::random_word(5, i) >> 32) * bin_count >> 32);
    });
    deep_copy(device_in_, in);
    Bins const bins(bin_count, 0, 1);
    Histogram<Cuda> const ours(target_, bins);
    Twin const twin(ours, bins);
    Cub cub(device_in_.data(), count, device_out_.data(), bins);
    std::string const name = "histogram/int32/268435456/bins:" + std::to_string(bin_count) +
                             "/cluster:" + std::to_string(ours.cluster().count());
    std::vector<bench::Contender> const contenders{
        {name + "/cub", [&] { cub.launch(); }},
        {name, [&] { ours.launch(device_in_.data(), count, device_out_.data()); }},
        {name + "/twin", [&] { twin.launch(device_in_.data(), count, device_out_.data()); }}};
    auto const expected =
        kernels::histogram::reference_histogram(std::span<int const>(in), bin_count, 0, 1);
    for (bench::Contender const& contender : contenders)
      if (!verify(contender, expected)) return false;
    measure(contenders, ours, twin);
    return true;
  }

  bool verify(bench::Contender const& contender, std::vector<unsigned> const& expected) {
    check(cudaMemset(device_out_.data(), 0xff, device_out_.size() * 4), "cudaMemset");
    contender.call();
    check(cudaGetLastError(), contender.name.c_str());
    std::vector<unsigned> counted(device_out_.size());
    deep_copy(counted, device_out_);
    counted.resize(expected.size());
    if (counted == expected) return true;
    std::fprintf(stderr, "%s: counters differ from the reference\n", contender.name.c_str());
    return false;
  }

  void measure(std::vector<bench::Contender> const& contenders, Histogram<Cuda> const& ours,
               Twin const& twin) {
    auto const timings = bench::alternate(contenders, options_.rounds / 2 + 1, 1);
    // CUB's long runs change the clocks of what follows: ours and the twin meet alone as well.
    auto const pair = bench::alternate({contenders[1], contenders[2]}, options_.rounds, 1);
    using kernels::histogram::Count;
    using kernels::histogram::Place;
    void const* const kernel =
        ours.cluster().count() > 1 ? bench::kernel_of<Count<Place::cluster, 1>>(true)
        : ours.two_teams_an_sm()   ? bench::kernel_of<Count<Place::one_team, 2>>(false)
                                   : bench::kernel_of<Count<Place::one_team, 1>>(false);
    bench::Footprint const footprints[] = {
        bench::footprint(kernel, ours.team_threads(), ours.cell_count() * 4), twin.footprint()};
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      bench::Entry entry{contenders[i].name, timings[i], {}, {}};
      entry.figures = {{"gsamples_per_s", count / timings[i].median_us / 1e3},
                       {"speed_to_cub", timings[0].median_us / timings[i].median_us}};
      if (i == 1)
        entry.figures.emplace_back("ratio_to_twin", pair[0].median_us / pair[1].median_us);
      if (i > 0) {
        entry.figures.emplace_back("alone_us", pair[i - 1].median_us);
        entry.figures.emplace_back("alone_noise_percent", pair[i - 1].noise_percent);
        entry.figures.emplace_back("copies", ours.copies());
        entry.figures.emplace_back("registers", footprints[i - 1].registers);
        entry.figures.emplace_back("shared_bytes", footprints[i - 1].shared_bytes);
        entry.figures.emplace_back("blocks_an_sm", footprints[i - 1].blocks_an_sm);
      }
      report_.add(entry);
    }
  }

  bench::Options options_;
  bench::Report report_;
  Cuda target_{cudaStream_t{0}};  // the twin and CUB use the default stream
  Buffer<int, Cuda> device_in_;
  Buffer<unsigned, Cuda> device_out_;
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
