// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace kohort::Impl {

/// Device memory of a target for the library's own use, as large as the largest launch needed.
/// What was outgrown stays until the target ends, because kernels in flight and captured graphs
/// hold its address.
///
/// @tparam Device  static void* allocate(std::size_t, std::string const& doing), clear(void*,
///                 std::size_t, doing), both throwing DeviceError; static void release(void*)
///                 noexcept
template <class Device>
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
    for (void* one : all_) Device::release(one);
  }

 private:
  void grow(std::size_t bytes) {
    std::size_t const wanted = bytes > 2 * capacity_ ? bytes : 2 * capacity_;
    all_.push_back(
        Device::allocate(wanted, "allocating " + std::to_string(wanted) + " B for " + purpose_));
    if (cleared_) Device::clear(all_.back(), wanted, std::string("clearing ") + purpose_);
    capacity_ = wanted;
  }

  char const* purpose_;
  bool cleared_;
  std::mutex mutex_;
  std::vector<void*> all_;
  std::size_t capacity_ = 0;
};

}  // namespace kohort::Impl
