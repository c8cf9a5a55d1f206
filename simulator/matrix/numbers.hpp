// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// The engine's own reading of narrow numbers: it knows no header of the portable library.
namespace kohort::simulator {

inline float bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// A number of `exponent` and `mantissa` bits with a sign; where `has_infinity` is false, all ones
/// alone are no number (OCP E4M3).
inline float narrow_number(std::uint32_t bits, int exponent, int mantissa, bool has_infinity) {
  auto const mantissa_bits = static_cast<unsigned>(mantissa);
  std::uint32_t const fraction = bits & ((1U << mantissa_bits) - 1U);
  std::uint32_t const power =
      bits >> mantissa_bits & ((1U << static_cast<unsigned>(exponent)) - 1U);
  std::uint32_t const highest = (1U << static_cast<unsigned>(exponent)) - 1U;
  bool const is_negative = (bits >> static_cast<unsigned>(exponent + mantissa) & 1U) != 0;
  int const bias = (1 << (exponent - 1)) - 1;
  float magnitude = 0;
  bool const is_special =
      power == highest && (has_infinity || fraction == (1U << mantissa_bits) - 1U);
  if (is_special) {
    magnitude = has_infinity && fraction == 0 ? INFINITY : NAN;
  } else if (power == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), 1 - bias - mantissa);
  } else {
    magnitude = std::ldexp(static_cast<float>(fraction | 1U << mantissa_bits),
                           static_cast<int>(power) - bias - mantissa);
  }
  return is_negative ? -magnitude : magnitude;
}

inline float float16(std::uint16_t bits) { return narrow_number(bits, 5, 10, true); }

/// To the nearest, ties to even.
inline std::uint16_t to_bfloat16(float value) {
  auto const bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 31U << 15U | 0x7fffU);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

inline std::uint16_t to_float16(float value) {
  auto const bits = std::bit_cast<std::uint32_t>(value);
  auto const sign = static_cast<std::uint16_t>(bits >> 31U << 15U);
  float const magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7fffU);
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00U);
  if (magnitude < 0x1p-14F)
    // The multiples of the smallest number; 2^10 of them are the smallest normal one.
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint32_t>(std::nearbyintf(magnitude * 0x1p24F)));
  std::uint32_t const rounded = (bits & 0x7fffffffU) + 0xfffU + (bits >> 13U & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13U) - (112U << 10U)));
}

}  // namespace kohort::simulator
