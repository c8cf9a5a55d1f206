// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <backend/emulated/bench/kernels.cuh>
#include <kernels/gemm/gemm_impl.hpp>
#include <kernels/gemm/trial.hpp>

#include <cstdio>

template class kohort::kernels::gemm::Gemm<kohort::Cuda, kohort::bfloat16>;

namespace kohort::bench {

/// The same choice of kernel and cluster on both. Emulated ones multiply without the matrix unit,
/// whose operands would have to lie in shared memory: the figure says what not to do.
bool measure_gemm(Targets const& targets, Options const& options, Report& report) {
  using namespace kernels::gemm;
  Problem const problem{1024, 1024, 1024};
  Trial<Cuda, bfloat16> native_trial(targets.native, problem, {}, 3);
  Trial<Cuda, bfloat16> emulated_trial(targets.emulated, problem, {}, 3);
  Wish wish;
  wish.cluster = ClusterShape(2);
  Gemm<Cuda, bfloat16> const native = native_trial.make_gemm(wish);
  Gemm<Cuda, bfloat16> const emulated = emulated_trial.make_gemm(wish);
  wish.cluster = ClusterShape(1);
  Gemm<Cuda, bfloat16> const alone = emulated_trial.make_gemm(wish);
  std::string const name = "gemm/bfloat16/1024x1024x1024/";
  std::vector<Contender> const contenders{
      {name + "emulated, cluster 2", [&] { emulated.launch(); }},
      {name + "native, cluster 2", [&] { native.launch(); }},
      {name + "cluster 1", [&] { alone.launch(); }}};
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Trial<Cuda, bfloat16>& trial = i == 1 ? native_trial : emulated_trial;
    trial.poison();
    contenders[i].call();
    trial.target().fence("gemm");
    Comparison const comparison = trial.compare();
    if (comparison.is_good()) continue;
    std::fprintf(stderr, "%s: %s\n", contenders[i].name.c_str(), comparison.worst.c_str());
    return false;
  }
  add_comparison(report, contenders, 0, 1, {2}, options.rounds / 4 + 1);
  return true;
}

}  // namespace kohort::bench
