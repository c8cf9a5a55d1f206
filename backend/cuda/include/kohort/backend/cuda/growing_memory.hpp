// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace kohort::Impl {

/// Device memory of a target for the library's own use, as large as the largest launch needed.
/// What was outgrown stays until the target ends, because kernels in flight and captured graphs hold
/// its address.
class GrowingMemory {
 public:
  /// @param purpose  for the message when there is no memory left
  /// @param cleared  begins as zeros
  GrowingMemory(char const* purpose, bool cleared) : purpose_(purpose), cleared_(cleared) {}
  GrowingMemory(GrowingMemory const&) = delete;
  GrowingMemory& operator=(GrowingMemory const&) = delete;

  /// @throws DeviceError when the device has no more
  void* at_least(std::size_t bytes) {
    std::lock_guard const lock(mutex_);
    if (bytes > capacity_) grow(bytes);
    return all_.empty() ? nullptr : all_.back();
  }

  void free_all() noexcept {
    for (void* one : all_) cudaFree(one);
  }

 private:
  void grow(std::size_t bytes) {
    OutsideCapture const outside;
    std::size_t const wanted = bytes > 2 * capacity_ ? bytes : 2 * capacity_;
    void* memory = nullptr;
    require_success(cudaMalloc(&memory, wanted),
                    "allocating " + std::to_string(wanted) + " B for " + purpose_);
    all_.push_back(memory);
    if (cleared_) clear(memory, wanted);
    capacity_ = wanted;
  }

  /// In a stream of its own: the target's may be capturing, and this must not become a graph node.
  void clear(void* memory, std::size_t bytes) const {
    cudaStream_t stream = nullptr;
    require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                    std::string("creating a stream to clear ") + purpose_);
    cudaError_t error = cudaMemsetAsync(memory, 0, bytes, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    require_success(error, std::string("clearing ") + purpose_);
  }

  char const* purpose_;
  bool cleared_;
  std::mutex mutex_;
  std::vector<void*> all_;
  std::size_t capacity_ = 0;
};

}  // namespace kohort::Impl
