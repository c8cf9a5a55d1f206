// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cycles of a cluster barrier: the hardware's, the emulated one, and one as it is written by hand.
#pragma once

#include <kernels/bench/measure.cuh>
#include <kohort/kohort.hpp>

#include <algorithm>
#include <vector>

namespace kohort::bench {

inline constexpr int barrier_rounds = 200;

/// Cycles a barrier, as each team's first thread saw them.
struct TimedBarriers {
  long long* cycles;

  template <class Member>
  KOHORT_FUNCTION void operator()([[maybe_unused]] Member const& member) const {
#if defined(__CUDA_ARCH__)
    for (int warm = 0; warm < 3; ++warm) member.cluster_barrier();
    long long const start = clock64();
    for (int round = 0; round < barrier_rounds; ++round) member.cluster_barrier();
    if (member.team_rank() == 0)
      cycles[member.league_rank()] = (clock64() - start) / barrier_rounds;
#endif
  }
};

/// What people write: a team barrier on both sides, and one thread that counts and polls.
inline __global__ void hand_written_barriers(unsigned* counter, int teams, long long* cycles) {
  unsigned phase = 0;
  auto const barrier = [&] {
    __syncthreads();
    if (threadIdx.x == 0) {
      phase += teams;
      __threadfence();
      atomicAdd(counter, 1u);
      while (static_cast<int>(*static_cast<volatile unsigned*>(counter) - phase) < 0) {
      }
      __threadfence();
    }
    __syncthreads();
  };
  for (int warm = 0; warm < 3; ++warm) barrier();
  long long const start = clock64();
  for (int round = 0; round < barrier_rounds; ++round) barrier();
  if (threadIdx.x == 0) cycles[blockIdx.x] = (clock64() - start) / barrier_rounds;
}

inline double median_cycles(long long const* device, int teams) {
  std::vector<long long> cycles(teams);
  check(cudaMemcpy(cycles.data(), device, teams * sizeof(long long), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  std::nth_element(cycles.begin(), cycles.begin() + teams / 2, cycles.end());
  return static_cast<double>(cycles[teams / 2]);
}

/// Of `clusters` at once.
inline double barrier_cycles(Cuda const& target, ClusterMode mode, int clusters, int size,
                             int threads) {
  Buffer<long long, Cuda> cycles(target, clusters * size);
  ClusterPolicy<Cuda> policy(target, clusters * size, threads, size);
  policy.allow_nonportable_size().mode(mode);
  for (int time = 0; time < 5; ++time)
    parallel_for("barriers", policy, TimedBarriers{cycles.data()});
  target.fence("barriers");
  return median_cycles(cycles.data(), clusters * size);
}

inline double hand_written_cycles(Cuda const& target, int size, int threads) {
  Buffer<long long, Cuda> cycles(target, size);
  Buffer<unsigned, Cuda> counter(target, 1);
  for (int time = 0; time < 5; ++time) {
    deep_copy(counter, 0u);
    hand_written_barriers<<<size, threads, 0, target.stream()>>>(counter.data(), size,
                                                                 cycles.data());
  }
  target.fence("barriers by hand");
  return median_cycles(cycles.data(), size);
}

}  // namespace kohort::bench
