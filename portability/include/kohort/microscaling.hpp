// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>
#include <kohort/number_types.hpp>

#include <cstdint>

/// Numbers of the Open Compute Project's Microscaling Formats (MX) Specification 1.0: narrow
/// elements, 32 of which in a row share a scale.
namespace kohort {

/// Two numbers of 4 bits (E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives), the first in the
/// lower half of the byte. Too large becomes 6; there is no infinity, and what is no number becomes
/// 6 too.
struct float4_e2m1x2 {
  std::uint8_t bits;

  float4_e2m1x2() = default;
  KOHORT_FUNCTION float4_e2m1x2(float first, float second)
      : bits(static_cast<std::uint8_t>(Impl::narrow_bits<Format>(first) |
                                       Impl::narrow_bits<Format>(second) << 4U)) {}
  KOHORT_FUNCTION float first() const { return Impl::widened<Format>(bits & 0xfU); }
  KOHORT_FUNCTION float second() const { return Impl::widened<Format>(bits >> 4U); }

 private:
  using Format = Impl::NarrowFormat<2, 1, 0x7, false>;
};

/// A scale: 2 to the power of bits - 127; 255 is no number.
struct scale_e8m0 {
  std::uint8_t bits;

  scale_e8m0() = default;
  /// @param exponent  of two, -127 … 127
  static KOHORT_FUNCTION scale_e8m0 power_of_two(int exponent) {
    scale_e8m0 scale;
    scale.bits = static_cast<std::uint8_t>(exponent + 127);
    return scale;
  }
  KOHORT_FUNCTION operator float() const {  // NOLINT: a number, as float is
    if (bits == 255) return Impl::float_of(0x7fc00000U);
    // 2^-127 is subnormal.
    return Impl::float_of(bits == 0 ? 0x00400000U : static_cast<std::uint32_t>(bits) << 23U);
  }
};

/// Elements that share a scale.
inline constexpr int microscaling_block = 32;

}  // namespace kohort
