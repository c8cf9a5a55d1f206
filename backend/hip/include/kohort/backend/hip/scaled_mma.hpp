// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/subgroup_mma.hpp>
#include <kohort/scaled_mma.hpp>

#if defined(__gfx950__)

namespace kohort::Impl {

/// What the instruction calls an operand's format.
template <class T>
inline constexpr int hip_scaled_format = 0;
template <>
inline constexpr int hip_scaled_format<float8_e5m2> = 1;
template <>
inline constexpr int hip_scaled_format<float4_e2m1x2> = 4;

/// v_mfma_scale_f32_16x16x128_f8f6f4 (AMD Instinct CDNA 4 Instruction Set Architecture guide; A.
/// Salykov and others, "Introduction to Matrix Core Programming on AMD CDNA3 and CDNA4
/// architecture", ROCm blogs 2025): a lane holds row lane % 16 of A and column lane % 16 of B. Of
/// 8-bit elements 16 along K from 16 · (lane / 16) on and as many from 64 beyond; of 4-bit ones 32
/// from 32 · (lane / 16) on. Its scale is that of K's block lane / 16, in the lowest byte. Results
/// as HipMatrixCore has them.
template <>
struct ScaledMatrixOperations<Hip> : SubgroupMatrixOperations<Hip> {
  template <class Mma, class Member>
  static KOHORT_FUNCTION void multiply(Member const& member, float (&values)[Mma::values],
                                       ScaledOperand<typename Mma::a_type> const& a,
                                       ScaledOperand<typename Mma::b_type> const& b, CallSite) {
    if (!HipShuffle::is_whole_wavefront()) {
      for (int block = 0; block < Mma::blocks; ++block)
        Plain::add_block_plainly<Mma>(member.team_rank() % 32, values, a, b, block);
      return;
    }
    KOHORT_UNROLL
    for (int half = 0; half < 2; ++half) {
      auto const of_half_a = HipShuffle::from_lane(a, half * 32);
      auto const of_half_b = HipShuffle::from_lane(b, half * 32);
      int const lane = HipShuffle::lane();
      Lane const left = lane_of(of_half_a, lane % 16);
      KOHORT_UNROLL
      for (int columns = 0; columns < Mma::columns; columns += 16) {
        // Of a width that is no multiple of 16 the last columns are not there.
        Lane const right =
            lane_of(of_half_b, columns + lane % 16 < Mma::columns ? columns + lane % 16 : 0);
        HipFloats const sum = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
            left.words, right.words, HipFloats{}, hip_scaled_format<typename Mma::a_type>,
            hip_scaled_format<typename Mma::b_type>, 0, left.scale, 0, right.scale);
        SubgroupMatrixOperations<Hip>::template add_results<Mma>(values, sum, columns, half);
      }
    }
  }

 private:
  struct Plain : ScaledMatrixOperations<void> {
    using ScaledMatrixOperations<void>::add_block_plainly;
  };
  struct Lane {
    HipVector<int, 8> words;
    int scale;
  };

  template <class T>
  static KOHORT_FUNCTION Lane lane_of(ScaledOperand<T> const& operand, int row) {
    int const group = HipShuffle::lane() / 16;
    auto const* const bytes =
        reinterpret_cast<std::byte const*>(operand.data + row * operand.stride);
    Lane lane{};
    __builtin_memcpy(&lane.words, bytes + group * 16, 16);
    if constexpr (elements_in<T> == 1)
      __builtin_memcpy(reinterpret_cast<std::byte*>(&lane.words) + 16, bytes + 64 + group * 16, 16);
    lane.scale = operand.scales[row * operand.scale_stride + group].bits;
    return lane;
  }
};

}  // namespace kohort::Impl

#endif
