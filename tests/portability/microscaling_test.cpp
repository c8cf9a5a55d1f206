// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/microscaling.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kohort {
namespace {

/// The OCP specification's table of E2M1.
constexpr float e2m1[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};

TEST(Microscaling, FourBitsAreTheSpecificationsNumbers) {
  for (unsigned low = 0; low < 16; ++low) {
    for (unsigned high = 0; high < 16; ++high) {
      float4_e2m1x2 pair;
      pair.bits = static_cast<std::uint8_t>(high << 4U | low);
      EXPECT_EQ(pair.first(), low < 8 ? e2m1[low] : -e2m1[low - 8]);
      EXPECT_EQ(pair.second(), high < 8 ? e2m1[high] : -e2m1[high - 8]);
      EXPECT_EQ(float4_e2m1x2(pair.first(), pair.second()).bits, pair.bits);
    }
  }
}

TEST(Microscaling, FourBitsRoundToTheNearestAndTiesToEven) {
  for (int i = -8000; i <= 8000; ++i) {
    auto const value = static_cast<float>(i) / 1024;
    float const rounded = float4_e2m1x2(value, 0).first();
    for (float const other : e2m1)
      EXPECT_LE(std::abs(std::abs(value) - std::abs(rounded)), std::abs(std::abs(value) - other));
    EXPECT_EQ(float4_e2m1x2(1, value).second(), rounded);
  }
  EXPECT_EQ(float4_e2m1x2(0.25F, 0.75F).first(), 0);
  EXPECT_EQ(float4_e2m1x2(0.25F, 0.75F).second(), 1);
  EXPECT_EQ(float4_e2m1x2(2.5F, 5).first(), 2);
  EXPECT_EQ(float4_e2m1x2(2.5F, 5).second(), 4);
}

TEST(Microscaling, FourBitsSaturate) {
  EXPECT_EQ(float4_e2m1x2(1e30F, -std::numeric_limits<float>::infinity()).first(), 6);
  EXPECT_EQ(float4_e2m1x2(1e30F, -std::numeric_limits<float>::infinity()).second(), -6);
}

TEST(Microscaling, ScalesArePowersOfTwo) {
  for (int exponent = -127; exponent <= 127; ++exponent)
    EXPECT_EQ(static_cast<float>(scale_e8m0::power_of_two(exponent)), std::ldexp(1.0F, exponent));
  scale_e8m0 none;
  none.bits = 255;
  EXPECT_TRUE(std::isnan(static_cast<float>(none)));
}

TEST(Microscaling, TakesTheBytesThatTheFormatsDo) {
  static_assert(sizeof(float4_e2m1x2) == 1 && sizeof(scale_e8m0) == 1);
}

}  // namespace
}  // namespace kohort
