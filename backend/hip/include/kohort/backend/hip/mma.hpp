// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/fragments.hpp>
#include <kohort/backend/hip/matrix_core.hpp>
#include <kohort/backend/hip/thread.hpp>
#include <kohort/warpgroup_mma.hpp>

namespace kohort::Impl {

struct HipFragments : HipPlaces {
  /// Hidden: the addresses of all places of an epilogue, made before a loop over tiles, took the
  /// registers that its products need.
  static KOHORT_FUNCTION int rank_for_places(int thread) {
    KOHORT_HIP_DEVICE_BODY(asm volatile("" : "+v"(thread)); return thread;)
  }
};

/// Products of a warpgroup's size on the matrix cores: each wavefront multiplies its 32 rows of A,
/// which it holds in registers, by all columns of B, which it reads in pieces of 16 B.
template <>
struct MatrixOperations<Hip> {
  using Thread = ThreadHandle<Hip>;
  using Fragments = HipFragments;
  static constexpr bool stores_rows = false;

  template <class Mma>
  static KOHORT_FUNCTION void multiply(Thread const& thread,
                                       typename Mma::accumulator_type (&values)[Mma::values],
                                       bool begins_anew, typename Mma::a_type const* a,
                                       typename Mma::b_type const* b, CallSite) {
    int const rank = HipFragments::rank_for_places(thread.team_rank() % Mma::threads);
    std::uint32_t words[16];
    KOHORT_UNROLL
    for (int block = 0; block < 2; ++block) {
      KOHORT_UNROLL
      for (int half = 0; half < 2; ++half)
        read_piece<Mma::a_major>(a, HipFragments::word(rank, block * 8).row, half, rank,
                                 words + block * 8 + half * 4);
    }
    accumulate<Mma>(rank, values, begins_anew, words, b);
  }
  template <class Mma>
  static KOHORT_FUNCTION void multiply_words(Thread const& thread,
                                             typename Mma::accumulator_type (&values)[Mma::values],
                                             bool begins_anew, std::uint32_t const (&a)[16],
                                             typename Mma::b_type const* b, CallSite) {
    accumulate<Mma>(thread.team_rank() % Mma::threads, values, begins_anew, a, b);
  }
  /// Who has waited knows the whole warpgroup to be done with the operands.
  template <class Mma, int Pending>
  static KOHORT_FUNCTION void wait(Thread const& thread,
                                   typename Mma::accumulator_type (&)[Mma::values], CallSite site) {
    thread.warpgroup_barrier(site);
  }
  template <class Out>
  static KOHORT_FUNCTION std::uint32_t pack(float first, float second) {
    static_assert(sizeof(Out) == 2, "two 16-bit numbers fill a word");
    return static_cast<std::uint32_t>(Out(first).bits) |
           static_cast<std::uint32_t>(Out(second).bits) << 16U;
  }

 private:
  /// Reads 16 B along K of row `row` of A, or column of B: piece lane / 16 of the four of that half
  /// of K.
  template <MatrixMajor Major, class T>
  static KOHORT_FUNCTION void read_piece(T const* tile, int row, int half, int rank,
                                         std::uint32_t* words) {
    int const piece = HipPlaces::piece(rank, half);
    auto const* const bytes = reinterpret_cast<std::byte const*>(tile);
    if constexpr (Major == MatrixMajor::k) {
      auto const offset = static_cast<std::uint32_t>(row * 128 + piece * 16);
      HipInts const all =
          *reinterpret_cast<HipInts const*>(bytes + swizzled_offset(Swizzle::bytes128, offset));
      __builtin_memcpy(words, &all, 16);
    } else {
      // 16-bit elements, in blocks of 64 rows: each element along K lies in a line of its own.
      KOHORT_UNROLL
      for (int i = 0; i < 4; ++i) {
        std::uint16_t two[2];
        KOHORT_UNROLL
        for (int e = 0; e < 2; ++e) {
          int const line = row / 64 * 64 + piece * 8 + 2 * i + e;
          auto const offset = static_cast<std::uint32_t>(line * 128 + row % 64 * 2);
          two[e] = *reinterpret_cast<std::uint16_t const*>(
              bytes + swizzled_offset(Swizzle::bytes128, offset));
        }
        __builtin_memcpy(words + i, two, 4);
      }
    }
  }

  template <class Mma>
  static KOHORT_FUNCTION void accumulate(int rank,
                                         typename Mma::accumulator_type (&values)[Mma::values],
                                         bool begins_anew, std::uint32_t const* a,
                                         typename Mma::b_type const* b) {
    if (begins_anew) {
      KOHORT_UNROLL
      for (int i = 0; i < Mma::values; ++i) values[i] = 0;
    }
    KOHORT_UNROLL
    for (int columns = 0; columns < Mma::columns; columns += 16) {
      if constexpr (Mma::b_major == MatrixMajor::mn)
        rank = HipFragments::rank_for_places(rank);  // addresses for these columns alone
      KOHORT_UNROLL
      for (int half = 0; half < 2; ++half) {
        std::uint32_t piece[4];
        read_piece<Mma::b_major>(b, columns + rank % 16, half, rank, piece);
        KOHORT_UNROLL
        for (int block = 0; block < 2; ++block)
          multiply_piece<Mma>(values + columns / 16 * 8 + block * 4, piece,
                              a + block * 8 + half * 4);
      }
    }
  }

  /// Four sums += 16 B a lane of B by 16 B a lane of A. Which elements along K they are does not
  /// matter, as long as they are the same of both.
  template <class Mma>
  static KOHORT_FUNCTION void multiply_piece(typename Mma::accumulator_type* sums,
                                             std::uint32_t const* b, std::uint32_t const* a) {
    using A = typename Mma::a_type;
    using B = typename Mma::b_type;
    constexpr int each = hip_core_most<B, A>;
    constexpr int elements = 16 / static_cast<int>(sizeof(A));
    A left[elements];
    B right[elements];
    __builtin_memcpy(left, a, 16);
    __builtin_memcpy(right, b, 16);
    HipVector<typename Mma::accumulator_type, 4> all;
    __builtin_memcpy(&all, sums, sizeof all);
    KOHORT_UNROLL
    for (int i = 0; i < elements; i += each)
      all = HipMatrixCore<B, A, each>::issue(right + i, left + i, all);
    __builtin_memcpy(sums, &all, sizeof all);
  }
};

}  // namespace kohort::Impl
