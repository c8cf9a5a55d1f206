// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce: Kohort's variants beside their twins in plain CUDA, and beside CUB.
#include <cub/device/device_reduce.cuh>

#include <kernels/bench/kernel_of.cuh>
#include <kernels/bench/measure.cuh>
#include <kernels/reduce/reduction.hpp>
#include <kernels/reduce/reference.hpp>
#include <kernels/reduce/twin.cuh>

#include <cmath>
#include <cstdio>
#include <memory>
#include <span>

namespace {

using namespace kohort;
using bench::check;
using kernels::reduce::Reduction;
using kernels::reduce::Variant;

/// What a call costs that does nothing.
__global__ void empty_kernel() {}

using Kernel = void (*)(twin::reduce::Problem<float>);

/// A twin with its workspace, launched as by hand: early, and shape by attribute where there is a
/// cluster.
class Twin {
 public:
  Twin(Variant variant, int threads, int cluster) : threads_(threads), cluster_(cluster) {
    using namespace twin::reduce;
    switch (variant) {
      case Variant::shared_tree:
        kernel_ = shared_tree<float, 32>;
        break;
      case Variant::subgroup_shuffles:
        kernel_ = subgroup_shuffles<float, 32>;
        break;
      case Variant::subgroup_tiles_32:
        kernel_ = subgroup_tiles<float, 32>;
        break;
      case Variant::subgroup_tiles_16:
        kernel_ = subgroup_tiles<float, 16>;
        break;
      case Variant::one_atomic_a_team:
        kernel_ = one_atomic_a_team<float, 32>;
        break;
      case Variant::one_atomic_a_cluster:
        kernel_ = one_atomic_a_cluster<float, 32>;
        break;
    }
    dynamic_bytes_ = variant == Variant::shared_tree ? threads * 4 : 0;
    check(cudaMalloc(&memory_, bytes), "cudaMalloc");
    check(cudaMemset(memory_, 0, bytes), "cudaMemset");
  }
  ~Twin() { cudaFree(memory_); }

  void launch(float const* in, long long count, int blocks) const {
    // 128 B apart, so that the accumulator and the ticket don't share a sector.
    char* const base = static_cast<char*>(memory_);
    twin::reduce::Problem<float> const problem{
        in,
        count,
        result(),
        reinterpret_cast<unsigned long long(*)[1]>(base + 1024),
        reinterpret_cast<float*>(base),
        reinterpret_cast<unsigned*>(base + 512)};
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {static_cast<unsigned>(cluster_), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads_);
    config.dynamicSmemBytes = dynamic_bytes_;
    config.attrs = attributes;
    config.numAttrs = cluster_ == 1 ? 1 : 2;
    cudaLaunchKernelEx(&config, kernel_, problem);
  }
  float* result() const { return reinterpret_cast<float*>(static_cast<char*>(memory_) + 256); }
  float read_result() const {
    float value = NAN;
    check(cudaMemcpy(&value, result(), sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return value;
  }
  bench::Footprint footprint() const {
    return bench::footprint(reinterpret_cast<void const*>(kernel_), threads_, dynamic_bytes_);
  }

 private:
  static constexpr std::size_t bytes = 1 << 20;
  Kernel kernel_ = nullptr;
  int threads_;
  int cluster_;
  int dynamic_bytes_ = 0;
  void* memory_ = nullptr;
};

struct Case {
  Variant variant;
  int threads;
  int cluster;
};

bench::Footprint footprint_of_ours(Case const& one) {
  using namespace kernels::reduce;
  bool const clustered = one.cluster > 1;
  void const* kernel = nullptr;
  // The scratch of a policy is dynamic shared memory.
  int scratch = 32 * 4;
  switch (one.variant) {
    case Variant::shared_tree:
      kernel = bench::kernel_of<SharedTree<float, 32>>(clustered);
      scratch = one.threads * 4;
      break;
    case Variant::subgroup_shuffles:
      kernel = bench::kernel_of<SubgroupShuffles<float, 32>>(clustered);
      break;
    case Variant::subgroup_tiles_32:
      kernel = bench::kernel_of<SubgroupTiles<float, 32>>(clustered);
      break;
    case Variant::subgroup_tiles_16:
      kernel = bench::kernel_of<SubgroupTiles<float, 16>>(clustered);
      scratch = 64 * 4;
      break;
    case Variant::one_atomic_a_team:
      kernel = bench::kernel_of<OneAtomicATeam<float, 32>>(clustered);
      break;
    case Variant::one_atomic_a_cluster:
      kernel = bench::kernel_of<OneAtomicACluster<float, 32>>(clustered);
      scratch = (32 + 16) * 4;
      break;
  }
  return bench::footprint(kernel, one.threads, scratch);
}

/// CUB's sum, its temporary memory allocated beforehand.
class Cub {
 public:
  explicit Cub(long long largest) {
    check(cudaMalloc(&result_, sizeof(float)), "cudaMalloc");
    check(cub::DeviceReduce::Sum(nullptr, bytes_, static_cast<float const*>(nullptr), result_,
                                 largest),
          "cub::DeviceReduce::Sum");
    check(cudaMalloc(&temporary_, bytes_), "cudaMalloc");
  }
  ~Cub() {
    cudaFree(temporary_);
    cudaFree(result_);
  }
  void launch(float const* in, long long count) {
    std::size_t bytes = bytes_;
    cub::DeviceReduce::Sum(temporary_, bytes, in, result_, count);
  }
  float read_result() const {
    float value = NAN;
    check(cudaMemcpy(&value, result_, sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return value;
  }

 private:
  float* result_ = nullptr;
  void* temporary_ = nullptr;
  std::size_t bytes_ = 0;
};

std::string name_of(Case const& one) {
  return to_string(one.variant) + "/team:" + std::to_string(one.threads) +
         "/cluster:" + std::to_string(one.cluster);
}

constexpr Case cases[] = {
    {Variant::shared_tree, 256, 1},          {Variant::subgroup_shuffles, 256, 1},
    {Variant::subgroup_tiles_32, 256, 1},    {Variant::subgroup_tiles_32, 512, 1},
    {Variant::subgroup_tiles_32, 1024, 1},   {Variant::subgroup_tiles_16, 256, 1},
    {Variant::one_atomic_a_team, 256, 1},    {Variant::one_atomic_a_team, 512, 1},
    {Variant::one_atomic_a_team, 1024, 1},   {Variant::one_atomic_a_cluster, 256, 4},
    {Variant::one_atomic_a_cluster, 256, 8}, {Variant::one_atomic_a_cluster, 512, 2},
};

class Bench {
 public:
  explicit Bench(bench::Options const& options)
      : options_(options),
        report_("kohort_bench_reduce", options),
        host_(kernels::make_data<float>(
            largest, [](auto i) { return kernels::random_value<float>(7, i); })) {
    bench::add_device_context(report_);
    report_.add_context("data", "uniform random floats in [0, 1), seed 7");
    report_.add_context("ratio_to_twin", "time of ours over time of the twin, queued calls");
    report_.add_context("speed_to_cub", "CUB's time over ours: 1 call on an idle device");
    check(cudaMalloc(&in_, largest * sizeof(float)), "cudaMalloc");
    check(cudaMemcpy(in_, host_.data(), largest * sizeof(float), cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
  ~Bench() { cudaFree(in_); }

  bool run() {
    bool right = true;
    for (long long count : {1LL << 20, 1LL << 24, 1LL << 28, 1LL << 30}) right &= run_size(count);
    return report_.publish() && right;
  }

 private:
  static constexpr long long largest = 1LL << 30;

  bool run_size(long long count) {
    kernels::reduce::Reference const reference =
        kernels::reduce::reference_sum(std::span<float const>(host_.data(), count));
    Cub cub(largest);
    cub.launch(in_, count);
    bool right = accept("cub", cub.read_result(), reference);
    std::vector<std::unique_ptr<Reduction<Cuda, float>>> ours;
    std::vector<std::unique_ptr<Twin>> twins;
    std::vector<bench::Contender> contenders{{"cub", [&] { cub.launch(in_, count); }}};
    for (Case const& one : cases) {
      ours.push_back(std::make_unique<Reduction<Cuda, float>>(target_, one.variant, one.threads,
                                                              ClusterShape(one.cluster)));
      twins.push_back(std::make_unique<Twin>(one.variant, one.threads, one.cluster));
      Reduction<Cuda, float> const* const mine = ours.back().get();
      Twin const* const other = twins.back().get();
      int const blocks = mine->clusters_for(count) * one.cluster;
      right &= verify(name_of(one), *mine, *other, count, blocks, reference);
      contenders.push_back({name_of(one), [=, this] { mine->launch(in_, count); }});
      contenders.push_back(
          {name_of(one) + "/twin", [=, this] { other->launch(in_, count, blocks); }});
    }
    contenders.push_back({"empty kernel", [] { empty_kernel<<<256, 512>>>(); }});
    if (!right) return false;
    measure(count, contenders, twins);
    return true;
  }

  /// Twice, from poisoned results: the second shows that the workspace was reset.
  bool verify(std::string const& name, Reduction<Cuda, float> const& mine, Twin const& other,
              long long count, int blocks, kernels::reduce::Reference const& reference) {
    bool right = true;
    for (int time = 0; time < 2; ++time) {
      check(cudaMemset(mine.result(), 0xff, sizeof(float)), "cudaMemset");
      check(cudaMemset(other.result(), 0xff, sizeof(float)), "cudaMemset");
      mine.launch(in_, count);
      right &= accept(name, mine.read_result(), reference);
      other.launch(in_, count, blocks);
      right &= accept(name + "/twin", other.read_result(), reference);
    }
    return right;
  }

  bool accept(std::string const& name, float result, kernels::reduce::Reference const& reference) {
    double const error = kernels::reduce::relative_error(result, reference);
    if (error <= kernels::reduce::error_bound<float>()) return true;
    std::fprintf(stderr, "reduce %s: %g instead of %g, error %g\n", name.c_str(), result,
                 reference.sum, error);
    return false;
  }

  void measure(long long count, std::vector<bench::Contender> const& contenders,
               std::vector<std::unique_ptr<Twin>> const& twins) {
    bool const brief = count <= 1 << 24;
    int const rounds = brief ? options_.rounds : options_.rounds / 2 + 1;
    auto const single = bench::alternate(contenders, rounds, 1);
    auto const queued = bench::alternate(contenders, rounds, brief ? 20 : 2);
    std::string const l2 = count * 4 <= 32 << 20 ? "the input stays in L2 from call to call"
                           : count * 4 <= 64 << 20
                               ? "the input is as large as L2: parts of it stay there"
                               : "the input is many times L2";
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      bench::Entry entry{"reduce/float/" + std::to_string(count) + "/" + contenders[i].name,
                         single[i],
                         {},
                         {{"l2", l2}}};
      entry.figures = {{"tb_per_s", count * 4.0 / single[i].median_us / 1e6},
                       {"queued_us", queued[i].median_us},
                       {"queued_noise_percent", queued[i].noise_percent},
                       {"speed_to_cub", single[0].median_us / single[i].median_us},
                       {"queued_speed_to_cub", queued[0].median_us / queued[i].median_us}};
      if (i > 0 && i <= 2 * twins.size()) add_pair(entry, i, queued, twins);
      report_.add(entry);
    }
  }

  /// What an entry says beside its twin: odd contenders are ours, the next is the twin.
  void add_pair(bench::Entry& entry, std::size_t i, std::vector<bench::Timing> const& queued,
                std::vector<std::unique_ptr<Twin>> const& twins) {
    bool const is_ours = i % 2 == 1;
    std::size_t const pair = (i - 1) / 2;
    if (is_ours)
      entry.figures.emplace_back("ratio_to_twin", queued[i].median_us / queued[i + 1].median_us);
    bench::Footprint const footprint =
        is_ours ? footprint_of_ours(cases[pair]) : twins[pair]->footprint();
    entry.figures.emplace_back("registers", footprint.registers);
    entry.figures.emplace_back("shared_bytes", footprint.shared_bytes);
    entry.figures.emplace_back("blocks_an_sm", footprint.blocks_an_sm);
  }

  bench::Options options_;
  bench::Report report_;
  Cuda target_{cudaStream_t{0}};  // the twins and CUB use the default stream
  std::vector<float> host_;
  float* in_ = nullptr;
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
