// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <utility>

/// The stencil in plain CUDA: the same tiles, pushes and guards, by hand.
namespace twin::halo {

namespace cg = cooperative_groups;

template <class T, int MaxRadius>
struct Problem {
  T const* in;
  T* out;
  long long width;
  long long pitch;
  long long rows;
  T weights[MaxRadius + 1];
};

template <class T>
struct alignas(16) Wide {
  static constexpr int count = 16 / sizeof(T);
  T values[count];
};

template <class T>
__device__ __forceinline__ Wide<T> load(T const* row, long long elements, long long packet) {
  constexpr int width = Wide<T>::count;
  long long const element = packet * width;
  if (element < 0 || element >= elements) return Wide<T>{};
  Wide<T> values = reinterpret_cast<Wide<T> const*>(row)[packet];
  if (element + width > elements) {
#pragma unroll
    for (int i = 0; i < width; ++i)
      if (element + i >= elements) values.values[i] = T(0);
  }
  return values;
}

template <class T>
__device__ __forceinline__ void store(T* row, long long elements, long long packet,
                                      Wide<T> const& values) {
  constexpr int width = Wide<T>::count;
  long long const element = packet * width;
  if (element + width <= elements) {
    reinterpret_cast<Wide<T>*>(row)[packet] = values;
    return;
  }
#pragma unroll
  for (int i = 0; i < width; ++i)
    if (element + i < elements) row[element + i] = values.values[i];
}

template <class T, int MaxRadius>
__device__ __forceinline__ Wide<T> combine(Problem<T, MaxRadius> const& problem,
                                           Wide<T> const* window) {
  constexpr int width = Wide<T>::count;
  constexpr int packets = 2 * MaxRadius / width + 1;
  T values[packets * width];
#pragma unroll
  for (int packet = 0; packet < packets; ++packet) {
    Wide<T> const part = window[packet];
#pragma unroll
    for (int i = 0; i < width; ++i) values[packet * width + i] = part.values[i];
  }
  Wide<T> result;
#pragma unroll
  for (int i = 0; i < width; ++i) {
    T const* const centre = values + MaxRadius + i;
    T sum = problem.weights[0] * centre[0];
#pragma unroll
    for (int k = 1; k <= MaxRadius; ++k) sum += problem.weights[k] * (centre[-k] + centre[k]);
    result.values[i] = sum;
  }
  return result;
}

/// A thread's packets of a tile; `edge` is the halo packet that no neighbour pushes.
template <class T, int PacketsAThread>
struct Stretch {
  Wide<T> packets[PacketsAThread];
  Wide<T> edge;
};

template <class T, int MaxRadius, int Threads, int PacketsAThread>
__global__ void __launch_bounds__(Threads, 5)
    stencil(__grid_constant__ Problem<T, MaxRadius> const problem) {
  constexpr int halo_packets = MaxRadius / Wide<T>::count;
  constexpr int own_packets = Threads * PacketsAThread;
  constexpr int after_start = halo_packets + own_packets;
  constexpr int tile_packets = own_packets + 2 * halo_packets;
  constexpr int tile_elements = own_packets * Wide<T>::count;
  // Dynamic, as Kohort's scratch is: where it starts is the same.
  extern __shared__ __align__(16) unsigned char scratch[];
  auto* const tiles = reinterpret_cast<Wide<T>(*)[tile_packets]>(scratch);
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  cg::cluster_group const cluster = cg::this_cluster();

  int const thread = threadIdx.x;
  int const position = cluster.block_index().x;
  bool const has_left = position > 0;
  bool const has_right = position + 1 < static_cast<int>(cluster.dim_blocks().x);
  bool const is_left_end = thread < halo_packets;
  int const from_end = thread - (Threads - halo_packets);
  bool const is_right_end = from_end >= 0;
  bool const row_exists = blockIdx.y < problem.rows && blockIdx.z == 0;
  long long const elements = row_exists ? problem.width : 0;
  T const* const in = problem.in + blockIdx.y * problem.pitch;
  T* const out = problem.out + blockIdx.y * problem.pitch;

  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  int const rank = cluster.block_rank();
  auto* const left = cluster.map_shared_rank(tiles, rank - (has_left ? 1 : 0));
  auto* const right = cluster.map_shared_rank(tiles, rank + (has_right ? 1 : 0));

  auto const load_stretch = [&](long long tile) {
    long long const first = tile * own_packets;
    Stretch<T, PacketsAThread> stretch;
    if ((tile + 1) * tile_elements <= elements) {
      auto const* const packets = reinterpret_cast<Wide<T> const*>(in) + (first + thread);
#pragma unroll
      for (int i = 0; i < PacketsAThread; ++i) stretch.packets[i] = packets[i * Threads];
    } else {
#pragma unroll
      for (int i = 0; i < PacketsAThread; ++i)
        stretch.packets[i] = load(in, elements, first + thread + i * Threads);
    }
    stretch.edge = Wide<T>{};
    if (is_left_end && !has_left) stretch.edge = load(in, elements, first - halo_packets + thread);
    if (is_right_end && !has_right)
      stretch.edge = load(in, elements, first + own_packets + from_end);
    return stretch;
  };

  long long tile = blockIdx.x;
  long long const all_tiles = (problem.width + tile_elements - 1) / tile_elements;
  long long const first_tile = tile - position;
  int const step = gridDim.x;
  long long const rounds = first_tile < all_tiles ? (all_tiles - first_tile + step - 1) / step : 0;
  auto const put = [&](Stretch<T, PacketsAThread> const& stretch, int buffer) {
    Wide<T>* const mine = tiles[buffer];
#pragma unroll
    for (int i = 0; i < PacketsAThread; ++i)
      mine[halo_packets + thread + i * Threads] = stretch.packets[i];
    if (is_left_end) {
      if (has_left) {
        left[buffer][after_start + thread] = stretch.packets[0];
      } else {
        mine[thread] = stretch.edge;
      }
    }
    if (is_right_end) {
      if (has_right) {
        right[buffer][from_end] = stretch.packets[PacketsAThread - 1];
      } else {
        mine[after_start + from_end] = stretch.edge;
      }
    }
  };
  auto const compute = [&](long long tile, Wide<T> const* mine) {
    if ((tile + 1) * tile_elements <= elements) {
      auto* const packets = reinterpret_cast<Wide<T>*>(out) + (tile * own_packets + thread);
#pragma unroll 1
      for (int i = 0; i < PacketsAThread; ++i)
        packets[i * Threads] = combine(problem, mine + thread + i * Threads);
    } else {
#pragma unroll 1
      for (int i = 0; i < PacketsAThread; ++i) {
        int const packet = thread + i * Threads;
        store(out, elements, tile * own_packets + packet, combine(problem, mine + packet));
      }
    }
  };

  if (rounds > 0) {
    Stretch<T, PacketsAThread> stretch = load_stretch(tile);
    put(stretch, 0);
    stretch = load_stretch(tile + step);
    cluster.sync();
    int buffer = 0;
#pragma unroll 1
    for (long long round = 1; round < rounds; ++round) {
      int const next = buffer == 2 ? 0 : buffer + 1;
      put(stretch, next);
      auto token = cluster.barrier_arrive();
      stretch = load_stretch(tile + 2 * step);
      compute(tile, tiles[buffer]);
      cluster.barrier_wait(std::move(token));
      tile += step;
      buffer = next;
    }
    compute(tile, tiles[buffer]);
  }
  cluster.sync();
}

}  // namespace twin::halo
