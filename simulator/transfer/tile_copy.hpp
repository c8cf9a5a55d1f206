// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/transfers.hpp>

namespace kohort::simulator {

/// Scratch as a box lies in it: `block` is what addresses are swizzled in, a multiple of 1024 B.
struct BoxInScratch {
  std::byte* block = nullptr;
  std::size_t offset = 0;
};

/// The box at `at`, its elements outside the tensor as zeros.
void load_box(Tile const& tile, int const* at, BoxInScratch const& to);
/// Those inside the tensor, written or added.
void store_box(Tile const& tile, int const* at, BoxInScratch const& from, bool adds);

/// What of the tensor one row of a box covers.
struct TileRow {
  std::byte* memory = nullptr;  ///< of the first element inside; null: none is
  int first = 0;                ///< of the row's elements inside
  int count = 0;
};
/// The rows of a box in the order in which they lie in scratch.
int rows_of(Tile const& tile);
TileRow row_of(Tile const& tile, int const* at, int row);

/// Where byte `offset` of a block lies: bits 4 to 6, as many as are permuted, are XORed with those
/// from 7 on.
constexpr std::size_t swizzled(std::size_t offset, int bits) {
  return offset ^ ((offset >> 7U & ((std::size_t{1} << static_cast<unsigned>(bits)) - 1U)) << 4U);
}

}  // namespace kohort::simulator
