// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/kohort.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace kohort {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Somewhere a map may begin; nothing is read.
alignas(128) float memory[256];

template <class T = float, int Rank>
std::string refusal(TileSpec<Rank> const& spec, T* data = reinterpret_cast<T*>(memory)) {
  try {
    TileMap<T, Rank, Simulator> const map(Simulator(), data, spec);
  } catch (TileMapError const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TileMap, SaysHowManyBytesABoxBrings) {
  TileMap<float, 3, Simulator> const map(Simulator(), memory,
                                         {.extents = {100, 7, 5}, .box = {32, 4, 6}, .split = 3});
  EXPECT_EQ(map.box_bytes(), 32 * 4 * 6 * 4);
  EXPECT_EQ(map.split(), 3);
  EXPECT_EQ(map.slice(), 2);
}

TEST(TileMap, AcceptsWhatEveryDeviceCan) {
  EXPECT_EQ(refusal<float const>(TileSpec<1>{.extents = {1}, .box = {4}}), "accepted");
  EXPECT_EQ(refusal<float>(TileSpec<1>{.extents = {4}, .box = {4}}), "accepted");
  EXPECT_EQ(
      refusal<float>(TileSpec<2>{.extents = {1LL << 32, 1}, .strides = {1, 4}, .box = {256, 1}}),
      "accepted");
  EXPECT_EQ(refusal<float>(
                TileSpec<2>{.extents = {64, 64}, .box = {32, 64}, .swizzle = Swizzle::bytes128}),
            "accepted");
  EXPECT_EQ(
      (refusal<std::int8_t>(TileSpec<5>{.extents = {16, 2, 2, 2, 2}, .box = {16, 2, 2, 2, 2}})),
      "accepted");
}

TEST(TileMap, RefusesAnAddressThatIsNotAligned) {
  TileSpec<1> const spec{.extents = {64}, .box = {32}};
  EXPECT_THAT(refusal<float>(spec, memory + 1), HasSubstr("begins at a multiple of 16 B"));
  EXPECT_THAT(refusal<float>(spec, static_cast<float*>(nullptr)), HasSubstr("the address is null"));
}

TEST(TileMap, RefusesRowsThatAreNoMultipleOf16Bytes) {
  EXPECT_THAT(refusal<float>(TileSpec<2>{.extents = {33, 4}, .box = {32, 4}}),
              HasSubstr("stride 33 of dimension 1 (132 B); strides are multiples of 16 B"));
  EXPECT_THAT(refusal<float>(TileSpec<2>{.extents = {64, 4}, .box = {3, 4}}),
              HasSubstr("a box row of 3 elements has 12 B"));
}

/// An H200 stores whole pieces of 16 B.
TEST(TileMap, RefusesToStoreRowsThatEndWithin16Bytes) {
  TileSpec<2> const spec{.extents = {9, 4}, .strides = {1, 16}, .box = {8, 4}};
  EXPECT_EQ(refusal<float const>(spec), "accepted");
  EXPECT_THAT(refusal<float>(spec),
              AllOf(HasSubstr("extent 9 of dimension 0 (36 B) of a map that can be stored to"),
                    HasSubstr("pad them to 12 elements, or map const elements")));
  EXPECT_THAT(refusal<std::int8_t>(TileSpec<1>{.extents = {15}, .box = {16}}),
              HasSubstr("pad them to 16 elements"));
}

TEST(TileMap, RefusesBoxesThatAreTooLarge) {
  EXPECT_THAT(refusal<float>(TileSpec<1>{.extents = {1024}, .box = {257}}),
              HasSubstr("box 257 of dimension 0; a box has 1 to 256 elements each way"));
  EXPECT_THAT(refusal<float>(TileSpec<1>{.extents = {1024}, .box = {0}}),
              HasSubstr("a box has 1 to 256 elements each way"));
  EXPECT_THAT(refusal<float>(TileSpec<2>{.extents = {256, 256}, .box = {256, 256}}),
              HasSubstr("a box fits a team's scratch of 227 KB"));
}

TEST(TileMap, RefusesExtentsOutsideTheirRange) {
  EXPECT_THAT(refusal<float>(TileSpec<1>{.extents = {0}, .box = {32}}),
              HasSubstr("an extent is 1 to 2^32 elements"));
  EXPECT_THAT(refusal<float>(TileSpec<1>{.extents = {(1LL << 32) + 1}, .box = {32}}),
              HasSubstr("an extent is 1 to 2^32 elements"));
}

TEST(TileMap, RefusesStridesThatNoDeviceCanStep) {
  EXPECT_THAT(
      refusal<float>(TileSpec<2>{.extents = {32, 2}, .strides = {1, 1LL << 38}, .box = {32, 2}}),
      HasSubstr("under 2^40 B"));
  EXPECT_THAT(refusal<float>(TileSpec<2>{.extents = {32, 2}, .strides = {2, 64}, .box = {32, 2}}),
              HasSubstr("dimension 0 is contiguous"));
  EXPECT_THAT(refusal<float>(TileSpec<2>{.extents = {32, 2}, .strides = {1, -32}, .box = {32, 2}}),
              HasSubstr("strides are multiples of 16 B"));
}

TEST(TileMap, RefusesABoxWiderThanItsSwizzle) {
  EXPECT_THAT(
      refusal<float>(TileSpec<2>{.extents = {64, 4}, .box = {64, 4}, .swizzle = Swizzle::bytes128}),
      HasSubstr("a box row of 256 B with a swizzle of 128 B"));
  EXPECT_THAT(
      refusal<float>(TileSpec<2>{.extents = {64, 4}, .box = {16, 4}, .swizzle = Swizzle::bytes32}),
      HasSubstr("at most as wide as the swizzle: 8 elements"));
}

TEST(TileMap, RefusesASplitThatDividesNoSlices) {
  EXPECT_THAT(refusal<float>(TileSpec<2>{.extents = {32, 4}, .box = {32, 4}, .split = 3}),
              HasSubstr("split 3 of box 4 of dimension 1"));
  EXPECT_THAT(refusal<float>(TileSpec<1>{.extents = {64}, .box = {64}, .split = 2}),
              HasSubstr("a split divides the box's extent in its last dimension"));
  EXPECT_THAT(refusal<float>(TileSpec<2>{
                  .extents = {32, 4}, .box = {32, 4}, .swizzle = Swizzle::bytes128, .split = 2}),
              HasSubstr("a slice fills multiples of 1024 B"));
}

TEST(TileMap, TellsWhereASwizzledByteLies) {
  EXPECT_EQ(swizzled_offset(Swizzle::none, 1234), 1234U);
  EXPECT_EQ(swizzled_offset(Swizzle::bytes128, 0), 0U);
  // Row 3 of 128 B: pieces of 16 B change places with those whose number differs in bits 0 and 1.
  EXPECT_EQ(swizzled_offset(Swizzle::bytes128, 3 * 128), 3U * 128 + 3 * 16);
  EXPECT_EQ(swizzled_offset(Swizzle::bytes128, 7 * 128 + 5), 7U * 128 + 7 * 16 + 5);
  EXPECT_EQ(swizzled_offset(Swizzle::bytes64, 7 * 128), 7U * 128 + 3 * 16);
  EXPECT_EQ(swizzled_offset(Swizzle::bytes32, 7 * 128), 7U * 128 + 16);
  for (Swizzle const swizzle : {Swizzle::bytes32, Swizzle::bytes64, Swizzle::bytes128})
    for (std::uint32_t offset = 0; offset < 4096; ++offset)
      ASSERT_EQ(swizzled_offset(swizzle, swizzled_offset(swizzle, offset)), offset);
}

TEST(TileMap, RefusesStridesThatOverflow) {
  auto const is_too_far = HasSubstr("strides are multiples of 16 B under 2^40 B");
  // Times 4 B, this is 2^64 and reads as 0.
  EXPECT_THAT(
      refusal<float>(TileSpec<2>{.extents = {32, 32}, .strides = {1, 1LL << 62}, .box = {32, 1}}),
      is_too_far);
  // Packed, dimension 2 has a stride of 2^64.
  EXPECT_THAT(
      (refusal<std::int8_t>(TileSpec<3>{.extents = {1LL << 32, 1LL << 32, 2}, .box = {32, 1, 1}})),
      is_too_far);
  EXPECT_THAT(refusal<float>(TileSpec<2>{
                  .extents = {32, 1LL << 32}, .strides = {1, 1LL << 37}, .box = {32, 1}}),
              HasSubstr("the tensor spans 2048"));
}

TEST(TileMap, RefusesASwizzleThatThereIsNot) {
  EXPECT_THAT(refusal<float>(TileSpec<2>{
                  .extents = {32, 32}, .box = {32, 16}, .swizzle = static_cast<Swizzle>(7)}),
              HasSubstr("swizzle 7; there are none, bytes32, bytes64 and bytes128"));
}

}  // namespace
}  // namespace kohort
