// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/impl/tile_rules.hpp>
#include <kohort/macros.hpp>
#include <kohort/number_types.hpp>
#include <kohort/targets.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kohort {
namespace Impl {

/// Backend seam: what a tile transfer reads of its map.
///   struct type                                          trivially copyable
///   static type make(TileRequest const&, ElementKind)    the request keeps every rule
template <class Target>
struct TileDescriptor;

template <class T>
inline constexpr ElementKind element_kind = ElementKind::unknown;
template <>
inline constexpr ElementKind element_kind<float8_e4m3> = ElementKind::bits8;
template <>
inline constexpr ElementKind element_kind<float8_e5m2> = ElementKind::bits8;
template <>
inline constexpr ElementKind element_kind<std::int8_t> = ElementKind::int8;
template <>
inline constexpr ElementKind element_kind<std::uint8_t> = ElementKind::uint8;
template <>
inline constexpr ElementKind element_kind<bfloat16> = ElementKind::bfloat16;
template <>
inline constexpr ElementKind element_kind<float16> = ElementKind::float16;
template <>
inline constexpr ElementKind element_kind<std::int16_t> = ElementKind::int16;
template <>
inline constexpr ElementKind element_kind<std::uint16_t> = ElementKind::uint16;
template <>
inline constexpr ElementKind element_kind<float> = ElementKind::float32;
template <>
inline constexpr ElementKind element_kind<tfloat32> = ElementKind::float32;
template <>
inline constexpr ElementKind element_kind<std::int32_t> = ElementKind::int32;
template <>
inline constexpr ElementKind element_kind<std::uint32_t> = ElementKind::uint32;
template <>
inline constexpr ElementKind element_kind<double> = ElementKind::float64;
template <>
inline constexpr ElementKind element_kind<std::int64_t> = ElementKind::int64;
template <>
inline constexpr ElementKind element_kind<std::uint64_t> = ElementKind::uint64;

/// Whether the copy engine adds elements of this type.
template <class T>
inline constexpr bool can_be_added = sizeof(T) >= 4 || element_kind<T> == ElementKind::bfloat16
                                     || element_kind<T> == ElementKind::float16;

}  // namespace Impl

/// How a tile's rows of up to 32, 64 or 128 bytes are permuted in scratch, in pieces of 16 B, so
/// that matrix operations read columns without bank conflicts. swizzled_offset() tells the place.
enum class Swizzle : std::uint8_t { none, bytes32, bytes64, bytes128 };

/// Where byte `offset` of a tile in its plain order lies when the tile is swizzled. The tile begins
/// at a multiple of 8 rows (1024 B for bytes128).
constexpr KOHORT_FUNCTION std::uint32_t swizzled_offset(Swizzle swizzle, std::uint32_t offset) {
  // Bits 4 and up are XORed with as many bits from 7 on.
  std::uint32_t const bits = static_cast<std::uint32_t>(swizzle);
  return offset ^ ((offset >> 7U & ((1U << bits) - 1U)) << 4U);
}

/// Which elements of a tensor in device memory a tile transfer moves, and how they lie in scratch.
///
/// Dimension 0 is the contiguous one; extents, strides and box count elements.
/// A map is built on the host and captured by the kernel's functor.
template <int Rank>
struct TileSpec {
  std::array<long long, Rank> extents{};
  /// Of dimensions 1 and up between neighbours; element 0 is 1. Zeros: packed.
  std::array<long long, Rank> strides{};
  std::array<int, Rank> box{};
  Swizzle swizzle = Swizzle::none;
  /// Pieces along the last dimension in which a multicast is issued, each by another team.
  int split = 1;
};

/// A tensor of 1 to 5 dimensions, seen as boxes that async copies move between device memory and
/// scratch. Elements of a box outside the tensor are zero in scratch, and not written on a store.
/// A map of const elements is loaded from; one that is stored to has rows of whole 16 B.
template <class T, int Rank, class Target>
class TileMap {
  static_assert(Rank >= 1 && Rank <= 5, "a tile has 1 to 5 dimensions");
  static_assert(
      Impl::element_kind<std::remove_const_t<T>> != Impl::ElementKind::unknown,
      "elements of a tile are fp8, bf16, fp16, float, double, or integers of 8 to 64 bits");

 public:
  using value_type = T;
  static constexpr int rank = Rank;

  /// @param data  device memory: a Buffer's, or any that the target's kernels can read
  /// @throws TileMapError with the rule that the map breaks, and what would keep it
  TileMap(Target const&, T* data, TileSpec<Rank> const& spec) {
    Impl::TileRequest request;
    request.data = const_cast<std::remove_const_t<T>*>(data);
    request.rank = Rank;
    request.element_bytes = static_cast<int>(sizeof(T));
    request.swizzle = static_cast<int>(spec.swizzle);
    request.split = spec.split;
    request.is_stored_to = !std::is_const_v<T>;
    for (int d = 0; d < Rank; ++d) {
      auto const at = static_cast<std::size_t>(d);
      request.extents[at] = spec.extents[at];
      request.strides[at] = spec.strides[at];
      request.box[at] = spec.box[at];
    }
    Impl::complete_and_check(request);
    box_bytes_ = static_cast<int>(request.box_bytes());
    slice_ = spec.box[Rank - 1] / spec.split;
    split_ = spec.split;
    slice_bytes_ = box_bytes_ / split_;
    descriptor_ =
        Impl::TileDescriptor<Target>::make(request, Impl::element_kind<std::remove_const_t<T>>);
  }

  /// Bytes that one transfer of the box brings: all of it, also where it hangs over the tensor.
  KOHORT_FUNCTION int box_bytes() const { return box_bytes_; }
  /// Pieces of a multicast, a piece's extent along the last dimension, and its bytes.
  KOHORT_FUNCTION int split() const { return split_; }
  KOHORT_FUNCTION int slice() const { return slice_; }
  KOHORT_FUNCTION int slice_bytes() const { return slice_bytes_; }

  /// For backends.
  KOHORT_FUNCTION typename Impl::TileDescriptor<Target>::type const& descriptor() const {
    return descriptor_;
  }

 private:
  typename Impl::TileDescriptor<Target>::type descriptor_;
  int box_bytes_ = 0;
  int split_ = 1;
  int slice_ = 0;
  int slice_bytes_ = 0;
};

}  // namespace kohort
