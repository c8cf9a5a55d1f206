// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kohort::kernels::gemm {

/// In which order the tiles of the result are computed: neighbours in time share rows of A and
/// columns of B, and so find them in the L2 cache.
enum class TileOrder { rows, blocks, hilbert };

inline constexpr TileOrder all_tile_orders[] = {TileOrder::rows, TileOrder::blocks,
                                                TileOrder::hilbert};

inline std::string to_string(TileOrder order) {
  return order == TileOrder::rows ? "rows" : order == TileOrder::blocks ? "blocks" : "hilbert";
}

/// A tile's place, in tiles: row and column.
struct TilePlace {
  std::uint16_t row;
  std::uint16_t column;
};

/// The point at `distance` along Hilbert's curve through a square of 2^n, n even or odd
/// (D. Hilbert, 1891; the iteration is the textbook's, by quadrants from small to large).
inline TilePlace on_hilbert_curve(std::uint32_t side, std::uint64_t distance) {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  for (std::uint32_t step = 1; step < side; step *= 2) {
    auto const right = static_cast<std::uint32_t>(distance / 2 & 1U);
    auto const up = static_cast<std::uint32_t>((distance ^ right) & 1U);
    if (up == 0) {
      if (right == 1) {
        x = step - 1 - x;
        y = step - 1 - y;
      }
      std::uint32_t const old = x;
      x = y;
      y = old;
    }
    x += step * right;
    y += step * up;
    distance /= 4;
  }
  return {static_cast<std::uint16_t>(y), static_cast<std::uint16_t>(x)};
}

/// Every tile of `rows` × `columns`, once.
/// @param height  blocks: rows of a band that is walked column by column
inline std::vector<TilePlace> tiles_in_order(TileOrder order, int rows, int columns,
                                             int height = 8) {
  std::vector<TilePlace> places;
  auto const add = [&](int row, int column) {
    places.push_back({static_cast<std::uint16_t>(row), static_cast<std::uint16_t>(column)});
  };
  if (order == TileOrder::rows) {
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) add(row, column);
  } else if (order == TileOrder::blocks) {
    for (int band = 0; band < rows; band += height)
      for (int column = 0; column < columns; ++column)
        for (int row = band; row < rows && row < band + height; ++row) add(row, column);
  } else {
    // Squares as wide as the shorter side, one after the other: a curve ends beside the next one's
    // start.
    int const longer = rows < columns ? columns : rows;
    int side = 1;
    while (side < rows && side < columns) side *= 2;
    for (int square = 0; square < longer; square += side) {
      for (std::int64_t at = 0; at < std::int64_t{side} * side; ++at) {
        TilePlace const place =
            on_hilbert_curve(static_cast<std::uint32_t>(side), static_cast<std::uint64_t>(at));
        int const row = rows < columns ? place.row : place.column + square;
        int const column = rows < columns ? place.column + square : place.row;
        if (row < rows && column < columns) add(row, column);
      }
    }
  }
  return places;
}

/// The same tiles for a device with several L2 caches: cluster c of `clusters` computes tiles c, c
/// + clusters, and so on, and those of clusters that share a cache become a run of neighbours. Any
/// tile is still there once. Where there are as many clusters as tiles and not `in_runs`, this is
/// order_by_domain().
///
/// @param in_runs  clusters that share a cache are neighbours, as emulated ones are; else they are
///                 dealt out to the caches in turn, which is a guess (order_by_domain says of what)
inline std::vector<TilePlace> tiles_by_cache(std::vector<TilePlace> const& tiles, int clusters,
                                             int caches, bool in_runs) {
  if (caches < 2) return tiles;
  auto const cache_of = [&](std::size_t at) {
    auto const cluster = static_cast<int>(at % static_cast<std::size_t>(clusters));
    return static_cast<std::size_t>(in_runs ? static_cast<long long>(cluster) * caches / clusters
                                            : cluster % caches);
  };
  std::vector<std::size_t> next(static_cast<std::size_t>(caches) + 1, 0);
  for (std::size_t at = 0; at < tiles.size(); ++at) ++next[cache_of(at) + 1];
  for (std::size_t cache = 1; cache < next.size(); ++cache) next[cache] += next[cache - 1];
  std::vector<TilePlace> ordered(tiles.size());
  for (std::size_t at = 0; at < tiles.size(); ++at) ordered[at] = tiles[next[cache_of(at)]++];
  return ordered;
}

}  // namespace kohort::kernels::gemm
