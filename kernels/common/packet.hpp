// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

namespace kohort::kernels {

/// Bytes of the widest load or store of one thread on the GPUs that Kohort knows.
inline constexpr int packet_bytes = 16;

/// As many elements as one 16-byte access moves. A copy of it is one wide load or store, because
/// its alignment is its size.
template <class T>
struct alignas(packet_bytes) Packet {
  static constexpr int count = packet_bytes / static_cast<int>(sizeof(T));
  static_assert(count * sizeof(T) == packet_bytes, "the element's size divides 16 B");

  T values[count];

  KOHORT_FUNCTION T& operator[](int index) { return values[index]; }
  KOHORT_FUNCTION T const& operator[](int index) const { return values[index]; }
};

/// Elements at `address`, which is a multiple of 16 B, as packets.
template <class T>
KOHORT_FUNCTION Packet<T> const* as_packets(T const* address) {
  return reinterpret_cast<Packet<T> const*>(address);
}
template <class T>
KOHORT_FUNCTION Packet<T>* as_packets(T* address) {
  return reinterpret_cast<Packet<T>*>(address);
}

}  // namespace kohort::kernels
