// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <cstdint>

/// Values handed from team to team without a fence. A fence waits until all that was written is
/// visible, and a ticket behind it is one more round trip to L2; here each word of a value travels
/// in one 64-bit store with a mark, so who sees the mark has the word.
namespace kohort::kernels::reduce {

/// Where a value of 4 or 8 bytes is handed over. Zeros: nothing there.
template <class T>
struct Handover {
  static constexpr int words = static_cast<int>(sizeof(T)) / 4;
  static_assert(words * 4 == sizeof(T), "the value is whole 32-bit words");

  std::uint64_t cells[words];
};

/// The words of a value in the order of its bytes.
template <class T>
struct Words {
  std::uint32_t words[Handover<T>::words];
};

inline constexpr std::uint64_t handed_over = std::uint64_t{1} << 32;

template <class T>
KOHORT_FUNCTION void hand_over(Handover<T>* place, T value) {
  auto const bits = __builtin_bit_cast(Words<T>, value);
  KOHORT_UNROLL
  for (int i = 0; i < Handover<T>::words; ++i) {
    atomic_store(&place->cells[i], handed_over | bits.words[i]);
  }
}

/// @return 1 if all of a value was there, which then is in `value`; otherwise 0
template <class T>
KOHORT_FUNCTION std::uint32_t try_receive(Handover<T> const* place, T& value) {
  Words<T> bits;
  std::uint32_t complete = 1;
  KOHORT_UNROLL
  for (int i = 0; i < Handover<T>::words; ++i) {
    std::uint64_t const cell = atomic_load(&place->cells[i]);
    bits.words[i] = static_cast<std::uint32_t>(cell);
    complete &= static_cast<std::uint32_t>(cell >> 32);
  }
  value = __builtin_bit_cast(T, bits);
  return complete;
}

/// Values that one thread asks for before it looks at the first: as many as fit into the registers
/// of FullOccupancy.
template <class T>
inline constexpr int received_at_once = 36 / static_cast<int>(sizeof(T));

/// Places that sum_received() reads for `values` values: those beyond are nobody's, and stay empty.
template <class T>
constexpr int handover_places(int values, int stride) {
  return values + received_at_once<T> * stride;
}

/// The sum of places first, first + stride, … below `end`, waiting for values that are not there
/// yet. Loads are under way together, because none is in a branch: an empty place beyond the end is
/// as good as a zero.
template <class T>
KOHORT_FUNCTION T sum_received(Handover<T> const* places, int first, int stride, int end) {
  constexpr int at_once = received_at_once<T>;
  T sum = T(0);
  KOHORT_NO_UNROLL
  for (; first < end; first += at_once * stride) {
    int const left = (end - first + stride - 1) / stride;
    std::uint32_t const wanted = left < at_once ? (1u << left) - 1 : (1u << at_once) - 1;
    T values[at_once];
    std::uint32_t received;
    do {
      received = 0;
      KOHORT_UNROLL
      for (int i = 0; i < at_once; ++i) {
        received |= try_receive(places + first + i * stride, values[i]) << i;
      }
    } while ((received & wanted) != wanted);
    KOHORT_UNROLL
    for (int i = 0; i < at_once; ++i) sum += values[i];
  }
  return sum;
}

/// Empties places first, first + stride, … below `end` for the next launch.
template <class T>
KOHORT_FUNCTION void clear_places(Handover<T>* places, int first, int stride, int end) {
  KOHORT_NO_UNROLL
  for (; first < end; first += stride) {
    KOHORT_UNROLL
    for (int i = 0; i < Handover<T>::words; ++i) atomic_store(&places[first].cells[i], 0u);
  }
}

}  // namespace kohort::kernels::reduce
