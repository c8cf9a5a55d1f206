// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/impl/warpgroup_fragments.hpp>

namespace kohort::Impl {

/// What two wavefronts hold of a product of 64 × N: 32 rows each. A thread has four neighbours in a
/// row, because the matrix cores are given B as their first operand and A as their second, and so
/// compute the transposed product (matrix_core.hpp). Plain numbers: tests/portability multiplies
/// with them as the instruction set's guide says that the matrix cores do.
struct HipPlaces {
  static constexpr int columns = 16;
  static constexpr int pairs = columns / 4;

  static KOHORT_FUNCTION MatrixPlace pair(int thread, int pair) {
    return {thread / 64 * 32 + pair / 2 % 2 * 16 + thread % 16,
            pair / 4 * 16 + thread % 64 / 16 * 4 + pair % 2 * 2};
  }
  /// Four words are 16 B of a row.
  static KOHORT_FUNCTION MatrixPlace word(int thread, int word) {
    return {thread / 64 * 32 + word / 8 * 16 + thread % 16,
            piece(thread, word % 8 / 4) * 4 + word % 4};
  }
  /// Of the eight pieces of 16 B along K, which one a thread reads of its row of A, or column of B,
  /// in either half.
  static KOHORT_FUNCTION int piece(int thread, int half) { return half * 4 + thread % 64 / 16; }
};

}  // namespace kohort::Impl
