// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's kernels in emulated clusters, beside the same in hardware clusters and beside the
// best that have none.
#pragma once

#include <kernels/bench/measure.cuh>
#include <kernels/bench/report.hpp>
#include <kohort/kohort.hpp>

namespace kohort::bench {

/// Targets on the legacy stream, which differ in how they make clusters.
struct Targets {
  Cuda native{cudaStream_t{0}};
  Cuda emulated{cudaStream_t{0}};
  Targets() { emulated.set_cluster_mode(ClusterMode::emulated); }
};

/// Each adds its entries; @return whether all results were right
bool measure_barriers(Targets const& targets, Report& report);
bool measure_reduce(Targets const& targets, Options const& options, Report& report);
bool measure_histogram(Targets const& targets, Options const& options, Report& report);
bool measure_halo(Targets const& targets, Options const& options, Report& report);
bool measure_gemm(Targets const& targets, Options const& options, Report& report);

/// Times the contenders; `emulated` and `native` are places in the list, and `rivals` the places of
/// those without clusters.
inline void add_comparison(Report& report, std::vector<Contender> const& contenders,
                           std::size_t emulated, std::size_t native,
                           std::vector<std::size_t> const& rivals, int rounds) {
  std::vector<Timing> const timings = alternate(contenders, rounds, 1);
  double best = 0;
  for (std::size_t rival : rivals)
    best = best == 0 ? timings[rival].median_us : std::min(best, timings[rival].median_us);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Entry entry{contenders[i].name, timings[i], {}, {}};
    if (i == emulated) {
      entry.figures.emplace_back("over_native", timings[i].median_us / timings[native].median_us);
      if (best > 0) entry.figures.emplace_back("over_best_without", timings[i].median_us / best);
    }
    report.add(entry);
  }
}

}  // namespace kohort::bench
