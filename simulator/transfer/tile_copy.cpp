// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile_copy.hpp"

#include "element_add.hpp"

#include <algorithm>
#include <cstring>

namespace kohort::simulator {
namespace {

constexpr int most_row_bytes = 256 * 8;
constexpr int piece = 16;  ///< bytes that a swizzle keeps together

}  // namespace

int rows_of(Tile const& tile) {
  int rows = 1;
  for (int d = 1; d < tile.rank; ++d) rows *= tile.box[d];
  return rows;
}

TileRow row_of(Tile const& tile, int const* at, int row) {
  long long element = 0;
  for (int d = 1; d < tile.rank; ++d) {
    long long const coordinate = static_cast<long long>(at[d]) + row % tile.box[d];
    row /= tile.box[d];
    if (coordinate < 0 || coordinate >= tile.extents[d]) return {};
    element += coordinate * tile.strides[d];
  }
  long long const begin = std::max<long long>(at[0], 0);
  long long const end =
      std::min<long long>(static_cast<long long>(at[0]) + tile.box[0], tile.extents[0]);
  if (begin >= end) return {};
  return {tile.data + (element + begin) * tile.element_bytes, static_cast<int>(begin - at[0]),
          static_cast<int>(end - begin)};
}

void load_box(Tile const& tile, int const* at, BoxInScratch const& to) {
  int const row_bytes = tile.box[0] * tile.element_bytes;
  std::byte line[most_row_bytes];
  std::size_t offset = to.offset;
  for (int r = 0; r < rows_of(tile); ++r) {
    TileRow const row = row_of(tile, at, r);
    std::memset(line, 0, static_cast<std::size_t>(row_bytes));
    if (row.memory != nullptr)
      std::memcpy(line + row.first * tile.element_bytes, row.memory,
                  static_cast<std::size_t>(row.count) * tile.element_bytes);
    for (int b = 0; b < row_bytes; b += piece, offset += piece)
      std::memcpy(to.block + swizzled(offset, tile.swizzle), line + b, piece);
  }
}

void store_box(Tile const& tile, int const* at, BoxInScratch const& from, bool adds) {
  int const row_bytes = tile.box[0] * tile.element_bytes;
  std::byte line[most_row_bytes];
  std::size_t offset = from.offset;
  for (int r = 0; r < rows_of(tile); ++r) {
    for (int b = 0; b < row_bytes; b += piece, offset += piece)
      std::memcpy(line + b, from.block + swizzled(offset, tile.swizzle), piece);
    TileRow const row = row_of(tile, at, r);
    if (row.memory == nullptr) continue;
    std::byte const* const first = line + row.first * tile.element_bytes;
    if (adds) {
      add_elements(tile.element, row.memory, first, row.count);
    } else {
      std::memcpy(row.memory, first, static_cast<std::size_t>(row.count) * tile.element_bytes);
    }
  }
}

}  // namespace kohort::simulator
