// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device_code.hpp>

namespace kohort::Impl {

/// The special registers of a thread block.
struct BlockRegisters {
  /// The bound turns a signed division by a lane count into a shift, as a plain kernel's unsigned
  /// threadIdx.x has it.
  static KOHORT_FUNCTION int thread() {
    KOHORT_CUDA_DEVICE_BODY(unsigned const rank = threadIdx.x; __builtin_assume(rank < 1024);
                            return static_cast<int>(rank);)
  }
  static KOHORT_FUNCTION int threads() { KOHORT_CUDA_DEVICE_BODY(return blockDim.x;) }
  static KOHORT_FUNCTION int index([[maybe_unused]] int dimension) {
    KOHORT_CUDA_DEVICE_BODY(return dimension == 0   ? blockIdx.x
                                   : dimension == 1 ? blockIdx.y
                                                    : blockIdx.z;)
  }
  static KOHORT_FUNCTION int extent([[maybe_unused]] int dimension) {
    KOHORT_CUDA_DEVICE_BODY(return dimension == 0   ? gridDim.x
                                   : dimension == 1 ? gridDim.y
                                                    : gridDim.z;)
  }
  static KOHORT_FUNCTION int multiprocessor() {
    KOHORT_CUDA_DEVICE_BODY(int number; asm volatile("mov.u32 %0, %%smid;"
                                                     : "=r"(number));
                            return number;)
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// The special registers of a cluster, and its window of mapped shared memory.
struct ClusterRegisters {
  static __device__ __forceinline__ int rank() { return __clusterRelativeBlockRank(); }
  static __device__ __forceinline__ int size() { return __clusterSizeInBlocks(); }
  static __device__ __forceinline__ int index(int dimension) {
    return component(__clusterRelativeBlockIdx(), dimension);
  }
  static __device__ __forceinline__ int extent(int dimension) {
    return component(__clusterDim(), dimension);
  }
  static __device__ __forceinline__ int league_index(int dimension) {
    return component(__clusterIdx(), dimension);
  }
  static __device__ __forceinline__ int league_extent(int dimension) {
    return component(__clusterGridDimInClusters(), dimension);
  }
  static __device__ __forceinline__ void* map(void* mine, int rank) {
    return __cluster_map_shared_rank(mine, static_cast<unsigned>(rank));
  }

 private:
  static __device__ __forceinline__ int component(dim3 const& all, int dimension) {
    return dimension == 0 ? all.x : dimension == 1 ? all.y : all.z;
  }
};

/// `.aligned` saves about 25 cycles (H200) and asks for converged warps, as __syncthreads() does.
struct ClusterBarrier {
  static __device__ __forceinline__ void arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  }
  static __device__ __forceinline__ void arrive_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  }
  static __device__ __forceinline__ void wait() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
  static __device__ __forceinline__ void fence() {
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
  }
};

/// PTX ISA, "griddepcontrol". Without effect in a launch that has no such attribute.
struct ProgrammaticLaunch {
  static __device__ __forceinline__ void wait() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
  static __device__ __forceinline__ void allow_next() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  }
};

#else

/// The host pass, and architectures without clusters: compiled, never run.
struct ClusterRegisters {
  static KOHORT_FUNCTION int rank() { __builtin_unreachable(); }
  static KOHORT_FUNCTION int size() { __builtin_unreachable(); }
  static KOHORT_FUNCTION int index(int) { __builtin_unreachable(); }
  static KOHORT_FUNCTION int extent(int) { __builtin_unreachable(); }
  static KOHORT_FUNCTION int league_index(int) { __builtin_unreachable(); }
  static KOHORT_FUNCTION int league_extent(int) { __builtin_unreachable(); }
  static KOHORT_FUNCTION void* map(void*, int) { __builtin_unreachable(); }
};

struct ClusterBarrier {
  static KOHORT_FUNCTION void arrive() { __builtin_unreachable(); }
  static KOHORT_FUNCTION void arrive_relaxed() { __builtin_unreachable(); }
  static KOHORT_FUNCTION void wait() { __builtin_unreachable(); }
  static KOHORT_FUNCTION void fence() { KOHORT_CUDA_DEVICE_BODY(__threadfence();) }
};

struct ProgrammaticLaunch {
  static KOHORT_FUNCTION void wait() {}
  static KOHORT_FUNCTION void allow_next() {}
};

#endif

}  // namespace kohort::Impl
