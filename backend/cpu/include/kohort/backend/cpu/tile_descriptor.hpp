// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/target.hpp>
#include <kohort/backend/emulated/tile_copy.hpp>
#include <kohort/simulator/transfers.hpp>
#include <kohort/tile_map.hpp>

namespace kohort::Impl {

/// What the engine reads of a tile map, and copies in emulated clusters.
template <>
struct TileDescriptor<Simulator> {
  struct type : simulator::Tile {
    EmulatedTile plain;
  };

  static type make(TileRequest const& request, ElementKind kind) {
    type tile;
    tile.plain = EmulatedTile::of(request, kind);
    tile.data = static_cast<std::byte*>(request.data);
    tile.rank = request.rank;
    tile.element_bytes = request.element_bytes;
    tile.element = element_of(kind);
    tile.swizzle = request.swizzle;
    tile.split = request.split;
    for (int d = 0; d < request.rank; ++d) {
      auto const at = static_cast<std::size_t>(d);
      tile.extents[d] = request.extents[at];
      tile.strides[d] = request.strides[at];
      tile.box[d] = request.box[at];
    }
    return tile;
  }

 private:
  static simulator::TileElement element_of(ElementKind kind) {
    switch (kind) {
      case ElementKind::bfloat16:
        return simulator::TileElement::bfloat16;
      case ElementKind::float16:
        return simulator::TileElement::float16;
      case ElementKind::float32:
        return simulator::TileElement::float32;
      case ElementKind::float64:
        return simulator::TileElement::float64;
      case ElementKind::int32:
        return simulator::TileElement::int32;
      case ElementKind::uint32:
        return simulator::TileElement::uint32;
      case ElementKind::int64:
        return simulator::TileElement::int64;
      case ElementKind::uint64:
        return simulator::TileElement::uint64;
      default:
        return simulator::TileElement::other;
    }
  }
};

}  // namespace kohort::Impl
