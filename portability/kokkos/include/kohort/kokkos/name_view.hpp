// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <kohort/simulator/operations.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>

namespace kohort {
namespace Impl {

/// A View's shape without its type: what a report needs long after.
template <std::size_t Rank>
struct ViewShape {
  std::string label;
  std::array<std::ptrdiff_t, Rank> extents;
  std::array<std::ptrdiff_t, Rank> strides;
  std::ptrdiff_t element_bytes;

  static std::string join(std::array<std::ptrdiff_t, Rank> const& numbers, char const* between) {
    std::string text;
    for (std::size_t d = 0; d < Rank; ++d)
      text += (d > 0 ? between : "") + std::to_string(numbers[d]);
    return text;
  }

  /// "View `halo` (64×128) at (64, 3)"; outside, too: the slowest index takes what is left.
  std::string at(std::ptrdiff_t byte) const {
    std::string const view = "View `" + label + "` (" + join(extents, "×") + ")";
    if (byte < 0) return std::to_string(-byte) + " B before " + view;
    std::array<std::size_t, Rank> order;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t l, std::size_t r) { return strides[l] > strides[r]; });
    std::array<std::ptrdiff_t, Rank> place{};
    std::ptrdiff_t left = byte / element_bytes;
    for (std::size_t const d : order) {
      place[d] = strides[d] > 0 ? left / strides[d] : 0;
      left -= place[d] * strides[d];
    }
    return view + " at (" + join(place, ", ") + ")";
  }
};

}  // namespace Impl

/// Lets the simulator's reports name places of `view` by its label, extents and indices. The
/// program has kohort::kokkos_views, or mode check does not watch the View.
template <class Data, class... Properties>
void name_view(Kokkos::View<Data, Properties...> const& view) {
  using View = Kokkos::View<Data, Properties...>;
  constexpr auto rank = static_cast<std::size_t>(View::rank);
  Impl::ViewShape<rank> shape;
  shape.label = view.label();
  shape.element_bytes = sizeof(typename View::value_type);
  for (std::size_t d = 0; d < rank; ++d) {
    shape.extents[d] = static_cast<std::ptrdiff_t>(view.extent(d));
    shape.strides[d] = static_cast<std::ptrdiff_t>(view.stride(static_cast<int>(d)));
  }
  simulator::name_memory(view.data(), [shape](std::ptrdiff_t byte) { return shape.at(byte); });
}

}  // namespace kohort
