// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "context.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace kohort::simulator {

/// Stacks of one size, reused for the life of the process; making one costs a system call.
///
/// Guards: MADV_GUARD_INSTALL where the kernel has it (Linux 6.13), which costs no mapping. Before
/// that, mprotect() splits mappings and the system allows about 65,530, so only the first
/// `mprotect_budget` stacks get one; a stack without carries a canary that is looked at when the
/// stack comes back (one on every stack would touch a second page of each).
class StackPool {
 public:
  static constexpr std::size_t guard_bytes = 16 * 1024;
  static constexpr int mprotect_budget = 12'000;

  /// The pool for stacks of `bytes`, rounded up to whole pages.
  static StackPool& of_size(std::size_t bytes);

  /// Moves up to `count` stacks to `into`, one at least: from its back on, neighbours in memory
  /// follow each other, as far as there are such. Threads that run one after the other on stacks at
  /// equal distances share the lines of the page table, and of what prefetches. @throws
  /// std::bad_alloc
  void take(std::vector<Stack>& into, std::size_t count);
  /// Takes all of `from` back.
  void give_back(std::vector<Stack>& from);

  explicit StackPool(std::size_t bytes) : bytes_(bytes) {}

 private:
  void grow();

  std::mutex mutex_;
  std::vector<Stack> free_;
  std::size_t bytes_;
  std::size_t made_ = 0;
};

/// The lowest word of a stack without a guard; `canary_is_intact` tells whether something ran over
/// it.
inline constexpr std::uint64_t canary = 0x6b6f686f72742121;  // "kohort!!"
inline void plant_canary(Stack const& stack) {
  if (!stack.guarded) *reinterpret_cast<std::uint64_t*>(stack.bottom) = canary;
}
inline bool canary_is_intact(Stack const& stack) {
  return stack.guarded || *reinterpret_cast<std::uint64_t const*>(stack.bottom) == canary;
}

/// Whether `address` lies in the guard below `stack`, or just under it.
bool is_in_guard(Stack const& stack, void const* address);

}  // namespace kohort::simulator
