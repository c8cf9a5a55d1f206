// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/impl/warpgroup_fragments.hpp>
#include <kohort/macros.hpp>
#include <kohort/warpgroup_mma.hpp>

#include <cstdint>
#include <type_traits>

namespace kohort {
namespace Impl {

/// Where value `i` of a lane of 32 is in a product of 16 × N: mma.sync's order (PTX ISA, "Matrix
/// Fragments for mma.m16n8k16").
KOHORT_FUNCTION MatrixPlace subgroup_place(int lane, int i) {
  return {lane / 4 + 8 * (i / 2 % 2), lane % 4 * 2 + 8 * (i / 4) + i % 2};
}

/// Backend seam of SubgroupMma, whose multiply() says what it does:
///   multiply<Mma>(thread, Accumulator (&values)[Mma::values], A const*, int, B const*, int, site)
template <class Target>
struct SubgroupMatrixOperations;

/// A product of 16 × N, spread over the registers of 32 threads.
template <class Number, int N>
class SubgroupProduct {
  static_assert(N >= 8 && N <= 128 && N % 8 == 0,
                "a subgroup's product is a multiple of 8 columns wide, up to 128");

 public:
  using accumulator_type = Number;
  static constexpr int rows = 16;
  static constexpr int columns = N;
  static constexpr int threads = 32;
  static constexpr int values = 16 * N / threads;  ///< of a thread

  /// Zeros.
  KOHORT_FUNCTION void clear() {
    for (Number& value : values_) value = Number(0);
  }

  /// Calls `body(row, column, first, second)` for each two neighbours in a row that this thread
  /// holds; the values may be changed. Row 0 … 15, column even, 0 … N - 2.
  template <class Member, class Body>
  KOHORT_FUNCTION void for_each_fragment(Member const& member, Body const& body) {
    int const lane = member.team_rank() % threads;
    KOHORT_UNROLL
    for (int i = 0; i < values; i += 2) {
      MatrixPlace const place = subgroup_place(lane, i);
      body(place.row, place.column, values_[i], values_[i + 1]);
    }
  }

 protected:
  Number values_[values];
};

}  // namespace Impl

/// Products of 16 × N tiles by 32 neighbouring threads of a team, from a multiple of 32 on: for
/// shapes that a WarpgroupMma is too large for. C += A·B, A of 16 × K and B of K × N elements in
/// memory, C spread over the threads' registers.
///
/// K is what fills 32 bytes: 16 elements of 16 bits, 32 of 8, 8 of 32. Types as for WarpgroupMma; N
/// a multiple of 8 up to 128. On CUDA: mma.sync, from compute capability 8.0 on, 8.9 for 8-bit
/// floats.
template <class Target, class A, class B, class Accumulator, int N>
class SubgroupMma : public Impl::SubgroupProduct<Accumulator, N> {
  static_assert(sizeof(A) == sizeof(B), "A and B have elements of one size");

  using Operations = Impl::SubgroupMatrixOperations<Target>;

 public:
  using a_type = A;
  using b_type = B;
  static constexpr int depth = 32 / static_cast<int>(sizeof(A));  ///< K of a product

  /// C += A·B, called by the 32 threads in converged flow. Both operands' elements along K lie side
  /// by side: element (i, k) of A is a[i · a_stride + k], element (k, j) of B is b[j · b_stride +
  /// k]. Rows of A and columns of B begin at multiples of 4 B. What others wrote there needs a
  /// barrier before, as for any read.
  template <class Member>
  KOHORT_FUNCTION void multiply(Member const& member, A const* a, int a_stride, B const* b,
                                int b_stride, CallSite site = CallSite::current()) {
    Operations::template multiply<SubgroupMma>(member.thread_, this->values_, a, a_stride, b,
                                               b_stride, site);
  }
};

}  // namespace kohort
