// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/phased_barrier.hpp>
#include <kohort/backend/cuda/thread.hpp>
#include <kohort/backend/cuda/warpgroup_instructions.hpp>
#include <kohort/backend/emulated/plain_product.hpp>
#include <kohort/warpgroup_mma.hpp>

#include <cstdint>

namespace kohort::Impl {

/// Where a warpgroup's product finds an operand in shared memory, as the matrix descriptor of
/// wgmma (PTX ISA, "Asynchronous warpgroup level matrix instructions: shared memory matrix
/// layout"), for tiles with a swizzle of 128 B.
struct OperandDescriptor {
  static constexpr std::uint64_t swizzle_128 = std::uint64_t{1} << 62U;
  static constexpr std::uint64_t eight_rows = 1024;  ///< bytes of 8 rows of 128 B

  /// @param block_bytes  MN-major: from one block of 64 along M or N to the next
  static KOHORT_FUNCTION std::uint64_t of(std::uint32_t address, std::uint64_t block_bytes) {
    return field(address) | field(block_bytes) << 16U | field(eight_rows) << 32U | swizzle_128;
  }
  /// Of a place `bytes` further on.
  static KOHORT_FUNCTION std::uint64_t advanced(std::uint64_t descriptor, std::uint64_t bytes) {
    return descriptor + (bytes >> 4U);
  }

 private:
  static KOHORT_FUNCTION std::uint64_t field(std::uint64_t bytes) {
    return (bytes & 0x3ffffU) >> 4U;
  }
};

template <>
struct MatrixOperations<Cuda> {
  using Fragments = WarpgroupFragments;
  using Thread = ThreadHandle<Cuda>;

  template <class Mma>
  static KOHORT_FUNCTION void multiply([[maybe_unused]] Thread const& thread,
                                       typename Mma::accumulator_type (&values)[Mma::values],
                                       bool begins_anew, typename Mma::a_type const* a,
                                       typename Mma::b_type const* b, CallSite) {
    // The matrix unit reads shared memory alone, and cluster scratch may be elsewhere.
    if (thread.is_emulated())
      return PlainProduct<Mma>::multiply(thread.team_rank() % Mma::threads, values, begins_anew, a,
                                         b);
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using Instruction = WarpgroupInstruction<typename Mma::a_type, typename Mma::b_type>;
    constexpr bool a_is_mn = Mma::a_major == MatrixMajor::mn;
    constexpr bool b_is_mn = Mma::b_major == MatrixMajor::mn;
    constexpr int steps = Mma::depth / Instruction::depth;  // 32 B of K each
    constexpr std::uint64_t block_bytes = 128 * Mma::depth;
    constexpr std::uint64_t mn_step = 128 * Instruction::depth;
    std::uint64_t const a_at = OperandDescriptor::of(shared_address(a), block_bytes);
    std::uint64_t const b_at = OperandDescriptor::of(shared_address(b), block_bytes);
    fence_operands(values);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    KOHORT_UNROLL
    for (int step = 0; step < steps; ++step) {
      Instruction::template issue<Mma::columns, a_is_mn, b_is_mn>(
          values, OperandDescriptor::advanced(a_at, step * (a_is_mn ? mn_step : 32)),
          OperandDescriptor::advanced(b_at, step * (b_is_mn ? mn_step : 32)),
          step > 0 || !begins_anew);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    fence_operands(values);
#else
    PlainProduct<Mma>::multiply(thread.team_rank() % Mma::threads, values, begins_anew, a, b);
#endif
  }

  /// A in registers: 16 words a thread, four for each 32 B of K.
  template <class Mma>
  static KOHORT_FUNCTION void multiply_words([[maybe_unused]] Thread const& thread,
                                             typename Mma::accumulator_type (&values)[Mma::values],
                                             bool begins_anew, std::uint32_t const (&a)[16],
                                             typename Mma::b_type const* b,
                                             [[maybe_unused]] CallSite site) {
    if (thread.is_emulated())
      return PlainProduct<Mma>::multiply_words(thread, values, begins_anew, a, b, site);
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using Instruction = WarpgroupInstruction<typename Mma::a_type, typename Mma::b_type>;
    constexpr bool b_is_mn = Mma::b_major == MatrixMajor::mn;
    constexpr std::uint64_t mn_step = 128 * Instruction::depth;
    std::uint64_t const b_at = OperandDescriptor::of(shared_address(b), 128 * Mma::depth);
    fence_operands(values);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    KOHORT_UNROLL
    for (int step = 0; step < 4; ++step) {
      std::uint32_t const words[4] = {a[step * 4], a[step * 4 + 1], a[step * 4 + 2],
                                      a[step * 4 + 3]};
      Instruction::template issue_words<Mma::columns, b_is_mn>(
          values, words, OperandDescriptor::advanced(b_at, step * (b_is_mn ? mn_step : 32)),
          step > 0 || !begins_anew);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    fence_operands(values);
#else
    PlainProduct<Mma>::multiply_words(thread, values, begins_anew, a, b, site);
#endif
  }

  /// Who has waited knows the whole warpgroup to be done with the operands: of products by ordinary
  /// multiplications its four warps have to meet for that.
  template <class Mma, int Pending>
  static KOHORT_FUNCTION void wait([[maybe_unused]] Thread const& thread,
                                   [[maybe_unused]]
                                   typename Mma::accumulator_type (&values)[Mma::values],
                                   [[maybe_unused]] CallSite site) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    if (thread.is_emulated()) return thread.warpgroup_barrier(site);
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
    fence_operands(values);
#else
    thread.warpgroup_barrier(site);
#endif
  }

  static constexpr bool stores_rows = true;
  /// Sixteen columns of a warp's sixteen rows at a time: four 8 × 8 matrices, whose rows' places
  /// the lanes give, eight lanes a matrix (PTX ISA, "stmatrix").
  template <class Out, int FirstColumn, int Count>
  static KOHORT_FUNCTION void store_rows(Thread const& thread, float const (&values)[Count],
                                         Out* rows) {
    if (thread.is_emulated() || !cuda_has_clusters)
      return store_rows_plainly<Out, FirstColumn>(thread, values, rows);
    int const lane = thread.team_rank() % 32;
    int const row = thread.team_rank() % 128 / 32 * 16 + lane % 16;
    std::uint32_t const base = shared_address(rows) + static_cast<std::uint32_t>(row * 128);
    KOHORT_UNROLL
    for (int pair = 0; pair < 4; ++pair) {
      int const at = FirstColumn / 2 + pair * 8;
      auto const place = static_cast<std::uint32_t>((pair * 2 + lane / 16) ^ (row % 8));
      store_matrices(base + place * 16, pack<Out>(values[at], values[at + 1]),
                     pack<Out>(values[at + 2], values[at + 3]),
                     pack<Out>(values[at + 4], values[at + 5]),
                     pack<Out>(values[at + 6], values[at + 7]));
    }
  }

  /// The same by ordinary stores, to any memory.
  template <class Out, int FirstColumn, int Count>
  static KOHORT_FUNCTION void store_rows_plainly(Thread const& thread, float const (&values)[Count],
                                                 Out* rows) {
    int const lane = thread.team_rank() % 32;
    int const first_row = thread.team_rank() % 128 / 32 * 16 + lane / 4;
    KOHORT_UNROLL
    for (int i = 0; i < 32; i += 2) {
      int const row = first_row + 8 * (i / 2 % 2);
      auto const offset = static_cast<std::uint32_t>(row * 128 + (lane % 4 * 2 + 8 * (i / 4)) * 2);
      auto* const to = reinterpret_cast<char*>(rows) + swizzled_offset(Swizzle::bytes128, offset);
      *reinterpret_cast<std::uint32_t*>(to) =
          pack<Out>(values[FirstColumn / 2 + i], values[FirstColumn / 2 + i + 1]);
    }
  }

  template <class Out>
  static KOHORT_FUNCTION std::uint32_t pack([[maybe_unused]] float first,
                                            [[maybe_unused]] float second) {
    static_assert(std::is_same_v<Out, bfloat16> || std::is_same_v<Out, float16>);
    std::uint32_t word = 0;
    if constexpr (std::is_same_v<Out, bfloat16>) {
      KOHORT_CUDA_DEVICE_BODY(asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
                                  : "=r"(word)
                                  : "f"(second), "f"(first));)
    } else {
      KOHORT_CUDA_DEVICE_BODY(asm("cvt.rn.f16x2.f32 %0, %1, %2;"
                                  : "=r"(word)
                                  : "f"(second), "f"(first));)
    }
    return word;
  }

 private:
  static KOHORT_FUNCTION void store_matrices([[maybe_unused]] std::uint32_t place,
                                             [[maybe_unused]] std::uint32_t first,
                                             [[maybe_unused]] std::uint32_t second,
                                             [[maybe_unused]] std::uint32_t third,
                                             [[maybe_unused]] std::uint32_t fourth) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile(
            "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(place),
            "r"(first), "r"(second), "r"(third), "r"(fourth)
            : "memory");)
  }

  /// Keeps the compiler from moving the values while the matrix unit writes them.
  template <class Accumulator, int Count>
  static KOHORT_FUNCTION void fence_operands([[maybe_unused]] Accumulator (&values)[Count]) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    KOHORT_UNROLL
    for (int i = 0; i < Count; ++i) {
      if constexpr (std::is_same_v<Accumulator, float>) {
        asm volatile("" : "+f"(values[i])::"memory");
      } else {
        asm volatile("" : "+r"(values[i])::"memory");
      }
    }
#endif
  }
};

}  // namespace kohort::Impl
