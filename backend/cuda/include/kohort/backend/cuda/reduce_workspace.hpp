// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <mutex>
#include <vector>

namespace kohort::Impl {

/// What reductions of one target share: a partial a team, the ticket that finds the last team, and
/// pinned host memory for a scalar result. Memory that was outgrown stays until the target ends,
/// because kernels in flight and captured graphs hold its address.
class ReduceWorkspace {
 public:
  static constexpr std::size_t host_result_bytes = 64;

  ReduceWorkspace() = default;
  ReduceWorkspace(ReduceWorkspace const&) = delete;
  ReduceWorkspace& operator=(ReduceWorkspace const&) = delete;

  /// Room for `bytes` of partials; grows at the first launch that needs more.
  void* partials(std::size_t bytes) {
    std::lock_guard const lock(mutex_);
    if (bytes > capacity_) grow(bytes);
    return partials_;
  }
  /// Zero whenever no reduction runs: the last team wraps it.
  unsigned* ticket() const { return ticket_; }

  /// Held from the launch to the reading of the result.
  std::mutex& host_result_in_use() { return host_mutex_; }
  void* host_result() {
    if (host_result_ == nullptr) {
      OutsideCapture const outside;
      require_success(cudaHostAlloc(&host_result_, host_result_bytes, cudaHostAllocDefault),
                      "allocating 64 B of pinned host memory for a reduction's result");
    }
    return host_result_;
  }

  void free_all() noexcept {
    for (void* one : device_memory_) cudaFree(one);
    if (host_result_ != nullptr) cudaFreeHost(host_result_);
  }

 private:
  void grow(std::size_t bytes) {
    OutsideCapture const outside;
    std::size_t const wanted = bytes > 2 * capacity_ ? bytes : 2 * capacity_;
    void* memory = nullptr;
    require_success(cudaMalloc(&memory, wanted),
                    "allocating " + std::to_string(wanted) + " B for a reduction's partials");
    device_memory_.push_back(memory);
    if (ticket_ == nullptr) make_ticket();
    partials_ = memory;
    capacity_ = wanted;
  }

  void make_ticket() {
    void* memory = nullptr;
    require_success(cudaMalloc(&memory, sizeof(unsigned)), "allocating a reduction's ticket");
    device_memory_.push_back(memory);
    // A stream of its own: the target's may be capturing, and this must not become a graph node.
    cudaStream_t stream = nullptr;
    require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                    "creating a stream to clear a reduction's ticket");
    cudaError_t error = cudaMemsetAsync(memory, 0, sizeof(unsigned), stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    require_success(error, "clearing a reduction's ticket");
    ticket_ = static_cast<unsigned*>(memory);
  }

  std::mutex mutex_;
  std::mutex host_mutex_;
  std::vector<void*> device_memory_;
  void* partials_ = nullptr;
  std::size_t capacity_ = 0;
  unsigned* ticket_ = nullptr;
  void* host_result_ = nullptr;
};

}  // namespace kohort::Impl
