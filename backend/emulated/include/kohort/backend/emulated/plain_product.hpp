// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/control.hpp>
#include <kohort/warpgroup_mma.hpp>

#include <cstdint>
#include <type_traits>

namespace kohort::Impl {

/// A warpgroup's product by ordinary multiplications, on architectures without the instruction and
/// of operands that it can't read: right, and slow.
template <class Mma>
struct PlainProduct {
  using Accumulator = typename Mma::accumulator_type;

  static KOHORT_EMULATED_FUNCTION void multiply(int thread, Accumulator (&values)[Mma::values],
                                                bool begins_anew, typename Mma::a_type const* a,
                                                typename Mma::b_type const* b) {
    int const first_row = thread / 32 * 16 + thread % 32 / 4;
    int const first_column = thread % 4 * 2;
    if (begins_anew) clear(values);
    KOHORT_NO_UNROLL for (int k = 0; k < Mma::depth; ++k) {
      Accumulator const two[2] = {number(at<Mma::a_major>(a, first_row, k)),
                                  number(at<Mma::a_major>(a, first_row + 8, k))};
      KOHORT_UNROLL
      for (int i = 0; i < Mma::values; ++i) {
        int const column = first_column + 8 * (i / 4) + i % 2;
        values[i] += two[i / 2 % 2] * number(at<Mma::b_major>(b, column, k));
      }
    }
  }

  /// A in registers: a lane's words go round among the four lanes of its rows.
  template <class Thread>
  static KOHORT_EMULATED_FUNCTION void multiply_words(
      Thread const& thread_handle, Accumulator (&values)[Mma::values], bool begins_anew,
      std::uint32_t const (&a)[16], typename Mma::b_type const* b, CallSite site) {
    constexpr int in_word = 4 / static_cast<int>(sizeof(typename Mma::a_type));
    int const thread = thread_handle.team_rank() % Mma::threads;
    int const first_column = thread % 4 * 2;
    int const quad = thread % 32 / 4 * 4;
    if (begins_anew) clear(values);
    KOHORT_UNROLL
    for (int slot = 0; slot < 16; ++slot) {
      KOHORT_NO_UNROLL for (int source = 0; source < 4; ++source) {
        auto const word = thread_handle.template shuffle<32>(a[slot], quad + source, site);
        int const k = (slot / 4 * 8 + slot / 2 % 2 * 4 + source) * in_word;
        KOHORT_UNROLL
        for (int e = 0; e < in_word; ++e) {
          std::uint32_t const bits = word >> (e * 32 / in_word);
          typename Mma::a_type element;
          __builtin_memcpy(&element, &bits, sizeof element);
          Accumulator const factor = number(element);
          KOHORT_UNROLL
          for (int i = 0; i < Mma::values; ++i) {
            if (i / 2 % 2 != slot % 2) continue;
            int const column = first_column + 8 * (i / 4) + i % 2;
            values[i] += factor * number(at<Mma::b_major>(b, column, k + e));
          }
        }
      }
    }
  }

 private:
  static KOHORT_FUNCTION void clear(Accumulator (&values)[Mma::values]) {
    KOHORT_UNROLL
    for (int i = 0; i < Mma::values; ++i) values[i] = Accumulator(0);
  }
  /// As a matrix unit takes it: of a tfloat32 10 bits of mantissa.
  template <class T>
  static KOHORT_FUNCTION Accumulator number(T const& value) {
    if constexpr (std::is_same_v<T, tfloat32>) {
      return float_of(bits_of(value.value) & 0xffffe000U);
    } else {
      return static_cast<Accumulator>(value);
    }
  }
  /// Element `k` of row `index` of A, or of column `index` of B.
  template <MatrixMajor Major, class T>
  static KOHORT_FUNCTION T at(T const* tile, int index, int k) {
    constexpr int row_elements = 128 / static_cast<int>(sizeof(T));
    int const element =
        Major == MatrixMajor::k
            ? index * row_elements + k
            : (index / row_elements * Mma::depth + k) * row_elements + index % row_elements;
    std::uint32_t const offset =
        swizzled_offset(Swizzle::bytes128, static_cast<std::uint32_t>(element) * sizeof(T));
    return tile[offset / sizeof(T)];
  }
};

}  // namespace kohort::Impl
