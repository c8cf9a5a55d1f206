// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/warpgroup_mma.hpp>

#include <cstdint>

namespace kohort::Impl {

/// A warpgroup's product by ordinary multiplications, on architectures without the instruction and
/// of operands that it can't read: right, and slow.
template <class Mma>
struct PlainProduct {
  using Accumulator = typename Mma::accumulator_type;

  static KOHORT_FUNCTION void multiply(int thread, Accumulator (&values)[Mma::values],
                                       bool begins_anew, typename Mma::a_type const* a,
                                       typename Mma::b_type const* b) {
    int const first_row = thread / 32 * 16 + thread % 32 / 4;
    int const first_column = thread % 4 * 2;
    for (int i = 0; i < Mma::values; ++i) {
      int const row = first_row + 8 * (i / 2 % 2);
      int const column = first_column + 8 * (i / 4) + i % 2;
      Accumulator sum = begins_anew ? Accumulator(0) : values[i];
      for (int k = 0; k < Mma::depth; ++k)
        sum += number(at<Mma::a_major>(a, row, k)) * number(at<Mma::b_major>(b, column, k));
      values[i] = sum;
    }
  }

  /// A in registers: a lane's words go round among the four lanes of its rows.
  template <class Thread>
  static KOHORT_FUNCTION void multiply_words(Thread const& thread_handle,
                                             Accumulator (&values)[Mma::values], bool begins_anew,
                                             std::uint32_t const (&a)[16],
                                             typename Mma::b_type const* b, CallSite site) {
    constexpr int in_word = 4 / static_cast<int>(sizeof(typename Mma::a_type));
    int const thread = thread_handle.team_rank() % Mma::threads;
    int const first_column = thread % 4 * 2;
    int const quad = thread % 32 / 4 * 4;
    if (begins_anew)
      for (int i = 0; i < Mma::values; ++i) values[i] = Accumulator(0);
    KOHORT_UNROLL
    for (int word = 0; word < 32; ++word) {
      KOHORT_UNROLL
      for (int half = 0; half < 2; ++half) {
        std::uint32_t const mine = a[word / 8 * 4 + word % 8 / 4 * 2 + half];
        auto const theirs = thread_handle.template shuffle<32>(mine, quad + word % 4, site);
        for (int i = 0; i < Mma::values; ++i) {
          if (i / 2 % 2 != half) continue;
          int const column = first_column + 8 * (i / 4) + i % 2;
          for (int e = 0; e < in_word; ++e) {
            typename Mma::a_type element;
            __builtin_memcpy(&element, reinterpret_cast<char const*>(&theirs) + e * sizeof element,
                             sizeof element);
            values[i] += number(element) * number(at<Mma::b_major>(b, column, word * in_word + e));
          }
        }
      }
    }
  }

 private:
  template <class T>
  static KOHORT_FUNCTION Accumulator number(T const& value) {
    return static_cast<Accumulator>(value);
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
