// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/space_target.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <type_traits>

namespace kohort {

/// The tile map of a View in the space's memory, of any layout. As in TileSpec dimension 0 is the
/// contiguous one: the first index of a LayoutLeft, the last of a LayoutRight, and of a
/// LayoutStride the one with the smallest stride. `box` and a transfer's coordinates follow that.
///
/// @param spec  box, swizzle and split; extents and strides are the View's
/// @throws TileMapError, also for a View without a contiguous dimension
template <class Space, class Data, class... Properties,
          int Rank = Kokkos::View<Data, Properties...>::rank>
auto tile_map_of(Space const& space, Kokkos::View<Data, Properties...> const& view,
                 TileSpec<Rank> spec) {
  using View = Kokkos::View<Data, Properties...>;
  static_assert(Kokkos::SpaceAccessibility<Space, typename View::memory_space>::accessible,
                "kohort: a tile map is of a View that the execution space reaches");
  std::array<int, Rank> order;
  std::iota(order.begin(), order.end(), 0);
  using Layout = typename View::array_layout;
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutRight>) {
    std::reverse(order.begin(), order.end());
  } else if constexpr (!std::is_same_v<Layout, Kokkos::LayoutLeft>) {
    // Of equal strides the longer dimension comes first: an extent of one has any stride.
    std::stable_sort(order.begin(), order.end(), [&](int left, int right) {
      if (view.stride(left) != view.stride(right)) return view.stride(left) < view.stride(right);
      return view.extent(left) > view.extent(right);
    });
  }
  for (int d = 0; d < Rank; ++d) {
    auto const at = static_cast<std::size_t>(d);
    spec.extents[at] = static_cast<long long>(view.extent(order[at]));
    spec.strides[at] = static_cast<long long>(view.stride(order[at]));
  }
  using Target = typename Impl::SpaceTarget<Space>::type;
  return TileMap<typename View::value_type, Rank, Target>(Impl::SpaceTarget<Space>::of(space),
                                                          view.data(), spec);
}

}  // namespace kohort
