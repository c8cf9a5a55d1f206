// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/device_code.hpp>
#include <kohort/number_types.hpp>

#include <cstdint>
#include <type_traits>

namespace kohort::Impl {

template <class T, int Count>
using HipVector = T __attribute__((ext_vector_type(Count)));
using HipFloats = HipVector<float, 4>;
using HipInts = HipVector<int, 4>;

/// An instruction of the matrix cores on 16 × 16 results (LLVM, AMDGPU builtins; AMD Instinct CDNA
/// 3 and CDNA 4 Instruction Set Architecture guides, "Matrix Arithmetic Instructions"): a wavefront
/// gives each lane 4 of them, row 4 · (lane / 16) + i, column lane % 16. Of A it holds row lane %
/// 16, of B column lane % 16, both `each` elements along K from `each` · (lane / 16) on.
///
/// @tparam Each  elements a lane; without a specialisation there is no such instruction
template <class A, class B, int Each>
struct HipMatrixCore {
  static constexpr bool exists = false;
};

/// OPERAND: the vector that BUILTIN takes `EACH` elements as.
#define KOHORT_HIP_MATRIX_CORE(A, B, EACH, OPERAND, RESULT, BUILTIN)                               \
  template <>                                                                                      \
  struct HipMatrixCore<A, B, EACH> {                                                               \
    static constexpr bool exists = true;                                                           \
    static KOHORT_FUNCTION RESULT issue([[maybe_unused]] A const* a, [[maybe_unused]] B const* b,  \
                                        [[maybe_unused]] RESULT c) {                               \
      KOHORT_HIP_DEVICE_BODY(OPERAND left; OPERAND right; __builtin_memcpy(&left, a, sizeof left); \
                             __builtin_memcpy(&right, b, sizeof right);                            \
                             return BUILTIN(left, right, c, 0, 0, 0);)                             \
    }                                                                                              \
  };

using HipBf16x4 = HipVector<short, 4>;
using HipHalf4 = HipVector<_Float16, 4>;
KOHORT_HIP_MATRIX_CORE(bfloat16, bfloat16, 4, HipBf16x4, HipFloats,
                       __builtin_amdgcn_mfma_f32_16x16x16bf16_1k)
KOHORT_HIP_MATRIX_CORE(float16, float16, 4, HipHalf4, HipFloats,
                       __builtin_amdgcn_mfma_f32_16x16x16f16)
KOHORT_HIP_MATRIX_CORE(std::int8_t, std::int8_t, 8, long, HipInts,
                       __builtin_amdgcn_mfma_i32_16x16x32_i8)

#if defined(__gfx950__)
using HipBf16x8 = HipVector<__bf16, 8>;
using HipHalf8 = HipVector<_Float16, 8>;
KOHORT_HIP_MATRIX_CORE(bfloat16, bfloat16, 8, HipBf16x8, HipFloats,
                       __builtin_amdgcn_mfma_f32_16x16x32_bf16)
KOHORT_HIP_MATRIX_CORE(float16, float16, 8, HipHalf8, HipFloats,
                       __builtin_amdgcn_mfma_f32_16x16x32_f16)
KOHORT_HIP_MATRIX_CORE(std::int8_t, std::int8_t, 16, HipInts, HipInts,
                       __builtin_amdgcn_mfma_i32_16x16x64_i8)
// gfx942's are of AMD's own bias; these are of the Open Compute Project's formats, as Kohort's.
KOHORT_HIP_MATRIX_CORE(float8_e4m3, float8_e4m3, 8, long, HipFloats,
                       __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8)
KOHORT_HIP_MATRIX_CORE(float8_e4m3, float8_e5m2, 8, long, HipFloats,
                       __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8)
KOHORT_HIP_MATRIX_CORE(float8_e5m2, float8_e4m3, 8, long, HipFloats,
                       __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8)
KOHORT_HIP_MATRIX_CORE(float8_e5m2, float8_e5m2, 8, long, HipFloats,
                       __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8)
#else

/// An 8-bit float as a 16-bit one, which holds it exactly.
KOHORT_FUNCTION std::uint16_t half_of(float8_e5m2 value) {
  return static_cast<std::uint16_t>(value.bits << 8U);
}
/// The bias is 7, not 15: a factor of 2^8, exact also for what is subnormal in 8 bits.
KOHORT_FUNCTION std::uint16_t half_of(float8_e4m3 value) {
  std::uint32_t const magnitude = value.bits & 0x7fU;
  std::uint32_t const sign = (value.bits & 0x80U) << 8U;
  auto const shifted = static_cast<std::uint16_t>(magnitude << 7U);
  _Float16 scaled;
  __builtin_memcpy(&scaled, &shifted, 2);
  scaled *= static_cast<_Float16>(256.0f);
  std::uint16_t bits;
  __builtin_memcpy(&bits, &scaled, 2);
  return static_cast<std::uint16_t>(sign | (magnitude == 0x7fU ? 0x7e00U : bits));
}

/// gfx942's 8-bit floats have AMD's own bias: the Open Compute Project's are multiplied as 16-bit
/// ones. Their products are the same numbers.
#define KOHORT_HIP_FLOAT8(A, B)                                                                    \
  template <>                                                                                      \
  struct HipMatrixCore<A, B, 8> {                                                                  \
    static constexpr bool exists = true;                                                           \
    static KOHORT_FUNCTION HipFloats issue(A const* a, B const* b, HipFloats c) {                  \
      KOHORT_UNROLL                                                                                \
      for (int part = 0; part < 8; part += 4) {                                                    \
        std::uint16_t left[4];                                                                     \
        std::uint16_t right[4];                                                                    \
        KOHORT_UNROLL                                                                              \
        for (int i = 0; i < 4; ++i) {                                                              \
          left[i] = half_of(a[part + i]);                                                          \
          right[i] = half_of(b[part + i]);                                                         \
        }                                                                                          \
        c = HipMatrixCore<float16, float16, 4>::issue(reinterpret_cast<float16 const*>(left),      \
                                                      reinterpret_cast<float16 const*>(right), c); \
      }                                                                                            \
      return c;                                                                                    \
    }                                                                                              \
  };
KOHORT_HIP_FLOAT8(float8_e4m3, float8_e4m3)
KOHORT_HIP_FLOAT8(float8_e4m3, float8_e5m2)
KOHORT_HIP_FLOAT8(float8_e5m2, float8_e4m3)
KOHORT_HIP_FLOAT8(float8_e5m2, float8_e5m2)
#undef KOHORT_HIP_FLOAT8
#endif
#undef KOHORT_HIP_MATRIX_CORE

/// What a tf32 unit takes of a float: 10 bits of mantissa.
KOHORT_FUNCTION float as_tfloat32(tfloat32 value) {
  return float_of(bits_of(value.value) & 0xffffe000U);
}

/// There is no tf32 on gfx950: products of floats.
template <>
struct HipMatrixCore<tfloat32, tfloat32, 1> {
  static constexpr bool exists = true;
  static KOHORT_FUNCTION HipFloats issue([[maybe_unused]] tfloat32 const* a,
                                         [[maybe_unused]] tfloat32 const* b,
                                         [[maybe_unused]] HipFloats c) {
    KOHORT_HIP_DEVICE_BODY(
        return __builtin_amdgcn_mfma_f32_16x16x4f32(as_tfloat32(*a), as_tfloat32(*b), c, 0, 0, 0);)
  }
};

/// The fewest elements a lane for which there is an instruction, and the most.
template <class A, class B>
inline constexpr int hip_core_least = sizeof(A) == 4   ? 1
                                      : sizeof(A) == 2 ? 4
                                                       : 8;
template <class A, class B>
inline constexpr int hip_core_most =
    HipMatrixCore<A, B, 2 * hip_core_least<A, B>>::exists ? 2 * hip_core_least<A, B>
                                                          : hip_core_least<A, B>;

}  // namespace kohort::Impl
