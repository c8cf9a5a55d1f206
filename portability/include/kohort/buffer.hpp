// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/targets.hpp>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kohort {
namespace Impl {

/// Backend seam: a target's memory.
///   static void* allocate(Target, std::size_t bytes)          throws std::bad_alloc, naming bytes
///   static void deallocate(Target, void*) noexcept            after the target's queued work
///   static void copy(Target, void* to, void const* from, std::size_t bytes, CopyDirection)
/// copy() is ordered after the target's queued work, and done on return.
template <class Target>
struct Memory;

enum class CopyDirection { to_device, to_host, within_device };

}  // namespace Impl

/// Device memory of `size()` elements, owned. Uninitialised. Moves, never copies.
template <class T, class Target>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "a Buffer's elements are trivially copyable");

 public:
  using value_type = T;
  using target_type = Target;

  Buffer(Target const& target, std::size_t count) : target_(target), count_(count) {
    if (count > 0)
      data_ = static_cast<T*>(Impl::Memory<Target>::allocate(target_, count * sizeof(T)));
  }
  Buffer(Buffer&& other) noexcept
      : target_(other.target_),
        data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(target_, other.target_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  Buffer(Buffer const&) = delete;
  Buffer& operator=(Buffer const&) = delete;
  ~Buffer() {
    if (data_ != nullptr) Impl::Memory<Target>::deallocate(target_, data_);
  }

  /// For kernels to capture; the host may not follow it unless the target is the simulator.
  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  Target const& target() const { return target_; }

 private:
  Target target_;
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

namespace Impl {

inline void require_same_size(std::size_t destination, std::size_t source) {
  if (destination != source) {
    throw std::invalid_argument("kohort: deep_copy of " + std::to_string(source) +
                                " elements into " + std::to_string(destination) +
                                ": both sides need the same size");
  }
}

}  // namespace Impl

/// Copies between a Buffer and the host, or between two Buffers of one target. Waits for the
/// target's queued work, and is done on return. @throws std::invalid_argument on unequal sizes.
template <class T, class Target>
void deep_copy(Buffer<T, Target> const& destination, std::span<T const> source) {
  Impl::require_same_size(destination.size(), source.size());
  Impl::Memory<Target>::copy(destination.target(), destination.data(), source.data(),
                             source.size_bytes(), Impl::CopyDirection::to_device);
}

template <class T, class Target>
void deep_copy(std::span<T> destination, Buffer<T, Target> const& source) {
  Impl::require_same_size(destination.size(), source.size());
  Impl::Memory<Target>::copy(source.target(), destination.data(), source.data(),
                             destination.size_bytes(), Impl::CopyDirection::to_host);
}

template <class T, class Target>
void deep_copy(Buffer<T, Target> const& destination, Buffer<T, Target> const& source) {
  Impl::require_same_size(destination.size(), source.size());
  Impl::Memory<Target>::copy(destination.target(), destination.data(), source.data(),
                             source.size() * sizeof(T), Impl::CopyDirection::within_device);
}

template <class T, class Target>
void deep_copy(Buffer<T, Target> const& destination, std::vector<T> const& source) {
  deep_copy(destination, std::span<T const>(source));
}

template <class T, class Target>
void deep_copy(std::vector<T>& destination, Buffer<T, Target> const& source) {
  deep_copy(std::span<T>(destination), source);
}

/// Fills the Buffer with `value`.
template <class T, class Target>
void deep_copy(Buffer<T, Target> const& destination, std::type_identity_t<T> const& value) {
  deep_copy(destination, std::vector<T>(destination.size(), value));
}

}  // namespace kohort
