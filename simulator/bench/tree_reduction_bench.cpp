// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tree_reduction.hpp"

#include <kohort/kohort.hpp>

#include <benchmark/benchmark.h>

#include <thread>
#include <vector>

namespace {

using kohort::Simulator;

int cores() { return static_cast<int>(std::thread::hardware_concurrency()); }

template <int Threads>
void tree_reduction(benchmark::State& state) {
  using Policy = kohort::ClusterPolicy<Simulator, kohort::TeamScratch<float[Threads]>>;
  int const blocks = static_cast<int>(state.range(0));
  Simulator const target(kohort::SimulatorOptions{.workers = cores()});
  std::vector<float> sums(static_cast<std::size_t>(blocks), -1.0F);
  float* const out = sums.data();
  Policy const policy(target, blocks, Threads);
  for (auto _ : state) {
    kohort::parallel_for("tree", policy, [=](typename Policy::member_type const& member) {
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
  }
  for (int block = 0; block < blocks; ++block) {
    if (sums[static_cast<std::size_t>(block)] != kohort::bench::expected_sum(block, Threads))
      state.SkipWithError("a block's sum is wrong");
  }
  double const arrivals =
      static_cast<double>(blocks) * Threads * kohort::bench::barriers_of(Threads);
  state.counters["ns_an_arrival"] = benchmark::Counter(
      arrivals * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Clusters of 16 × 1024 threads, which no other CPU library runs: reported, not compared.
void largest_clusters(benchmark::State& state) {
  using Policy = kohort::ClusterPolicy<Simulator, kohort::ClusterDims<16>>;
  Simulator const target(kohort::SimulatorOptions{.workers = cores()});
  int const clusters = static_cast<int>(state.range(0));
  int const barriers = 8;
  Policy policy(target, 16 * clusters, 1024);
  policy.allow_nonportable_size();
  for (auto _ : state) {
    kohort::parallel_for("cluster_barriers", policy,
                         [=](typename Policy::member_type const& member) {
                           for (int i = 0; i < barriers; ++i) member.cluster_barrier();
                         });
  }
  double const arrivals = 16.0 * clusters * 1024 * (barriers + 2);  // the guards are two more
  state.counters["ns_an_arrival"] = benchmark::Counter(
      arrivals * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(tree_reduction<256>)->Arg(4096)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(tree_reduction<1024>)->Arg(4096)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(largest_clusters)->Arg(16)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
