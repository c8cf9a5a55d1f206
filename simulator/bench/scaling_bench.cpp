// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many clusters side by side speed up with workers, beside loops that share nothing.
#include <kohort/kohort.hpp>

#include <benchmark/benchmark.h>

#include <thread>
#include <vector>

namespace {

using kohort::Simulator;

constexpr int clusters = 4096;

void clusters_on_workers(benchmark::State& state) {
  using Policy =
      kohort::ClusterPolicy<Simulator, kohort::ClusterDims<4>, kohort::ClusterScratch<float[256]>>;
  Simulator const target(kohort::SimulatorOptions{.workers = static_cast<int>(state.range(0))});
  Policy const policy(target, 4 * clusters, 256);
  std::vector<float> results(4 * clusters);
  float* const out = results.data();
  for (auto _ : state) {
    kohort::parallel_for("exchange", policy, [=](typename Policy::member_type const& member) {
      auto tile = member.cluster_scratch();
      float value = static_cast<float>(member.league_rank());
      for (int round = 0; round < 8; ++round) {
        tile[member.team_rank()] = value;
        member.cluster_barrier();
        value += member.peer(tile, (member.cluster_rank() + 1) % 4)[member.team_rank()];
        member.cluster_barrier();
      }
      if (member.team_rank() == 0) out[member.league_rank()] = value;
    });
    benchmark::DoNotOptimize(results.data());
  }
}

/// As much arithmetic a thread as fits a cache, and nothing shared: what the machine can give.
void independent_loops(benchmark::State& state) {
  int const workers = static_cast<int>(state.range(0));
  for (auto _ : state) {
    std::vector<std::thread> threads;
    for (int worker = 0; worker < workers; ++worker) {
      threads.emplace_back([workers] {
        double sum = 0;
        for (int i = 0; i < 64'000'000 / workers; ++i) sum = sum * 0.999 + i;
        benchmark::DoNotOptimize(sum);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

void worker_counts(benchmark::internal::Benchmark* bench) {
  int const cores = static_cast<int>(std::thread::hardware_concurrency());
  for (int workers = 1; workers < cores; workers *= 2) bench->Arg(workers);
  bench->Arg(cores);
}

BENCHMARK(clusters_on_workers)->Apply(worker_counts)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(independent_loops)->Apply(worker_counts)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
