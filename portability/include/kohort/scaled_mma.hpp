// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/macros.hpp>
#include <kohort/microscaling.hpp>
#include <kohort/subgroup_mma.hpp>

#include <type_traits>

namespace kohort {

/// An operand of ScaledSubgroupMma in memory: of A, element k of row i is data[i · stride + k], and
/// its scale scales[i · scale_stride + k / 32]; of B, i counts columns. Of float4_e2m1x2, data and
/// stride count pairs.
template <class T>
struct ScaledOperand {
  T const* data;
  int stride;
  scale_e8m0 const* scales;
  int scale_stride;
};

namespace Impl {

/// Elements along K that one T holds.
template <class T>
inline constexpr int elements_in = std::is_same_v<T, float4_e2m1x2> ? 2 : 1;

template <class T>
KOHORT_FUNCTION float scaled_element(T const* row, int k) {
  if constexpr (elements_in<T> == 2) {
    T const pair = row[k / 2];
    return k % 2 == 0 ? pair.first() : pair.second();
  } else {
    return static_cast<float>(row[k]);
  }
}

/// Backend seam of ScaledSubgroupMma, for targets whose matrix unit knows scales. This is what the
/// others do: blocks of 8-bit numbers by SubgroupMma, scaled afterwards; of 4 bits by ordinary
/// multiplications.
template <class Target>
struct ScaledMatrixOperations {
  template <class Mma, class Member>
  static KOHORT_FUNCTION void multiply(Member const& member, float (&values)[Mma::values],
                                       ScaledOperand<typename Mma::a_type> const& a,
                                       ScaledOperand<typename Mma::b_type> const& b,
                                       CallSite site) {
    KOHORT_NO_UNROLL for (int block = 0; block < Mma::blocks; ++block) {
      if constexpr (elements_in<typename Mma::a_type> == 1 &&
                    elements_in<typename Mma::b_type> == 1) {
        add_block<Mma>(member, values, a, b, block, site);
      } else {
        add_block_plainly<Mma>(member.team_rank() % Mma::threads, values, a, b, block);
      }
    }
  }

 protected:
  template <class Mma, class Member>
  static KOHORT_FUNCTION void add_block(Member const& member, float (&values)[Mma::values],
                                        ScaledOperand<typename Mma::a_type> const& a,
                                        ScaledOperand<typename Mma::b_type> const& b, int block,
                                        CallSite site) {
    SubgroupMma<Target, typename Mma::a_type, typename Mma::b_type, float, Mma::columns> part;
    static_assert(decltype(part)::depth == microscaling_block);
    part.clear();
    part.multiply(member, a.data + block * microscaling_block, a.stride,
                  b.data + block * microscaling_block, b.stride, site);
    int value = 0;
    part.for_each_fragment(member, [&](int row, int column, float first, float second) {
      float const of_row = a.scales[row * a.scale_stride + block];
      values[value] += first * of_row * float(b.scales[column * b.scale_stride + block]);
      values[value + 1] += second * of_row * float(b.scales[(column + 1) * b.scale_stride + block]);
      value += 2;
    });
  }

  template <class Mma>
  static KOHORT_FUNCTION void add_block_plainly(int lane, float (&values)[Mma::values],
                                                ScaledOperand<typename Mma::a_type> const& a,
                                                ScaledOperand<typename Mma::b_type> const& b,
                                                int block) {
    KOHORT_UNROLL
    for (int i = 0; i < Mma::values; ++i) {
      MatrixPlace const place = subgroup_place(lane, i);
      float sum = 0;
      for (int k = block * microscaling_block; k < (block + 1) * microscaling_block; ++k)
        sum += scaled_element(a.data + place.row * a.stride, k) *
               scaled_element(b.data + place.column * b.stride, k);
      values[i] += sum * float(a.scales[place.row * a.scale_stride + block]) *
                   float(b.scales[place.column * b.scale_stride + block]);
    }
  }
};

}  // namespace Impl

/// Products of 16 × N tiles of microscaled numbers by 32 neighbouring threads of a team, from a
/// multiple of 32 on: C += A·B, A of 16 × 128 and B of 128 × N elements in memory, each 32 of which
/// along K share a scale; C spread over the threads' registers. A block's products are summed
/// first, then scaled by both scales, then added.
///
/// A and B: float8_e4m3, float8_e5m2, float4_e2m1x2, in any combination; N a multiple of 8 up to
/// 128. gfx950's matrix cores scale by themselves.
template <class Target, class A, class B, int N>
class ScaledSubgroupMma : public Impl::SubgroupProduct<float, N> {
  static_assert(sizeof(A) == 1 && sizeof(B) == 1 && !std::is_integral_v<A> &&
                    !std::is_integral_v<B>,
                "microscaled numbers are float8_e4m3, float8_e5m2 or float4_e2m1x2");

 public:
  using a_type = A;
  using b_type = B;
  static constexpr int blocks = 4;
  static constexpr int depth = blocks * microscaling_block;  ///< K of a product, in elements

  /// C += A·B, called by the 32 threads in converged flow. Rows of A and columns of B begin at
  /// multiples of 4 B. What others wrote there needs a barrier before, as for any read.
  template <class Member>
  KOHORT_FUNCTION void multiply(Member const& member, ScaledOperand<A> const& a,
                                ScaledOperand<B> const& b, CallSite site = CallSite::current()) {
    Impl::ScaledMatrixOperations<Target>::template multiply<ScaledSubgroupMma>(
        member, this->values_, a, b, site);
  }
};

}  // namespace kohort
