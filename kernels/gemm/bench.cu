// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm: Kohort's beside cuBLAS (cuBLASLt for 8-bit floats), with and without multicast, and beside
// kernel 11 of fast.cu where its sources are given (KOHORT_FAST_CU_SOURCE). All contenders of a
// problem alternate in one process, after verification over poisoned results.
#include <kernels/bench/measure.cuh>
#include <kernels/gemm/bench_data.cuh>
#include <kernels/gemm/cublas.hpp>
#include <kernels/gemm/gemm_impl.hpp>

#if defined(KOHORT_HAS_FAST_CU)
#include <kernels/gemm/bench_fast_cu.cuh>
#endif

#include <cmath>
#include <cstdio>
#include <memory>

template class kohort::kernels::gemm::Gemm<kohort::Cuda, kohort::bfloat16>;
template class kohort::kernels::gemm::Gemm<kohort::Cuda, kohort::float8_e4m3>;

namespace {

using namespace kohort;
using namespace kohort::kernels;
using bench::check;

struct Size {
  int m;
  int n;
  int k;
};

/// What the issue of this kernel names; the ratio's geometric mean is over these.
constexpr Size sizes[] = {{1024, 1024, 1024}, {2048, 2048, 2048},    {4096, 4096, 4096},
                          {8192, 8192, 8192}, {16384, 16384, 16384}, {512, 512, 16384},
                          {8192, 8192, 512},  {16384, 4096, 2048}};

template <class In>
constexpr char const* type_name = sizeof(In) == 1 ? "fp8" : "bf16";

class Suite {
 public:
  explicit Suite(bench::Options const& options)
      : options_(options), report_("gemm on CUDA", options), target_(cudaStreamPerThread) {
    cublas_.set_stream(cudaStreamPerThread);
    bench::add_device_context(report_);
    report_.add_context("data", "normal, A row-major, B column-major");
    report_.add_context(
        "state", "contenders alternate (ABBA) for as long as the samples take; clocks as found");
    report_.add_context("launches",
                        "replayed: by a CUDA graph of some 4 ms, so that the host's part is not in "
                        "the time; queued: one by one by the host");
  }

  template <class In>
  void run_type() {
    Ratios logarithms{0, 0};
    int count = 0;
    for (Size const& size : sizes) {
      Ratios const ratios = run_size<In>(size);
      logarithms.replayed += std::log(ratios.replayed);
      logarithms.queued += std::log(ratios.queued);
      ++count;
    }
    double const replayed = std::exp(logarithms.replayed / count);
    double const queued = std::exp(logarithms.queued / count);
    std::printf("%s: geometric mean of the rival's time over ours %.3f replayed, %.3f queued\n",
                type_name<In>, replayed, queued);
    std::string const name = std::string("geometric_mean_") + type_name<In>;
    report_.add_context(name + "_replayed", std::to_string(replayed));
    report_.add_context(name + "_queued", std::to_string(queued));
  }

  int finish() const { return report_.publish() && !failed_ ? 0 : 1; }

 private:
  /// The rival's time over ours: launches that a graph replays, and launches that the host queues.
  struct Ratios {
    double replayed;
    double queued;
  };

  template <class In>
  Ratios run_size(Size const& size) {
    bench::Matrices<In> const data(size.m, size.n, size.k);
    gemm::Problem const problem{size.m, size.n, size.k};
    std::vector<bench::Contender> contenders;
    std::vector<std::string> labels;
    add_rival(contenders, labels, size, data);
    using Gemm = gemm::Gemm<Cuda, In>;
    auto const add = [&](std::string const& name, std::optional<gemm::Choice> wanted) {
      auto const ours = std::make_shared<Gemm>(target_, problem, data.a(), data.b(), data.d(),
                                               gemm::Epilogue<gemm::OutOf<In>>{}, wanted);
      contenders.push_back({name, [ours] { ours->launch(); }});
      labels.push_back(to_string(ours->choice()));
    };
    add("kohort", {});
    for (ClusterShape const shape :
         {ClusterShape{1, 1, 1}, ClusterShape{2, 1, 1}, ClusterShape{1, 2, 1},
          ClusterShape{2, 2, 1}, ClusterShape{4, 1, 1}, ClusterShape{1, 4, 1}})
      add("multicast", gemm::Choice{gemm::TileKind::wide, {shape, gemm::TileOrder::blocks}});
#if defined(KOHORT_HAS_FAST_CU)
    if constexpr (sizeof(In) == 2) {
      if (size.m == size.n && size.m == size.k && size.m >= 2048)
        add_fast_cu(contenders, labels, size, data);
    }
#endif
    return time(size, contenders, labels, data);
  }

  template <class In>
  void add_rival(std::vector<bench::Contender>& contenders, std::vector<std::string>& labels,
                 Size const& size, bench::Matrices<In> const& data) {
    if constexpr (sizeof(In) == 1) {
      auto const plan =
          std::make_shared<gemm::Cublas::Float8Plan>(cublas_, size.m, size.n, size.k, true);
      contenders.push_back(
          {"cublasLt", [plan, &data] { plan->multiply(data.a(), data.b(), data.d()); }});
      labels.emplace_back("fast accumulation, as ours");
    } else {
      contenders.push_back({"cublas", [this, size, &data] {
                              cublas_.multiply(size.m, size.n, size.k, data.a(), data.b(), data.d(),
                                               CUDA_R_16BF);
                            }});
      labels.emplace_back("cublasGemmEx");
    }
  }

#if defined(KOHORT_HAS_FAST_CU)
  template <class In>
  void add_fast_cu(std::vector<bench::Contender>& contenders, std::vector<std::string>& labels,
                   Size const& size, bench::Matrices<In> const& data) {
    // Its result is column-major: D^T of the turned problem.
    contenders.push_back({"fast.cu kernel 11", [size, &data] {
                            bench::fast_cu(size.n, size.m, size.k, data.b(), data.a(), data.d());
                          }});
    labels.emplace_back("2x1, Hilbert");
  }
#endif

  template <class In>
  Ratios time(Size const& size, std::vector<bench::Contender> const& contenders,
              std::vector<std::string> const& labels, bench::Matrices<In> const& data) {
    std::vector<double> errors;
    for (bench::Contender const& contender : contenders) {
      errors.push_back(data.verify(contender.call));
      if (errors.back() <= 1) continue;
      std::printf("WRONG: %s, error %.3g of its bound\n", contender.name.c_str(), errors.back());
      failed_ = true;
    }
    double const flop = 2.0 * size.m * size.n * size.k;
    // About 4 ms a sample, so that launches hide behind each other and the chip stays warm.
    int const calls = std::max(1, static_cast<int>(4e-3 / (flop / 6.5e14)));
    std::vector<bench::Timing> const queued = bench::alternate(contenders, options_.rounds, calls);
    std::vector<bench::Contender> replayable = contenders;
    if (replayable.back().name.starts_with("fast.cu")) replayable.pop_back();  // its own stream
    std::vector<bench::Timing> const replayed =
        bench::alternate_replayed(replayable, options_.rounds, calls);
    std::string const problem = std::string(type_name<In>) + "/" + std::to_string(size.m) + "x" +
                                std::to_string(size.n) + "x" + std::to_string(size.k);
    add_entries(problem, flop, contenders, labels, errors, queued, "queued");
    add_entries(problem, flop, replayable, labels, errors, replayed, "replayed");
    return {replayed[0].median_us / replayed[1].median_us,
            queued[0].median_us / queued[1].median_us};
  }

  /// @param launches  how they were made, a label of each entry
  void add_entries(std::string const& problem, double flop,
                   std::vector<bench::Contender> const& contenders,
                   std::vector<std::string> const& labels, std::vector<double> const& errors,
                   std::vector<bench::Timing> const& timings, char const* launches) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      report_.add({problem + "/" + contenders[i].name + "/" + labels[i] + "/" + launches,
                   timings[i],
                   {{"TFLOP/s", flop / timings[i].median_us * 1e-6},
                    {"rival's time / this", timings[0].median_us / timings[i].median_us},
                    {"error / bound", errors[i]}},
                   {}});
    }
  }

  bench::Options options_;
  bench::Report report_;
  Cuda target_;
  gemm::Cublas cublas_;
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  bench::Options options = bench::parse_options(argc, argv);
  Suite suite(options);
  suite.run_type<bfloat16>();
  suite.run_type<float8_e4m3>();
  return suite.finish();
}
