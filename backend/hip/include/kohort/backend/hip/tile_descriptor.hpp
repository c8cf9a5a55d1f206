// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/tile_copy.hpp>
#include <kohort/tile_map.hpp>

namespace kohort::Impl {

template <>
struct TileDescriptor<Hip> {
  using type = EmulatedTile;
  static type make(TileRequest const& request, ElementKind kind) {
    return EmulatedTile::of(request, kind);
  }
};

}  // namespace kohort::Impl
