// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device.hpp>
#include <kohort/impl/growing_memory.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace kohort::Impl {

struct CudaOwnMemory {
  static void* allocate(std::size_t bytes, std::string const& doing) {
    OutsideCapture const outside;
    void* memory = nullptr;
    require_success(cudaMalloc(&memory, bytes), doing);
    return memory;
  }
  /// In a stream of its own: the target's may be capturing, and this must not become a graph node.
  static void clear(void* memory, std::size_t bytes, std::string const& doing) {
    OutsideCapture const outside;
    cudaStream_t stream = nullptr;
    require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), doing);
    cudaError_t error = cudaMemsetAsync(memory, 0, bytes, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    require_success(error, doing);
  }
  static void release(void* memory) noexcept { cudaFree(memory); }
};

using CudaGrowingMemory = GrowingMemory<CudaOwnMemory>;

}  // namespace kohort::Impl
