// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/target.hpp>
#include <kohort/buffer.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <new>
#include <string>

namespace kohort::Impl {

/// std::bad_alloc that says how much was asked for and how much is there.
class DeviceMemoryExhausted : public std::bad_alloc {
 public:
  explicit DeviceMemoryExhausted(std::string text) : text_(std::move(text)) {}
  char const* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

template <>
struct Memory<Cuda> {
  static void* allocate(Cuda const& target, std::size_t bytes) {
    DeviceGuard const guard(target.device());
    void* memory = nullptr;
    cudaError_t const error = cudaMalloc(&memory, bytes);
    if (error == cudaSuccess) return memory;
    std::string const doing = "allocating a Buffer of " + std::to_string(bytes) + " B";
    if (error != cudaErrorMemoryAllocation) throw_device_error(doing, state_of(target), error);
    cudaGetLastError();
    std::size_t free_bytes = 0, all_bytes = 0;
    cudaMemGetInfo(&free_bytes, &all_bytes);
    throw DeviceMemoryExhausted("kohort: " + doing + " failed on " + device_text(state_of(target)) +
                                ": " + std::to_string(free_bytes) + " B of " +
                                std::to_string(all_bytes) + " B are free");
  }

  /// After the target's queued work, which may still use the memory.
  static void deallocate(Cuda const& target, void* memory) noexcept {
    cudaStreamSynchronize(target.stream());
    cudaFree(memory);
  }

  static void copy(Cuda const& target, void* to, void const* from, std::size_t bytes,
                   CopyDirection direction) {
    DeviceGuard const guard(target.device());
    cudaMemcpyKind const kind = direction == CopyDirection::to_device ? cudaMemcpyHostToDevice
                                : direction == CopyDirection::to_host ? cudaMemcpyDeviceToHost
                                                                      : cudaMemcpyDeviceToDevice;
    cudaError_t error = require_no_capture(state_of(target));
    if (error == cudaSuccess) error = cudaMemcpyAsync(to, from, bytes, kind, target.stream());
    if (error == cudaSuccess) error = cudaStreamSynchronize(target.stream());
    if (error != cudaSuccess)
      throw_device_error("a deep_copy of " + std::to_string(bytes) + " B", state_of(target), error);
    state_of(target).log.clear();
  }
};

}  // namespace kohort::Impl
