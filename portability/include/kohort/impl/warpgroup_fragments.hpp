// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

namespace kohort {

/// A place in a matrix: for a word of an operand, `column` counts words of its row.
struct MatrixPlace {
  int row;
  int column;
};

namespace Impl {

/// Which values of a product of 64 × N, and which words of an operand A of 64 rows of 128 B, each
/// of a warpgroup's 128 threads holds. A backend with another matrix unit has a type of its own in
/// this one's place (MatrixOperations::Fragments). This is wgmma's order (PTX ISA, "Register
/// Fragments and Shared Memory Matrix Layouts"): 32 threads have 16 rows; of each eight columns a
/// thread has two neighbours in a row, and those eight rows below.
struct WarpgroupFragments {
  /// Columns that stand together: the thread's values of them are `pairs` pairs in a row.
  static constexpr int columns = 8;
  static constexpr int pairs = columns / 4;

  /// The thread's rank as a function that goes through many places takes it. A backend whose
  /// compiler would keep all of their addresses in registers from call to call hides it here.
  static KOHORT_FUNCTION int rank_for_places(int thread) { return thread; }

  /// Where the thread's `pair`-th two neighbours in a row are.
  static KOHORT_FUNCTION MatrixPlace pair(int thread, int pair) {
    return {thread / 32 * 16 + thread % 32 / 4 + 8 * (pair % 2), pair / 2 * 8 + thread % 4 * 2};
  }
  /// Where the thread's `word`-th of 16 words of A is.
  static KOHORT_FUNCTION MatrixPlace word(int thread, int word) {
    return {thread / 32 * 16 + thread % 32 / 4 + 8 * (word % 2),
            word / 4 * 8 + thread % 4 + word % 4 / 2 * 4};
  }
};

}  // namespace Impl
}  // namespace kohort
