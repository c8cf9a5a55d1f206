// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/target.hpp>
#include <kohort/buffer.hpp>

#include <hip/hip_runtime.h>

namespace kohort::Impl {

template <>
struct Memory<Hip> {
  static void* allocate(Hip const& target, std::size_t bytes) {
    HipDeviceGuard const guard(target.device());
    return HipOwnMemory::allocate(bytes, "allocating a Buffer of " + std::to_string(bytes) + " B");
  }
  /// After the target's queued work, which may still use the memory.
  static void deallocate(Hip const& target, void* memory) noexcept {
    (void)hipStreamSynchronize(target.stream());
    (void)hipFree(memory);
  }
  static void copy(Hip const& target, void* to, void const* from, std::size_t bytes,
                   CopyDirection direction) {
    HipDeviceGuard const guard(target.device());
    hipMemcpyKind const kind = direction == CopyDirection::to_device ? hipMemcpyHostToDevice
                               : direction == CopyDirection::to_host ? hipMemcpyDeviceToHost
                                                                     : hipMemcpyDeviceToDevice;
    std::string const doing = "a deep_copy of " + std::to_string(bytes) + " B";
    require_hip(hipMemcpyAsync(to, from, bytes, kind, target.stream()), doing);
    require_hip(hipStreamSynchronize(target.stream()), doing);
  }
};

}  // namespace kohort::Impl
