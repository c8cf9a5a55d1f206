// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/backend/emulated/tile_copy.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace kohort::Impl {
namespace {

constexpr std::size_t scratch_bytes = 16 * 1024;

struct Scratch {
  alignas(1024) std::byte bytes[scratch_bytes];
};

/// Lanes that load a box together leave what one thread leaves that loads it alone: for random
/// tensors, boxes that hang over any of their sides, swizzles and numbers of lanes.
RC_GTEST_PROP(EmulatedBox, LoadedTogetherIsAsLoadedAlone, ()) {
  auto const within = [](int least, int most) { return *rc::gen::inRange(least, most + 1); };
  EmulatedTile tile;
  tile.rank = 3;
  tile.element_bytes = 1 << within(0, 3);
  tile.swizzle = static_cast<Swizzle>(within(0, 3));
  int const elements = 16 / tile.element_bytes;
  // Rows may be narrower than the swizzle.
  int const most_pieces = tile.swizzle == Swizzle::none ? 8 : 1 << static_cast<int>(tile.swizzle);
  tile.box[0] = within(1, most_pieces) * elements;
  tile.box[1] = within(1, 3);
  tile.box[2] = within(1, 20);
  long long stride = tile.element_bytes;
  for (int d = 0; d < 3; ++d) {
    tile.extents[d] = within(1, d == 0 ? 3 * tile.box[0] : 30);
    tile.strides[d] = d == 0 ? stride : (stride + 15) / 16 * 16;
    stride = tile.strides[d] * tile.extents[d];
  }
  std::vector<std::byte> memory(static_cast<std::size_t>(stride) + 64);
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<std::byte>((i * 2654435761U >> 7U) | 1U);
  auto const address = reinterpret_cast<std::uintptr_t>(memory.data());
  tile.data = memory.data() + (16 - address % 16) % 16;
  // Along dimension 0 a box lies at whole pieces of 16 B.
  int const at[3] = {within(-2, 4) * elements, within(-3, 30), within(-5, 30)};
  int const last = at[2] + within(0, 2);
  int const last_count = within(1, tile.box[2]);

  EmulatedBox<3> const box(tile, at, last, last_count);
  auto const alone = std::make_unique<Scratch>();
  auto const together = std::make_unique<Scratch>();
  std::memset(alone->bytes, 0x5a, scratch_bytes);
  std::memset(together->bytes, 0x5a, scratch_bytes);
  box.load(alone->bytes);
  int const lanes = within(1, 70);
  for (int lane = 0; lane < lanes; ++lane)
    box.load_together(together->bytes, lane, lanes, [](std::byte* place, std::byte const* from) {
      std::memcpy(place, from, 16);
    });
  RC_ASSERT(std::memcmp(alone->bytes, together->bytes, scratch_bytes) == 0);
}

}  // namespace
}  // namespace kohort::Impl
