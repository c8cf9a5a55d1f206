// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/target.hpp>
#include <kohort/buffer.hpp>
#include <kohort/simulator/operations.hpp>

#include <cstring>

namespace kohort::Impl {

template <>
struct Memory<Simulator> {
  static void* allocate(Simulator const&, std::size_t bytes) { return simulator::allocate(bytes); }
  static void deallocate(Simulator const&, void* memory) noexcept { simulator::deallocate(memory); }
  static void copy(Simulator const&, void* to, void const* from, std::size_t bytes,
                   CopyDirection direction) {
    if (bytes == 0) return;
    std::memmove(to, from, bytes);
    if (direction == CopyDirection::to_device) simulator::written_by_host(to, bytes);
    if (direction == CopyDirection::within_device) simulator::copied_on_device(to, from, bytes);
  }
};

}  // namespace kohort::Impl
