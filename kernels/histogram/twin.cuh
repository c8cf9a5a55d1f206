// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

/// The histogram in plain CUDA: the same ownership, copies, pushes and guards, by hand.
namespace twin::histogram {

namespace cg = cooperative_groups;

/// Division of numbers below 2^31 by multiplication.
struct Divisor {
  unsigned value;
  unsigned multiplier;
  int shift;

  __device__ __forceinline__ unsigned quotient(unsigned number) const {
    return static_cast<unsigned>((static_cast<unsigned long long>(number) * multiplier) >> shift);
  }
};

inline Divisor make_divisor(unsigned value) {
  int bits = 0;
  while ((1ull << bits) < value) ++bits;
  return {value, static_cast<unsigned>(((1ull << (31 + bits)) + value - 1) / value), 31 + bits};
}

struct Problem {
  int const* in;
  long long count;
  int bins;
  int lower;
  Divisor width;
  unsigned range;
  Divisor bins_a_block;
  int cells;  ///< of one block, a multiple of 4
  int copies_log2;
  unsigned* out;
};

__global__ void clear(unsigned* out, int count) {
  int const bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin < count) out[bin] = 0;
}

template <int BlocksAnSm, class Body>
__device__ __forceinline__ void for_my_samples(Problem const& problem, Body const& body) {
  constexpr int in_flight = BlocksAnSm > 1 ? 2 : 4;
  long long const threads = static_cast<long long>(gridDim.x) * blockDim.x;
  long long const thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  int4 const* packets = reinterpret_cast<int4 const*>(problem.in);
  long long const packet_count = problem.count / 4;
  long long packet = thread;
  for (; packet + (in_flight - 1) * threads < packet_count; packet += in_flight * threads) {
    int4 loaded[in_flight];
#pragma unroll
    for (int load = 0; load < in_flight; ++load) loaded[load] = packets[packet + load * threads];
#pragma unroll
    for (int load = 0; load < in_flight; ++load) {
      body(loaded[load].x);
      body(loaded[load].y);
      body(loaded[load].z);
      body(loaded[load].w);
    }
  }
  for (; packet < packet_count; packet += threads) {
    int4 const loaded = packets[packet];
    body(loaded.x);
    body(loaded.y);
    body(loaded.z);
    body(loaded.w);
  }
  long long const rest = packet_count * 4 + thread;
  if (rest < problem.count) body(problem.in[rest]);
}

__device__ __forceinline__ void merge(Problem const& problem, unsigned const* cells, int rank,
                                      int copies, unsigned cluster, unsigned clusters) {
  int const bins_a_block = problem.bins_a_block.value;
  int const first = rank * bins_a_block;
  int const mine = min(problem.bins - first, bins_a_block);
  if (mine <= 0) return;
  int const start = static_cast<int>(static_cast<long long>(cluster) * mine / clusters);
#pragma unroll 1
  for (int i = threadIdx.x; i < mine; i += blockDim.x) {
    int const bin = i + start < mine ? i + start : i + start - mine;
    unsigned sum = 0;
    for (int copy = 0; copy < copies; ++copy)
      sum += cells[bin * copies + ((copy + bin) & (copies - 1))];
    if (sum != 0) atomicAdd(problem.out + first + bin, sum);
  }
}

/// Bins in one block's shared memory.
template <int BlocksAnSm>
__global__ void __launch_bounds__(1024, BlocksAnSm)
    count_in_one_block(__grid_constant__ Problem const problem) {
  extern __shared__ __align__(16) unsigned cells[];
#pragma unroll 1
  for (int i = threadIdx.x; i < problem.cells / 4; i += blockDim.x)
    reinterpret_cast<uint4*>(cells)[i] = uint4{0, 0, 0, 0};
  __syncthreads();
  int const copy = threadIdx.x & ((1 << problem.copies_log2) - 1);
  for_my_samples<BlocksAnSm>(problem, [&](int sample) {
    unsigned const offset = static_cast<unsigned>(sample) - static_cast<unsigned>(problem.lower);
    if (offset >= problem.range) return;
    unsigned const bin = problem.width.quotient(offset);
    atomicAdd_block(&cells[(bin << problem.copies_log2) + copy], 1u);
  });
  __syncthreads();
  merge(problem, cells, 0, 1 << problem.copies_log2, blockIdx.x, gridDim.x);
}

/// Bins over a cluster's shared memory.
template <int BlocksAnSm>
__global__ void __launch_bounds__(1024, BlocksAnSm)
    count_in_cluster(__grid_constant__ Problem const problem) {
  extern __shared__ __align__(16) unsigned cells[];
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  cg::cluster_group const cluster = cg::this_cluster();
#pragma unroll 1
  for (int i = threadIdx.x; i < problem.cells / 4; i += blockDim.x)
    reinterpret_cast<uint4*>(cells)[i] = uint4{0, 0, 0, 0};
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  cluster.sync();
  int const rank = cluster.block_rank();
  for_my_samples<BlocksAnSm>(problem, [&](int sample) {
    unsigned const offset = static_cast<unsigned>(sample) - static_cast<unsigned>(problem.lower);
    if (offset >= problem.range) return;
    unsigned const bin = problem.width.quotient(offset);
    int const owner = static_cast<int>(problem.bins_a_block.quotient(bin));
    unsigned const cell = bin - owner * problem.bins_a_block.value;
    if (owner == rank) {
      atomicAdd(&cells[cell], 1u);
    } else {
      atomicAdd(cluster.map_shared_rank(cells, owner) + cell, 1u);
    }
  });
  cluster.sync();
  merge(problem, cells, rank, 1, blockIdx.x / cluster.num_blocks(),
        gridDim.x / cluster.num_blocks());
  cluster.sync();
}

}  // namespace twin::histogram
