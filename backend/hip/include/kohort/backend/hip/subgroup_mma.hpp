// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/thread.hpp>
#include <kohort/number_types.hpp>
#include <kohort/subgroup_mma.hpp>

#include <cstdint>
#include <type_traits>

namespace kohort::Impl {

using HipFloats = float __attribute__((ext_vector_type(4)));
using HipInts = int __attribute__((ext_vector_type(4)));
using HipShorts = short __attribute__((ext_vector_type(4)));
using HipHalves = _Float16 __attribute__((ext_vector_type(4)));

/// Matrix-core instructions on 16 × 16 results (LLVM, AMDGPU builtins; AMD Instinct CDNA 3 and CDNA
/// 4 Instruction Set Architecture guides, "Matrix Arithmetic Instructions"): a wavefront gives each
/// lane 4 of them, row 4 · (lane / 16) + i, column lane % 16. Of A it holds row lane % 16, of B
/// column lane % 16, both `each` elements along K from `each` · (lane / 16) on.
template <class A, class B>
struct HipMatrixCore {
  static constexpr bool exists = false;
};

template <>
struct HipMatrixCore<bfloat16, bfloat16> {
  static constexpr bool exists = true;
  static constexpr int each = 4;
  static KOHORT_FUNCTION HipFloats issue([[maybe_unused]] void const* a,
                                         [[maybe_unused]] void const* b,
                                         [[maybe_unused]] HipFloats c) {
    KOHORT_HIP_DEVICE_BODY(
        HipShorts left, right; __builtin_memcpy(&left, a, 8); __builtin_memcpy(&right, b, 8);
        return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(left, right, c, 0, 0, 0);)
  }
};

template <>
struct HipMatrixCore<float16, float16> {
  static constexpr bool exists = true;
  static constexpr int each = 4;
  static KOHORT_FUNCTION HipFloats issue([[maybe_unused]] void const* a,
                                         [[maybe_unused]] void const* b,
                                         [[maybe_unused]] HipFloats c) {
    KOHORT_HIP_DEVICE_BODY(HipHalves left, right; __builtin_memcpy(&left, a, 8);
                           __builtin_memcpy(&right, b, 8);
                           return __builtin_amdgcn_mfma_f32_16x16x16f16(left, right, c, 0, 0, 0);)
  }
};

/// gfx942 multiplies the formats of AMD's own bias, gfx950 those of the Open Compute Project, which
/// are Kohort's: elsewhere 8-bit floats take ordinary multiplications.
#if defined(__gfx950__)
#define KOHORT_HIP_FLOAT8(A, B, BUILTIN)                                      \
  template <>                                                                 \
  struct HipMatrixCore<A, B> {                                                \
    static constexpr bool exists = true;                                      \
    static constexpr int each = 8;                                            \
    static KOHORT_FUNCTION HipFloats issue([[maybe_unused]] void const* a,    \
                                           [[maybe_unused]] void const* b,    \
                                           [[maybe_unused]] HipFloats c) {    \
      KOHORT_HIP_DEVICE_BODY(long left, right; __builtin_memcpy(&left, a, 8); \
                             __builtin_memcpy(&right, b, 8);                  \
                             return BUILTIN(left, right, c, 0, 0, 0);)        \
    }                                                                         \
  };
KOHORT_HIP_FLOAT8(float8_e4m3, float8_e4m3, __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8)
KOHORT_HIP_FLOAT8(float8_e4m3, float8_e5m2, __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8)
KOHORT_HIP_FLOAT8(float8_e5m2, float8_e4m3, __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8)
KOHORT_HIP_FLOAT8(float8_e5m2, float8_e5m2, __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8)
#undef KOHORT_HIP_FLOAT8
#endif

/// SubgroupMma belongs to 32 threads and a matrix core's instruction to 64: the wavefront computes
/// the product of its first half, then that of its second, and hands the results to the half that
/// they are for.
template <>
struct SubgroupMatrixOperations<Hip> {
  template <class Mma>
  static KOHORT_FUNCTION void multiply([[maybe_unused]] ThreadHandle<Hip> const& thread,
                                       typename Mma::accumulator_type (&values)[Mma::values],
                                       typename Mma::a_type const* a, int a_stride,
                                       typename Mma::b_type const* b, int b_stride, CallSite) {
    using Core = HipMatrixCore<typename Mma::a_type, typename Mma::b_type>;
    if constexpr (Core::exists) {
      by_core<Mma, Core>(values, a, a_stride, b, b_stride);
    } else {
      plainly<Mma>(thread.team_rank() % 32, values, a, a_stride, b, b_stride);
    }
  }

 private:
  /// Elements of lane `lane` of 32: value i is of row lane / 4 + 8 · (i / 2 % 2), column
  /// lane % 4 · 2 + 8 · (i / 4) + i % 2.
  template <class Mma>
  static KOHORT_FUNCTION void plainly(int lane,
                                      typename Mma::accumulator_type (&values)[Mma::values],
                                      typename Mma::a_type const* a, int a_stride,
                                      typename Mma::b_type const* b, int b_stride) {
    using Number = typename Mma::accumulator_type;
    KOHORT_UNROLL
    for (int i = 0; i < Mma::values; ++i) {
      auto const* const row = a + (lane / 4 + 8 * (i / 2 % 2)) * a_stride;
      auto const* const column = b + (lane % 4 * 2 + 8 * (i / 4) + i % 2) * b_stride;
      for (int k = 0; k < Mma::depth; ++k)
        values[i] += static_cast<Number>(row[k]) * static_cast<Number>(column[k]);
    }
  }

  template <class Mma, class Core>
  static KOHORT_FUNCTION void by_core(float (&values)[Mma::values], typename Mma::a_type const* a,
                                      int a_stride, typename Mma::b_type const* b, int b_stride) {
    int const lane = HipShuffle::lane();
    KOHORT_UNROLL
    for (int half = 0; half < 2; ++half) {
      // The half's own operands, in all 64 lanes.
      auto const* const half_a = HipShuffle::from_lane(a, half * 32);
      auto const* const half_b = HipShuffle::from_lane(b, half * 32);
      KOHORT_UNROLL
      for (int columns = 0; columns < Mma::columns; columns += 16) {
        HipFloats sum{};
        KOHORT_UNROLL
        for (int k = 0; k < Mma::depth; k += 4 * Core::each) {
          int const at = k + lane / 16 * Core::each;
          // Of a width that is no multiple of 16 the last columns are not there.
          int const column = columns + lane % 16 < Mma::columns ? columns + lane % 16 : 0;
          sum =
              Core::issue(half_a + lane % 16 * a_stride + at, half_b + column * b_stride + at, sum);
        }
        add_results<Mma>(values, sum, columns, half);
      }
    }
  }

  /// Result (row, column) is element row % 4 of lane row / 4 · 16 + column.
  template <class Mma>
  static KOHORT_FUNCTION void add_results(float (&values)[Mma::values], HipFloats sum, int columns,
                                          int half) {
    int const lane = HipShuffle::lane() % 32;
    bool const is_mine = HipShuffle::lane() / 32 == half;
    KOHORT_UNROLL
    for (int i = 0; i < 8; ++i) {
      int const row = lane / 4 + 8 * (i / 2 % 2);
      int const column = lane % 4 * 2 + 8 * (i / 4) + i % 2;
      int const from = row / 4 * 16 + column;
      float result = 0;
      KOHORT_UNROLL
      for (int element = 0; element < 4; ++element) {
        float const one = HipShuffle::from_lane(static_cast<float>(sum[element]), from);
        if (row % 4 == element) result = one;
      }
      int const place = columns / 4 * 2 + i;
      if (is_mine && place < Mma::values) values[place] += result;
    }
  }
};

}  // namespace kohort::Impl
