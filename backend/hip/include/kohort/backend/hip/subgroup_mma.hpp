// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/matrix_core.hpp>
#include <kohort/backend/hip/thread.hpp>
#include <kohort/subgroup_mma.hpp>

namespace kohort::Impl {

/// SubgroupMma belongs to 32 threads and a matrix core's instruction to 64: the wavefront computes
/// the product of its first half, then that of its second, and hands the results to the half that
/// they are for. Where one half alone has come (a team of 32, a branch), its lanes hold too little
/// of the operands for that, and multiply by themselves.
template <>
struct SubgroupMatrixOperations<Hip> {
  template <class Mma>
  static KOHORT_FUNCTION void multiply([[maybe_unused]] ThreadHandle<Hip> const& thread,
                                       typename Mma::accumulator_type (&values)[Mma::values],
                                       typename Mma::a_type const* a, int a_stride,
                                       typename Mma::b_type const* b, int b_stride, CallSite) {
    if (HipShuffle::is_whole_wavefront()) {
      by_core<Mma>(values, a, a_stride, b, b_stride);
    } else {
      plainly<Mma>(values, a, a_stride, b, b_stride);
    }
  }

 private:
  template <class Mma>
  static KOHORT_FUNCTION void plainly(typename Mma::accumulator_type (&values)[Mma::values],
                                      typename Mma::a_type const* a, int a_stride,
                                      typename Mma::b_type const* b, int b_stride) {
    int const lane = HipShuffle::lane() % 32;
    KOHORT_UNROLL
    for (int i = 0; i < Mma::values; ++i) {
      MatrixPlace const place = subgroup_place(lane, i);
      auto const* const row = a + place.row * a_stride;
      auto const* const column = b + place.column * b_stride;
      for (int k = 0; k < Mma::depth; ++k) values[i] += number(row[k]) * number(column[k]);
    }
  }
  static KOHORT_FUNCTION int number(std::int8_t value) { return value; }
  static KOHORT_FUNCTION float number(tfloat32 value) { return as_tfloat32(value); }
  template <class T>
  static KOHORT_FUNCTION float number(T value) {
    return static_cast<float>(value);
  }

  template <class Mma>
  static KOHORT_FUNCTION void by_core(typename Mma::accumulator_type (&values)[Mma::values],
                                      typename Mma::a_type const* a, int a_stride,
                                      typename Mma::b_type const* b, int b_stride) {
    constexpr int each = hip_core_least<typename Mma::a_type, typename Mma::b_type>;
    using Core = HipMatrixCore<typename Mma::a_type, typename Mma::b_type, each>;
    int const lane = HipShuffle::lane();
    KOHORT_UNROLL
    for (int half = 0; half < 2; ++half) {
      // The half's own operands, in all 64 lanes.
      auto const* const half_a = HipShuffle::from_lane(a, half * 32);
      auto const* const half_b = HipShuffle::from_lane(b, half * 32);
      KOHORT_UNROLL
      for (int columns = 0; columns < Mma::columns; columns += 16) {
        HipVector<typename Mma::accumulator_type, 4> sum{};
        KOHORT_UNROLL
        for (int k = 0; k < Mma::depth; k += 4 * each) {
          int const at = k + lane / 16 * each;
          // Of a width that is no multiple of 16 the last columns are not there.
          int const column = columns + lane % 16 < Mma::columns ? columns + lane % 16 : 0;
          sum =
              Core::issue(half_a + lane % 16 * a_stride + at, half_b + column * b_stride + at, sum);
        }
        add_results<Mma>(values, sum, columns, half);
      }
    }
  }

 protected:
  /// Result (row, column) is element row % 4 of lane row / 4 · 16 + column.
  template <class Mma, class Sums>
  static KOHORT_FUNCTION void add_results(typename Mma::accumulator_type (&values)[Mma::values],
                                          Sums sum, int columns, int half) {
    using Number = typename Mma::accumulator_type;
    int const lane = HipShuffle::lane() % 32;
    bool const is_mine = HipShuffle::lane() / 32 == half;
    KOHORT_UNROLL
    for (int i = 0; i < 8; ++i) {
      MatrixPlace const place = subgroup_place(lane, i);
      int const from = place.row / 4 * 16 + place.column;
      Number result = 0;
      KOHORT_UNROLL
      for (int element = 0; element < 4; ++element) {
        Number const one = HipShuffle::from_lane(static_cast<Number>(sum[element]), from);
        if (place.row % 4 == element) result = one;
      }
      int const value = columns / 4 * 2 + i;
      if (is_mine && value < Mma::values) values[value] += result;
    }
  }
};

}  // namespace kohort::Impl
