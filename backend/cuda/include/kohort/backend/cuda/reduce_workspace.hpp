// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/growing_memory.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <mutex>

namespace kohort::Impl {

/// What reductions of one target share: a partial a team, the ticket that finds the last team, and
/// pinned host memory for a scalar result.
class ReduceWorkspace {
 public:
  static constexpr std::size_t host_result_bytes = 64;

  ReduceWorkspace() = default;
  ReduceWorkspace(ReduceWorkspace const&) = delete;
  ReduceWorkspace& operator=(ReduceWorkspace const&) = delete;

  /// Room for `bytes` of partials; grows at the first launch that needs more.
  void* partials(std::size_t bytes) { return partials_.at_least(bytes); }
  /// Zero whenever no reduction runs: the last team wraps it.
  unsigned* ticket() { return static_cast<unsigned*>(ticket_.at_least(sizeof(unsigned))); }

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
    partials_.free_all();
    ticket_.free_all();
    if (host_result_ != nullptr) cudaFreeHost(host_result_);
  }

 private:
  std::mutex host_mutex_;
  CudaGrowingMemory partials_{"a reduction's partials", false};
  CudaGrowingMemory ticket_{"a reduction's ticket", true};
  void* host_result_ = nullptr;
};

}  // namespace kohort::Impl
