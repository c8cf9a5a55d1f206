// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kohort_bench_emulated: what software clusters cost where the hardware has some (docs/results/
// emulated.md).
#include <backend/emulated/bench/barrier.cuh>
#include <backend/emulated/bench/kernels.cuh>

#include <cstdio>

namespace kohort::bench {

bool measure_barriers(Targets const& targets, Report& report) {
  for (int threads : {32, 128, 256, 1024}) {
    for (int size : {2, 4, 8, 16}) {
      std::string const name =
          "barrier/threads:" + std::to_string(threads) + "/teams:" + std::to_string(size);
      Entry entry{name, {}, {}, {}};
      // Where the counter lies in L2 tells up to 450 cycles: one cluster may be lucky.
      entry.figures = {
          {"native_cycles", barrier_cycles(targets.native, ClusterMode::native, 6, size, threads)},
          {"emulated_cycles",
           barrier_cycles(targets.emulated, ClusterMode::emulated, 1, size, threads)},
          {"emulated_six_clusters_cycles",
           barrier_cycles(targets.emulated, ClusterMode::emulated, 6, size, threads)},
          {"by_hand_cycles", hand_written_cycles(targets.native, size, threads)}};
      report.add(entry);
    }
  }
  return true;
}

}  // namespace kohort::bench

int main(int argc, char** argv) {
  using namespace kohort::bench;
  try {
    Options const options = parse_options(argc, argv);
    Report report("kohort_bench_emulated", options);
    add_device_context(report);
    report.add_context("over_native", "time in emulated clusters over time in hardware clusters");
    report.add_context("over_best_without",
                       "time in emulated clusters over the best of those without clusters");
    Targets const targets;
    bool right = measure_barriers(targets, report);
    right &= measure_reduce(targets, options, report);
    right &= measure_histogram(targets, options, report);
    right &= measure_halo(targets, options, report);
    right &= measure_gemm(targets, options, report);
    return report.publish() && right ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
