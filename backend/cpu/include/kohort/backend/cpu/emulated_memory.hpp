// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/control.hpp>
#include <kohort/simulator/operations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

namespace kohort::Impl {

/// Device memory of one emulated launch: the arena, poisoned, and the control memory, which the
/// launch must leave as it found it.
class EmulatedMemory {
 public:
  EmulatedMemory(EmulatedLaunch& launch, std::size_t alignment) {
    int const clusters = std::max(launch.workers / launch.size, 1);
    std::size_t const arena_bytes = std::size_t{launch.block_bytes} *
                                    static_cast<std::size_t>(clusters) *
                                    static_cast<std::size_t>(launch.size);
    control_bytes_ = control_bytes(launch.keys, clusters);
    arena_ = static_cast<std::byte*>(simulator::allocate(arena_bytes + alignment));
    control_ = static_cast<std::byte*>(simulator::allocate(control_bytes_));
    auto const misaligned = reinterpret_cast<std::uintptr_t>(arena_) % alignment;
    launch.arena = arena_ + (misaligned == 0 ? 0 : alignment - misaligned);
    launch.control = control_;
    seats_ = static_cast<Seat*>(
        simulator::allocate(static_cast<std::size_t>(launch.workers) * sizeof(Seat)));
    launch.seats = seats_;
    std::memset(control_, 0, control_bytes_);
    simulator::written_by_host(control_, control_bytes_);
    name(launch);
  }
  ~EmulatedMemory() {
    simulator::deallocate(arena_);
    simulator::deallocate(control_);
    simulator::deallocate(seats_);
  }
  EmulatedMemory(EmulatedMemory const&) = delete;
  EmulatedMemory& operator=(EmulatedMemory const&) = delete;

  /// After a launch that ended. @throws std::logic_error: the library's own protocol is at fault
  void require_cleared() const {
    bool const is_clear = std::all_of(control_, control_ + control_bytes_,
                                      [](std::byte byte) { return byte == std::byte{0}; });
    if (!is_clear)
      throw std::logic_error("kohort: an emulated launch left its control memory in use");
  }

 private:
  /// For reports: whose scratch a byte of the arena is.
  static void name(EmulatedLaunch const& launch) {
    simulator::name_memory(launch.arena, [block = std::ptrdiff_t{launch.block_bytes},
                                          size = launch.size](std::ptrdiff_t byte) {
      std::ptrdiff_t const team = byte / block;
      return "cluster scratch of rank " + std::to_string(team % size) + " in emulated cluster " +
             std::to_string(team / size) + ", byte " + std::to_string(byte % block);
    });
    simulator::name_memory(launch.control, [](std::ptrdiff_t byte) {
      return "the barriers of emulated clusters, byte " + std::to_string(byte);
    });
  }

  std::byte* arena_ = nullptr;
  std::byte* control_ = nullptr;
  Seat* seats_ = nullptr;
  std::size_t control_bytes_ = 0;
};

}  // namespace kohort::Impl
