// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

#include <cstdint>

namespace kohort {
namespace Impl {

// Not __builtin_bit_cast: nvcc 13.0 dies of it in functions that it may evaluate itself.
KOHORT_FUNCTION std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
KOHORT_FUNCTION float float_of(std::uint32_t bits) {
  float value = 0;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/// How a narrow floating-point type is laid out, and what becomes of values that are too large.
template <int ExponentBits, int MantissaBits, std::uint32_t LargestFinite, bool HasInfinity>
struct NarrowFormat {
  static constexpr int exponent_bits = ExponentBits;
  static constexpr int mantissa_bits = MantissaBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int shift = 23 - MantissaBits;
  static constexpr std::uint32_t magnitude_mask = (1U << (ExponentBits + MantissaBits)) - 1U;
  static constexpr std::uint32_t largest = LargestFinite;
  static constexpr std::uint32_t too_large = HasInfinity ? LargestFinite + 1 : LargestFinite;
  static constexpr std::uint32_t not_a_number = magnitude_mask;
  static constexpr bool has_infinity = HasInfinity;
};

/// To the nearest, ties to even; what is too large becomes infinity, or the largest number of a
/// type that has none, as the conversions of GPUs do.
template <class Format>
KOHORT_FUNCTION std::uint32_t narrow_bits(float value) {
  std::uint32_t const all = bits_of(value);
  std::uint32_t const magnitude = all & 0x7fffffffU;
  std::uint32_t const sign = all >> 31U << (Format::exponent_bits + Format::mantissa_bits);
  if (magnitude > 0x7f800000U) return sign | Format::not_a_number;
  constexpr int least_exponent = 1 - Format::bias;
  std::uint32_t result = 0;
  if (magnitude < static_cast<std::uint32_t>(127 + least_exponent) << 23U) {
    // Adding it leaves the multiples of the smallest number in the low bits, rounded.
    constexpr auto rounding_bits = static_cast<std::uint32_t>(127 + least_exponent + Format::shift)
                                   << 23U;
    float const sum = float_of(magnitude) + float_of(rounding_bits);
    result = bits_of(sum) - rounding_bits;
  } else {
    std::uint32_t const rounded =
        magnitude + ((magnitude >> Format::shift & 1U) + ((1U << (Format::shift - 1)) - 1U));
    result = (rounded >> Format::shift) -
             (static_cast<std::uint32_t>(127 - Format::bias) << Format::mantissa_bits);
    if (result > Format::largest) result = Format::too_large;
  }
  return sign | result;
}

template <class Format>
KOHORT_FUNCTION float widened(std::uint32_t bits) {
  std::uint32_t const magnitude = bits & Format::magnitude_mask;
  std::uint32_t const sign = (bits & ~Format::magnitude_mask)
                             << (31 - Format::exponent_bits - Format::mantissa_bits);
  std::uint32_t wide = 0;
  if (magnitude > Format::largest) {
    bool const infinite = Format::has_infinity && magnitude == Format::largest + 1;
    wide = infinite ? 0x7f800000U : 0x7fc00000U;
  } else {
    constexpr auto scale = static_cast<std::uint32_t>(254 - Format::bias) << 23U;
    float const scaled = float_of(magnitude << Format::shift) * float_of(scale);
    wide = bits_of(scaled);
  }
  return float_of(wide | sign);
}

/// A number that is stored narrow and computed with as a float.
template <class Storage, class Format>
struct NarrowFloat {
  Storage bits;

  NarrowFloat() = default;
  KOHORT_FUNCTION NarrowFloat(float value)  // NOLINT: a number, as float is
      : bits(static_cast<Storage>(narrow_bits<Format>(value))) {}
  KOHORT_FUNCTION operator float() const { return widened<Format>(bits); }  // NOLINT
};

}  // namespace Impl

/// bfloat16: a float's 8 exponent bits, 7 of its mantissa.
using bfloat16 = Impl::NarrowFloat<std::uint16_t, Impl::NarrowFormat<8, 7, 0x7f7f, true>>;
/// IEEE 754 binary16.
using float16 = Impl::NarrowFloat<std::uint16_t, Impl::NarrowFormat<5, 10, 0x7bff, true>>;
/// 8 bits, 4 of exponent; no infinity, 448 is the largest (OCP 8-bit floating point, E4M3).
using float8_e4m3 = Impl::NarrowFloat<std::uint8_t, Impl::NarrowFormat<4, 3, 0x7e, false>>;

/// 8 bits, 5 of exponent; too large becomes 57,344, as a GPU's saturating conversion has it, and
/// infinity is read but never made (OCP 8-bit floating point, E5M2).
struct float8_e5m2 {
  std::uint8_t bits;

  float8_e5m2() = default;
  KOHORT_FUNCTION float8_e5m2(float value)  // NOLINT: a number, as float is
      : bits(static_cast<std::uint8_t>(Impl::narrow_bits<Saturating>(value))) {}
  KOHORT_FUNCTION operator float() const {  // NOLINT
    return Impl::widened<Impl::NarrowFormat<5, 2, 0x7b, true>>(bits);
  }

 private:
  using Saturating = Impl::NarrowFormat<5, 2, 0x7b, false>;
};

/// A float of which matrix operations use the first 10 bits of mantissa.
struct tfloat32 {
  float value;

  tfloat32() = default;
  KOHORT_FUNCTION tfloat32(float number) : value(number) {}  // NOLINT: a number
  KOHORT_FUNCTION operator float() const { return value; }   // NOLINT
};

}  // namespace kohort
