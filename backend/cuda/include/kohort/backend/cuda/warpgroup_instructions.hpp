// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/mma_operands.hpp>
#include <kohort/macros.hpp>
#include <kohort/number_types.hpp>

#include <cstdint>

namespace kohort::Impl {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

#define KOHORT_FLOAT_OPERAND(value) "+f"(value)
#define KOHORT_INTEGER_OPERAND(value) "+r"(value)

/// One wgmma of `count` registers, whose operands' transposition the instruction can choose.
#define KOHORT_WGMMA_TRANSPOSABLE(count, shape, types)                                             \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " KOHORT_NEXT_##count##_2                         \
               ", 0;\nwgmma.mma_async.sync.aligned." shape "." types " {" KOHORT_REGISTERS_##count \
               "}, " KOHORT_NEXT_##count##_0 ", " KOHORT_NEXT_##count##_1                          \
               ", p, 1, 1, " KOHORT_NEXT_##count##_3 ", " KOHORT_NEXT_##count##_4 ";\n}"           \
               : KOHORT_OPERANDS_##count(KOHORT_FLOAT_OPERAND, values)                             \
               : "l"(a), "l"(b), "r"(accumulates), "n"(AIsMn ? 1 : 0), "n"(BIsMn ? 1 : 0))
/// One whose operands are both K-major.
#define KOHORT_WGMMA_K_MAJOR(count, shape, types)                                                  \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " KOHORT_NEXT_##count##_2                         \
               ", 0;\nwgmma.mma_async.sync.aligned." shape "." types " {" KOHORT_REGISTERS_##count \
               "}, " KOHORT_NEXT_##count##_0 ", " KOHORT_NEXT_##count##_1 ", p, 1, 1;\n}"          \
               : KOHORT_OPERANDS_##count(KOHORT_FLOAT_OPERAND, values)                             \
               : "l"(a), "l"(b), "r"(accumulates))
#define KOHORT_WGMMA_INTEGER(count, shape, types)                                                  \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " KOHORT_NEXT_##count##_2                         \
               ", 0;\nwgmma.mma_async.sync.aligned." shape "." types " {" KOHORT_REGISTERS_##count \
               "}, " KOHORT_NEXT_##count##_0 ", " KOHORT_NEXT_##count##_1 ", p;\n}"                \
               : KOHORT_OPERANDS_##count(KOHORT_INTEGER_OPERAND, values)                           \
               : "l"(a), "l"(b), "r"(accumulates))
// The same with A in registers, four words a thread.
#define KOHORT_WGMMA_A_WORDS(count)                                                         \
  " {" KOHORT_REGISTERS_##count "}, {" KOHORT_NEXT_##count##_0 ", " KOHORT_NEXT_##count##_1 \
      ", " KOHORT_NEXT_##count##_2 ", " KOHORT_NEXT_##count##_3 "}, " KOHORT_NEXT_##count##_4
#define KOHORT_WGMMA_START(count, shape, types)               \
  "{\n.reg .pred p;\nsetp.ne.b32 p, " KOHORT_NEXT_##count##_5 \
      ", 0;\nwgmma.mma_async.sync.aligned." shape "." types
#define KOHORT_WGMMA_WORDS(a) "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define KOHORT_WGMMA_TRANSPOSABLE_R(count, shape, types)                                    \
  asm volatile(KOHORT_WGMMA_START(count, shape, types)                                      \
                   KOHORT_WGMMA_A_WORDS(count) ", p, 1, 1, " KOHORT_NEXT_##count##_6 ";\n}" \
               : KOHORT_OPERANDS_##count(KOHORT_FLOAT_OPERAND, values)                      \
               : KOHORT_WGMMA_WORDS(a), "l"(b), "r"(accumulates), "n"(BIsMn ? 1 : 0))
#define KOHORT_WGMMA_K_MAJOR_R(count, shape, types)                                                \
  asm volatile(KOHORT_WGMMA_START(count, shape, types) KOHORT_WGMMA_A_WORDS(count) ", p, 1, 1;\n}" \
               : KOHORT_OPERANDS_##count(KOHORT_FLOAT_OPERAND, values)                             \
               : KOHORT_WGMMA_WORDS(a), "l"(b), "r"(accumulates))
#define KOHORT_WGMMA_INTEGER_R(count, shape, types)                                          \
  asm volatile(KOHORT_WGMMA_START(count, shape, types) KOHORT_WGMMA_A_WORDS(count) ", p;\n}" \
               : KOHORT_OPERANDS_##count(KOHORT_INTEGER_OPERAND, values)                     \
               : KOHORT_WGMMA_WORDS(a), "l"(b), "r"(accumulates))
/// The instruction of the N that is asked for.
#define KOHORT_WGMMA_BY_WIDTH(form, k, types) \
  if constexpr (N == 32) {                    \
    form(16, "m64n32" k, types);              \
  } else if constexpr (N == 64) {             \
    form(32, "m64n64" k, types);              \
  } else if constexpr (N == 96) {             \
    form(48, "m64n96" k, types);              \
  } else if constexpr (N == 128) {            \
    form(64, "m64n128" k, types);             \
  } else if constexpr (N == 192) {            \
    form(96, "m64n192" k, types);             \
  } else {                                    \
    form(128, "m64n256" k, types);            \
  }

/// wgmma for operands of types A and B: `depth` elements of K each.
template <class A, class B>
struct WarpgroupInstruction;

#define KOHORT_WARPGROUP_INSTRUCTION(A, B, Value, elements, form, types)                   \
  template <>                                                                              \
  struct WarpgroupInstruction<A, B> {                                                      \
    static constexpr int depth = elements;                                                 \
    template <int N, bool AIsMn, bool BIsMn>                                               \
    static __device__ __forceinline__ void issue(Value (&values)[N / 2], std::uint64_t a,  \
                                                 std::uint64_t b, int accumulates) {       \
      KOHORT_WGMMA_BY_WIDTH(form, "k" #elements, types)                                    \
    }                                                                                      \
    template <int N, bool BIsMn>                                                           \
    static __device__ __forceinline__ void issue_words(Value (&values)[N / 2],             \
                                                       std::uint32_t const (&a)[4],        \
                                                       std::uint64_t b, int accumulates) { \
      KOHORT_WGMMA_BY_WIDTH(form##_R, "k" #elements, types)                                \
    }                                                                                      \
  };

KOHORT_WARPGROUP_INSTRUCTION(bfloat16, bfloat16, float, 16, KOHORT_WGMMA_TRANSPOSABLE,
                             "f32.bf16.bf16")
KOHORT_WARPGROUP_INSTRUCTION(float16, float16, float, 16, KOHORT_WGMMA_TRANSPOSABLE, "f32.f16.f16")
KOHORT_WARPGROUP_INSTRUCTION(tfloat32, tfloat32, float, 8, KOHORT_WGMMA_K_MAJOR, "f32.tf32.tf32")
KOHORT_WARPGROUP_INSTRUCTION(float8_e4m3, float8_e4m3, float, 32, KOHORT_WGMMA_K_MAJOR,
                             "f32.e4m3.e4m3")
KOHORT_WARPGROUP_INSTRUCTION(float8_e4m3, float8_e5m2, float, 32, KOHORT_WGMMA_K_MAJOR,
                             "f32.e4m3.e5m2")
KOHORT_WARPGROUP_INSTRUCTION(float8_e5m2, float8_e4m3, float, 32, KOHORT_WGMMA_K_MAJOR,
                             "f32.e5m2.e4m3")
KOHORT_WARPGROUP_INSTRUCTION(float8_e5m2, float8_e5m2, float, 32, KOHORT_WGMMA_K_MAJOR,
                             "f32.e5m2.e5m2")
KOHORT_WARPGROUP_INSTRUCTION(std::int8_t, std::int8_t, std::int32_t, 32, KOHORT_WGMMA_INTEGER,
                             "s32.s8.s8")

#undef KOHORT_WARPGROUP_INSTRUCTION
#undef KOHORT_WGMMA_BY_WIDTH
#undef KOHORT_WGMMA_INTEGER_R
#undef KOHORT_WGMMA_K_MAJOR_R
#undef KOHORT_WGMMA_TRANSPOSABLE_R
#undef KOHORT_WGMMA_WORDS
#undef KOHORT_WGMMA_START
#undef KOHORT_WGMMA_A_WORDS
#undef KOHORT_WGMMA_INTEGER
#undef KOHORT_WGMMA_K_MAJOR
#undef KOHORT_WGMMA_TRANSPOSABLE
#undef KOHORT_INTEGER_OPERAND
#undef KOHORT_FLOAT_OPERAND

#endif

}  // namespace kohort::Impl
