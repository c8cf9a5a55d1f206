// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <cuda/atomic>

/// The variants of reduce in plain CUDA: the same algorithms, guards and reset, by hand. They are
/// what Kohort's kernels are measured against, and what README.md shows beside them.
namespace twin::reduce {

namespace cg = cooperative_groups;

template <class T>
struct Problem {
  T const* in;
  long long count;
  T* result;
  unsigned long long (*partials)[sizeof(T) / 4];
  T* accumulator;
  unsigned* arrivals;
};

template <class T>
struct alignas(16) Wide {
  static constexpr int count = 16 / sizeof(T);
  T values[count];
};

template <class T>
__device__ __forceinline__ T sum_share(Problem<T> const& problem) {
  constexpr int in_flight = 4;
  constexpr int width = Wide<T>::count;
  Wide<T> const* packets = reinterpret_cast<Wide<T> const*>(problem.in);
  long long const packet_count = problem.count / width;
  long long const thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  long long const threads = static_cast<long long>(gridDim.x) * blockDim.x;

  asm volatile("griddepcontrol.wait;" ::: "memory");
  Wide<T> sums{};
  Wide<T> loaded[in_flight];
  long long packet = thread;
  for (; packet + (in_flight - 1) * threads < packet_count; packet += in_flight * threads) {
#pragma unroll
    for (int load = 0; load < in_flight; ++load) loaded[load] = packets[packet + load * threads];
#pragma unroll
    for (int load = 0; load < in_flight; ++load) {
#pragma unroll
      for (int i = 0; i < width; ++i) sums.values[i] += loaded[load].values[i];
    }
  }
#pragma unroll
  for (int load = 0; load < in_flight - 1; ++load) {
    loaded[load] = Wide<T>{};
    if (packet + load * threads < packet_count) loaded[load] = packets[packet + load * threads];
  }
#pragma unroll
  for (int load = 0; load < in_flight - 1; ++load) {
#pragma unroll
    for (int i = 0; i < width; ++i) sums.values[i] += loaded[load].values[i];
  }
  long long const rest = packet_count * width + thread;
  T sum = rest < problem.count ? problem.in[rest] : T(0);
#pragma unroll
  for (int i = 0; i < width; ++i) sum += sums.values[i];
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  return sum;
}

__device__ __forceinline__ unsigned take_ticket(unsigned* arrivals) {
  return cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*arrivals).fetch_add(
      1u, cuda::memory_order_acq_rel);
}

template <int Lanes, class T>
__device__ __forceinline__ T tile_sum(cg::thread_block_tile<Lanes> const& tile, T sum) {
#pragma unroll
  for (int mask = Lanes / 2; mask > 0; mask /= 2) sum += tile.shfl_xor(sum, mask);
  return sum;
}

template <class T>
struct Words {
  unsigned words[sizeof(T) / 4];
};

constexpr unsigned long long handed_over = 1ull << 32;

template <class T>
__device__ __forceinline__ void hand_over(unsigned long long volatile* cells, T value) {
  auto const bits = __builtin_bit_cast(Words<T>, value);
#pragma unroll
  for (int i = 0; i < sizeof(T) / 4; ++i) cells[i] = handed_over | bits.words[i];
}

template <class T>
__device__ __forceinline__ unsigned try_receive(unsigned long long const volatile* cells,
                                                T& value) {
  Words<T> bits;
  unsigned complete = 1;
#pragma unroll
  for (int i = 0; i < sizeof(T) / 4; ++i) {
    unsigned long long const cell = cells[i];
    bits.words[i] = static_cast<unsigned>(cell);
    complete &= static_cast<unsigned>(cell >> 32);
  }
  value = __builtin_bit_cast(T, bits);
  return complete;
}

template <int Lanes, class T>
__device__ __forceinline__ void finish_with_partials(Problem<T> const& problem, T block_sum) {
  if (threadIdx.x >= Lanes) return;
  if (blockIdx.x != 0) {
    if (threadIdx.x == 0) hand_over(problem.partials[blockIdx.x], block_sum);
    return;
  }
  constexpr int in_flight = 36 / sizeof(T);
  int const blocks = gridDim.x;
  T sum = threadIdx.x == 0 ? block_sum : T(0);
#pragma unroll 1
  for (int first = 1 + threadIdx.x; first < blocks; first += in_flight * Lanes) {
    int const left = (blocks - first + Lanes - 1) / Lanes;
    unsigned const wanted = left < in_flight ? (1u << left) - 1 : (1u << in_flight) - 1;
    T values[in_flight];
    unsigned received;
    do {
      received = 0;
#pragma unroll
      for (int i = 0; i < in_flight; ++i)
        received |= try_receive(problem.partials[first + i * Lanes], values[i]) << i;
    } while ((received & wanted) != wanted);
#pragma unroll
    for (int i = 0; i < in_flight; ++i) sum += values[i];
  }
  sum = tile_sum<Lanes>(cg::tiled_partition<Lanes>(cg::this_thread_block()), sum);
  if (threadIdx.x == 0) *problem.result = sum;
#pragma unroll 1
  for (int block = 1 + threadIdx.x; block < blocks; block += Lanes) {
#pragma unroll
    for (int i = 0; i < sizeof(T) / 4; ++i)
      static_cast<unsigned long long volatile*>(problem.partials[block])[i] = 0;
  }
}

template <class T>
__device__ __forceinline__ void finish_with_atomic(Problem<T> const& problem, T sum,
                                                   unsigned groups) {
  cuda::atomic_ref<T, cuda::thread_scope_device> const accumulator(*problem.accumulator);
  accumulator.fetch_add(sum, cuda::memory_order_relaxed);
  if (take_ticket(problem.arrivals) != groups - 1) return;
  *problem.result = accumulator.exchange(T(0), cuda::memory_order_relaxed);
  *static_cast<unsigned volatile*>(problem.arrivals) = 0;
}

template <int Lanes, class T>
__device__ __forceinline__ T combine_tiles(cg::thread_block_tile<Lanes> const& tile, T* cells,
                                           T sum) {
  int const group = threadIdx.x / Lanes;
  if (tile.thread_rank() == 0) cells[group] = sum;
  __syncthreads();
  if (group != 0) return T(0);
  int const groups = (blockDim.x + Lanes - 1) / Lanes;
  T total = T(0);
#pragma unroll
  for (int first = 0; first < 1024 / Lanes; first += Lanes)
    if (first + static_cast<int>(threadIdx.x) < groups) total += cells[first + threadIdx.x];
  return tile_sum<Lanes>(tile, total);
}

template <class T, int Lanes>
__global__ void __launch_bounds__(1024, 2) shared_tree(Problem<T> const problem) {
  extern __shared__ __align__(16) unsigned char scratch[];
  T* const cells = reinterpret_cast<T*>(scratch);
  int const thread = threadIdx.x;
  cells[thread] = sum_share(problem);
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) cells[thread] += cells[thread + half];
    __syncthreads();
  }
  finish_with_partials<Lanes>(problem, cells[0]);
}

template <class T, int Lanes>
__global__ void __launch_bounds__(1024, 2) subgroup_shuffles(Problem<T> const problem) {
  __shared__ T cells[1024 / Lanes];
  auto const tile = cg::tiled_partition<Lanes>(cg::this_thread_block());
  T sum = sum_share(problem);
#pragma unroll
  for (int delta = Lanes / 2; delta > 0; delta /= 2) sum += tile.shfl_down(sum, delta);
  finish_with_partials<Lanes>(problem, combine_tiles<Lanes>(tile, cells, sum));
}

template <class T, int Lanes>
__global__ void __launch_bounds__(1024, 2) subgroup_tiles(Problem<T> const problem) {
  __shared__ T cells[1024 / Lanes];
  auto const tile = cg::tiled_partition<Lanes>(cg::this_thread_block());
  T const sum = tile_sum<Lanes>(tile, sum_share(problem));
  finish_with_partials<Lanes>(problem, combine_tiles<Lanes>(tile, cells, sum));
}

template <class T, int Lanes>
__global__ void __launch_bounds__(1024, 2) one_atomic_a_team(Problem<T> const problem) {
  __shared__ T cells[1024 / Lanes];
  auto const tile = cg::tiled_partition<Lanes>(cg::this_thread_block());
  T const sum = combine_tiles<Lanes>(tile, cells, tile_sum<Lanes>(tile, sum_share(problem)));
  if (threadIdx.x == 0) finish_with_atomic(problem, sum, gridDim.x);
}

template <class T, int Lanes>
__global__ void __launch_bounds__(1024, 2) one_atomic_a_cluster(Problem<T> const problem) {
  __shared__ T cells[1024 / Lanes];
  __shared__ T sums[16];
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  cg::cluster_group const cluster = cg::this_cluster();
  auto const tile = cg::tiled_partition<Lanes>(cg::this_thread_block());
  T sum = combine_tiles<Lanes>(tile, cells, tile_sum<Lanes>(tile, sum_share(problem)));
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  T* const first = cluster.map_shared_rank(sums, 0);
  if (threadIdx.x == 0) first[cluster.block_rank()] = sum;
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    for (unsigned rank = 1; rank < cluster.num_blocks(); ++rank) sum += sums[rank];
    finish_with_atomic(problem, sum, gridDim.x / cluster.num_blocks());
  }
  cluster.sync();
}

}  // namespace twin::reduce
