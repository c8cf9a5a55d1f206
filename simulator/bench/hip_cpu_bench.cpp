// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same work on HIP-CPU, when the build names its source folder (KOHORT_HIP_CPU_SOURCE).
#if defined(KOHORT_HIP_CPU)

#include "tree_reduction.hpp"

#include <hip/hip_runtime.h>

#include <benchmark/benchmark.h>

#include <vector>

namespace {

template <int Threads>
__global__ void tree_kernel(float* out) {
  __shared__ float cells[Threads];
  int const thread = static_cast<int>(threadIdx.x);
  cells[thread] = static_cast<float>(thread + static_cast<int>(blockIdx.x));
  __syncthreads();
  for (int half = Threads / 2; half > 0; half /= 2) {
    if (thread < half) cells[thread] += cells[thread + half];
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = cells[0];
}

template <int Threads>
void hip_cpu_tree_reduction(benchmark::State& state) {
  int const blocks = static_cast<int>(state.range(0));
  std::vector<float> sums(static_cast<std::size_t>(blocks), -1.0F);
  for (auto _ : state) {
    hipLaunchKernelGGL(tree_kernel<Threads>, dim3(static_cast<unsigned>(blocks)), dim3(Threads), 0,
                       nullptr, sums.data());
    static_cast<void>(hipDeviceSynchronize());
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

BENCHMARK(hip_cpu_tree_reduction<256>)->Arg(4096)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(hip_cpu_tree_reduction<1024>)->Arg(4096)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

#endif
