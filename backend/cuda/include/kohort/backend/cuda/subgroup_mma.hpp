// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/phased_barrier.hpp>
#include <kohort/backend/cuda/thread.hpp>
#include <kohort/subgroup_mma.hpp>

#include <cstdint>

/// The body of a function that needs compute capability 8.0.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define KOHORT_CUDA_AMPERE_BODY(...) __VA_ARGS__
#elif defined(__CUDA_ARCH__)
#define KOHORT_CUDA_AMPERE_BODY(...) __trap();
#else
#define KOHORT_CUDA_AMPERE_BODY(...) __builtin_unreachable();
#endif

namespace kohort::Impl {

/// mma.sync of 16 × 8 elements and 32 bytes of K (PTX ISA, "Matrix multiply-accumulate operation
/// using mma instruction"): four values a lane.
template <class A, class B>
struct SubgroupInstruction;

template <>
struct SubgroupInstruction<bfloat16, bfloat16> {
  static KOHORT_FUNCTION void issue([[maybe_unused]] float* c,
                                    [[maybe_unused]] std::uint32_t const (&a)[4],
                                    [[maybe_unused]] std::uint32_t const (&b)[2]) {
    KOHORT_CUDA_AMPERE_BODY(
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));)
  }
};

template <>
struct SubgroupInstruction<float16, float16> {
  static KOHORT_FUNCTION void issue([[maybe_unused]] float* c,
                                    [[maybe_unused]] std::uint32_t const (&a)[4],
                                    [[maybe_unused]] std::uint32_t const (&b)[2]) {
    KOHORT_CUDA_AMPERE_BODY(
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));)
  }
};

template <>
struct SubgroupInstruction<tfloat32, tfloat32> {
  static KOHORT_FUNCTION void issue([[maybe_unused]] float* c,
                                    [[maybe_unused]] std::uint32_t const (&a)[4],
                                    [[maybe_unused]] std::uint32_t const (&b)[2]) {
    KOHORT_CUDA_AMPERE_BODY(
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));)
  }
};

template <>
struct SubgroupInstruction<std::int8_t, std::int8_t> {
  static KOHORT_FUNCTION void issue([[maybe_unused]] std::int32_t* c,
                                    [[maybe_unused]] std::uint32_t const (&a)[4],
                                    [[maybe_unused]] std::uint32_t const (&b)[2]) {
    KOHORT_CUDA_AMPERE_BODY(
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));)
  }
};

template <>
struct SubgroupInstruction<float8_e4m3, float8_e4m3> {
  static KOHORT_FUNCTION void issue([[maybe_unused]] float* c,
                                    [[maybe_unused]] std::uint32_t const (&a)[4],
                                    [[maybe_unused]] std::uint32_t const (&b)[2]) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));)
  }
};

template <>
struct SubgroupInstruction<float8_e4m3, float8_e5m2> {
  static KOHORT_FUNCTION void issue([[maybe_unused]] float* c,
                                    [[maybe_unused]] std::uint32_t const (&a)[4],
                                    [[maybe_unused]] std::uint32_t const (&b)[2]) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));)
  }
};

template <>
struct SubgroupInstruction<float8_e5m2, float8_e4m3> {
  static KOHORT_FUNCTION void issue([[maybe_unused]] float* c,
                                    [[maybe_unused]] std::uint32_t const (&a)[4],
                                    [[maybe_unused]] std::uint32_t const (&b)[2]) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));)
  }
};

template <>
struct SubgroupInstruction<float8_e5m2, float8_e5m2> {
  static KOHORT_FUNCTION void issue([[maybe_unused]] float* c,
                                    [[maybe_unused]] std::uint32_t const (&a)[4],
                                    [[maybe_unused]] std::uint32_t const (&b)[2]) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));)
  }
};

template <>
struct SubgroupMatrixOperations<Cuda> {
  /// A lane's words of an operand are those at lane % 4 and four further, whatever their elements.
  template <class Mma>
  static KOHORT_FUNCTION void multiply(ThreadHandle<Cuda> const& thread,
                                       typename Mma::accumulator_type (&values)[Mma::values],
                                       typename Mma::a_type const* a, int a_stride,
                                       typename Mma::b_type const* b, int b_stride, CallSite) {
    using Instruction = SubgroupInstruction<typename Mma::a_type, typename Mma::b_type>;
    int const row = thread.team_rank() % 32 / 4;
    int const word = thread.team_rank() % 4;
    std::uint32_t a_words[4];
    KOHORT_UNROLL
    for (int i = 0; i < 4; ++i)
      a_words[i] = word_of(a + (row + 8 * (i % 2)) * a_stride, word + 4 * (i / 2));
    KOHORT_UNROLL
    for (int eight = 0; eight < Mma::columns / 8; ++eight) {
      auto const* const column = b + (eight * 8 + row) * b_stride;
      std::uint32_t const b_words[2] = {word_of(column, word), word_of(column, word + 4)};
      Instruction::issue(values + eight * 4, a_words, b_words);
    }
  }

 private:
  template <class T>
  static KOHORT_FUNCTION std::uint32_t word_of(T const* row, int word) {
    return reinterpret_cast<std::uint32_t const*>(row)[word];
  }
};

}  // namespace kohort::Impl
