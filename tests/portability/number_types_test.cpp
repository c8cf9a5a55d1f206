// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/number_types.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kohort {
namespace {

struct Layout {
  int exponent;
  int mantissa;
  bool has_infinity;
};

/// What IEEE 754's rule says of a pattern, in double.
double value_of(std::uint32_t bits, Layout layout) {
  std::uint32_t const highest = (1U << layout.exponent) - 1U;
  std::uint32_t const fraction = bits & ((1U << layout.mantissa) - 1U);
  std::uint32_t const power = bits >> layout.mantissa & highest;
  double const sign = (bits >> (layout.exponent + layout.mantissa) & 1U) != 0 ? -1 : 1;
  int const bias = (1 << (layout.exponent - 1)) - 1;
  bool const all_ones = fraction == (1U << layout.mantissa) - 1U;
  if (power == highest && layout.has_infinity)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  if (power == highest && all_ones) return std::nan("");
  if (power == 0) return sign * std::ldexp(fraction, 1 - bias - layout.mantissa);
  return sign * std::ldexp(fraction + (1U << layout.mantissa),
                           static_cast<int>(power) - bias - layout.mantissa);
}

template <class Number>
Number from_bits(std::uint32_t bits) {
  Number number;
  number.bits = static_cast<decltype(number.bits)>(bits);
  return number;
}

/// Every pattern is read as it should be, and comes back from the value.
template <class Number>
void check_every_pattern(Layout layout) {
  std::uint32_t const patterns = 1U << (1 + layout.exponent + layout.mantissa);
  for (std::uint32_t bits = 0; bits < patterns; ++bits) {
    float const value = from_bits<Number>(bits);
    double const expected = value_of(bits, layout);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(Number(value)))) << bits;
      continue;
    }
    ASSERT_EQ(value, expected) << bits;
    ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
    if (std::isinf(expected) && sizeof(Number) == 1) continue;  // read, never made
    ASSERT_EQ(std::uint32_t{Number(value).bits}, bits);
  }
}

TEST(NumberTypes, ReadAndWriteEveryPattern) {
  check_every_pattern<bfloat16>({8, 7, true});
  check_every_pattern<float16>({5, 10, true});
  check_every_pattern<float8_e4m3>({4, 3, false});
  check_every_pattern<float8_e5m2>({5, 2, true});
}

/// Between two neighbours: below the middle down, above it up, in the middle to the even one.
template <class Number>
void check_rounding(std::uint32_t largest_finite) {
  for (std::uint32_t bits = 0; bits < largest_finite; ++bits) {
    float const low = from_bits<Number>(bits);
    float const high = from_bits<Number>(bits + 1);
    float const middle = low + (high - low) / 2;  // exact: a float has more bits
    std::uint32_t const even = bits % 2 == 0 ? bits : bits + 1;
    for (float const sign : {1.0F, -1.0F}) {
      std::uint32_t const signs = sign < 0 ? std::uint32_t{Number(-0.0F).bits} : 0U;
      ASSERT_EQ(std::uint32_t{Number(sign * middle).bits}, even | signs) << bits;
      ASSERT_EQ(std::uint32_t{Number(sign * std::nextafter(middle, 0.0F)).bits}, bits | signs)
          << bits;
      ASSERT_EQ(std::uint32_t{Number(sign * std::nextafter(middle, high)).bits}, (bits + 1) | signs)
          << bits;
    }
  }
}

TEST(NumberTypes, RoundToTheNearestAndTiesToEven) {
  check_rounding<bfloat16>(0x7f7f);
  check_rounding<float16>(0x7bff);
  check_rounding<float8_e4m3>(0x7e);
  check_rounding<float8_e5m2>(0x7b);
}

TEST(NumberTypes, BecomeInfiniteOrTheLargestWhereTheValueIsTooLarge) {
  float const huge = std::numeric_limits<float>::max();
  float const infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(static_cast<float>(bfloat16(huge)), infinity);
  EXPECT_EQ(static_cast<float>(bfloat16(-infinity)), -infinity);
  EXPECT_EQ(static_cast<float>(float16(65519.0F)), 65504.0F);
  EXPECT_EQ(static_cast<float>(float16(65520.0F)), infinity);
  EXPECT_EQ(static_cast<float>(float8_e4m3(1000.0F)), 448.0F);
  EXPECT_EQ(static_cast<float>(float8_e4m3(-infinity)), -448.0F);
  EXPECT_EQ(static_cast<float>(float8_e5m2(1e30F)), 57344.0F);
  EXPECT_EQ(static_cast<float>(float8_e5m2(-infinity)), -57344.0F);
}

TEST(NumberTypes, TellNoNumbersApart) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16(nan))));
  EXPECT_TRUE(std::isnan(static_cast<float>(float16(nan))));
  EXPECT_TRUE(std::isnan(static_cast<float>(float8_e4m3(nan))));
  EXPECT_TRUE(std::isnan(static_cast<float>(float8_e5m2(-nan))));
}

TEST(NumberTypes, HaveTheSizeThatTheyHaveInMemory) {
  static_assert(sizeof(bfloat16) == 2 && sizeof(float16) == 2 && sizeof(tfloat32) == 4);
  static_assert(sizeof(float8_e4m3) == 1 && sizeof(float8_e5m2) == 1);
  EXPECT_EQ(static_cast<float>(tfloat32(1.25F)), 1.25F);
}

}  // namespace
}  // namespace kohort
