// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/atomics.hpp>
#include <kohort/number_types.hpp>
#include <kohort/tile_map.hpp>

#include <cstddef>
#include <cstdint>

namespace kohort::Impl {

/// A tensor as a copy by ordinary loads and stores reads it. Elements, but for the strides: bytes.
struct EmulatedTile {
  std::byte* data = nullptr;
  long long extents[5] = {1, 1, 1, 1, 1};
  long long strides[5] = {};
  int box[5] = {1, 1, 1, 1, 1};
  int rank = 1;
  int element_bytes = 1;
  Swizzle swizzle = Swizzle::none;
  ElementKind element = ElementKind::unknown;

  static EmulatedTile of(TileRequest const& request, ElementKind kind) {
    EmulatedTile tile;
    tile.data = static_cast<std::byte*>(request.data);
    tile.rank = request.rank;
    tile.element_bytes = request.element_bytes;
    tile.swizzle = static_cast<Swizzle>(request.swizzle);
    tile.element = kind;
    for (int d = 0; d < request.rank; ++d) {
      auto const at = static_cast<std::size_t>(d);
      tile.extents[d] = request.extents[at];
      tile.strides[d] = request.strides[at] * request.element_bytes;
      tile.box[d] = request.box[at];
    }
    return tile;
  }
};

/// What a swizzle keeps together, and a copy moves at once.
struct alignas(16) Piece {
  std::uint32_t words[4];
};

/// The box at `at`, or of its last dimension `last_count` elements from `last` on, moved by the
/// calling thread. All loops over dimensions are of constant length, so that the coordinates stay
/// in registers.
template <int Rank>
class EmulatedBox {
 public:
  KOHORT_FUNCTION EmulatedBox(EmulatedTile const& tile, int const (&at)[Rank], int last,
                              int last_count)
      : tile_(tile) {
    KOHORT_UNROLL
    for (int d = 0; d < Rank; ++d) {
      at_[d] = d == Rank - 1 ? last : at[d];
      count_[d] = d == Rank - 1 ? last_count : tile.box[d];
    }
  }

  KOHORT_FUNCTION void load(void* scratch) const {
    for_each_piece(scratch, [&](std::byte* place, std::byte* memory, int first, int end) {
      Piece piece{};
      int const elements = 16 / tile_.element_bytes;
      if (memory != nullptr && first == 0 && end == elements) {
        piece = *reinterpret_cast<Piece const*>(memory);
      } else if (memory != nullptr) {
        // The tensor ends within the piece: nothing behind it may be read.
        KOHORT_UNROLL
        for (int b = 0; b < 16; ++b)
          if (is_between(b, first, end)) set_byte(piece, b, memory[b]);
      }
      *reinterpret_cast<Piece*>(place) = piece;
    });
  }

  /// The part of load() of lane `lane` of `lanes` that load together: neighbours among them fill
  /// neighbouring places. `move(place, memory)` copies 16 B that are all in the tensor; places that
  /// are not are filled here. Every lane is at the same place of the same row of places.
  template <class Move>
  KOHORT_FUNCTION void load_together(void* scratch, int lane, int lanes, Move const& move) const {
    int const elements = 16 / tile_.element_bytes;
    int const row_pieces = count_[0] / elements;
    int pieces = row_pieces;
    KOHORT_UNROLL
    for (int d = 1; d < Rank; ++d) pieces *= count_[d];
    auto const begin = reinterpret_cast<std::uintptr_t>(scratch);
    // Where rows are narrower than the swizzle, its last pieces lie beyond the box's bytes.
    int const together = 1 << static_cast<int>(tile_.swizzle);
    int const places = (pieces + together - 1) / together * together;
    KOHORT_NO_UNROLL for (int at = lane; at < places; at += lanes) {
      std::uintptr_t const place = begin + static_cast<std::uintptr_t>(at) * 16;
      // A swizzle is its own inverse: which piece lies here.
      auto const piece = static_cast<int>((swizzled(place) - begin) / 16);
      if (piece >= pieces) continue;
      std::byte* const row = row_of(piece / row_pieces);
      long long const x = at_[0] + static_cast<long long>(piece % row_pieces) * elements;
      long long const left = tile_.extents[0] - x;
      Piece filled{};
      if (row != nullptr && x > -elements && left > 0) {
        std::byte* const memory = row + x * tile_.element_bytes;
        if (x >= 0 && left >= elements) {
          move(reinterpret_cast<std::byte*>(place), memory);
          continue;
        }
        int const first = x < 0 ? static_cast<int>(-x) : 0;
        int const end = left < elements ? static_cast<int>(left) : elements;
        KOHORT_UNROLL
        for (int b = 0; b < 16; ++b)
          if (is_between(b, first, end)) set_byte(filled, b, memory[b]);
      }
      *reinterpret_cast<Piece*>(place) = filled;
    }
  }

  KOHORT_FUNCTION void store(void const* scratch) const {
    for_each_piece(const_cast<void*>(scratch),
                   [&](std::byte* place, std::byte* memory, int first, int end) {
                     if (memory == nullptr) return;
                     Piece const piece = *reinterpret_cast<Piece const*>(place);
                     if (first == 0 && end == 16 / tile_.element_bytes) {
                       *reinterpret_cast<Piece*>(memory) = piece;
                       return;
                     }
                     KOHORT_UNROLL
                     for (int b = 0; b < 16; ++b)
                       if (is_between(b, first, end)) memory[b] = byte_of(piece, b);
                   });
  }

  /// Calls `body(memory, bytes)` for what of the tensor each row of the box covers.
  template <class Body>
  KOHORT_FUNCTION void for_each_row(Body const& body) const {
    int rows = 1;
    KOHORT_UNROLL
    for (int d = 1; d < Rank; ++d) rows *= count_[d];
    long long const first = at_[0] < 0 ? 0 : at_[0];
    long long const wanted = static_cast<long long>(at_[0]) + count_[0];
    long long const end = wanted < tile_.extents[0] ? wanted : tile_.extents[0];
    if (first >= end) return;
    for (int row = 0; row < rows; ++row) {
      std::byte* const memory = row_of(row);
      if (memory != nullptr)
        body(memory + first * tile_.element_bytes,
             static_cast<int>(end - first) * tile_.element_bytes);
    }
  }

  /// Each element one atomic addition at device scope.
  KOHORT_FUNCTION void add(void const* scratch) const {
    for_each_piece(
        const_cast<void*>(scratch), [&](std::byte* place, std::byte* memory, int first, int end) {
          if (memory == nullptr) return;
          for (int e = first; e < end; ++e)
            add_element(memory + e * tile_.element_bytes, place + e * tile_.element_bytes);
        });
  }

 private:
  KOHORT_FUNCTION bool is_between(int byte, int first, int end) const {
    return byte >= first * tile_.element_bytes && byte < end * tile_.element_bytes;
  }
  /// By shifts: a piece has no address where it lies in registers.
  static KOHORT_FUNCTION std::byte byte_of(Piece const& piece, int byte) {
    return static_cast<std::byte>(piece.words[byte / 4] >> (byte % 4 * 8));
  }
  static KOHORT_FUNCTION void set_byte(Piece& piece, int byte, std::byte value) {
    piece.words[byte / 4] |= static_cast<std::uint32_t>(value) << (byte % 4 * 8);
  }

  /// Calls `body(place in scratch, memory or null, first element, end)` for each 16 B of the box,
  /// in their order; the elements from first to end are in the tensor.
  template <class Body>
  KOHORT_FUNCTION void for_each_piece(void* scratch, Body const& body) const {
    int const elements = 16 / tile_.element_bytes;
    int const pieces = count_[0] / elements;
    int rows = 1;
    KOHORT_UNROLL
    for (int d = 1; d < Rank; ++d) rows *= count_[d];
    auto at_scratch = reinterpret_cast<std::uintptr_t>(scratch);
    KOHORT_NO_UNROLL for (int row = 0; row < rows; ++row) {
      std::byte* const memory = row_of(row);
      for (int p = 0; p < pieces; ++p, at_scratch += 16) {
        long long const x = at_[0] + static_cast<long long>(p) * elements;
        long long const first = x < 0 ? -x : 0;
        long long const left = tile_.extents[0] - x;
        long long const end = left < elements ? left : elements;
        bool const is_inside = memory != nullptr && first < end;
        body(reinterpret_cast<std::byte*>(swizzled(at_scratch)),
             is_inside ? memory + x * tile_.element_bytes : nullptr, static_cast<int>(first),
             static_cast<int>(end));
      }
    }
  }

  /// Element 0 of the tensor's row that the box's row lies in, or null.
  KOHORT_FUNCTION std::byte* row_of(int row) const {
    std::byte* memory = tile_.data;
    bool is_inside = true;
    KOHORT_UNROLL
    for (int d = 1; d < Rank; ++d) {
      long long const coordinate = static_cast<long long>(at_[d]) + row % count_[d];
      row /= count_[d];
      is_inside &= coordinate >= 0 && coordinate < tile_.extents[d];
      memory += coordinate * tile_.strides[d];
    }
    return is_inside ? memory : nullptr;
  }

  KOHORT_FUNCTION std::uintptr_t swizzled(std::uintptr_t address) const {
    auto const low = static_cast<std::uint32_t>(address & 0xfffU);
    return address - low + swizzled_offset(tile_.swizzle, low);
  }

  template <class T>
  static KOHORT_FUNCTION void add_as(std::byte* memory, std::byte const* value) {
    atomic_add(reinterpret_cast<T*>(memory), *reinterpret_cast<T const*>(value));
  }
  /// Half of a 4 B word: the other half stays.
  template <class T>
  static KOHORT_FUNCTION void add_half(std::byte* memory, std::byte const* value) {
    auto const address = reinterpret_cast<std::uintptr_t>(memory);
    auto* const word = reinterpret_cast<std::uint32_t*>(address & ~std::uintptr_t{3});
    unsigned const shift = address % 4 * 8;
    auto const addend = static_cast<float>(*reinterpret_cast<T const*>(value));
    std::uint32_t seen = atomic_load(word);
    for (;;) {
      T old;
      old.bits = static_cast<std::uint16_t>(seen >> shift);
      T const sum(static_cast<float>(old) + addend);
      std::uint32_t const wanted =
          (seen & ~(0xffffU << shift)) | static_cast<std::uint32_t>(sum.bits) << shift;
      std::uint32_t const found = atomic_compare_exchange(word, seen, wanted);
      if (found == seen) return;
      seen = found;
    }
  }
  KOHORT_FUNCTION void add_element(std::byte* memory, std::byte const* value) const {
    switch (tile_.element) {
      case ElementKind::bfloat16:
        return add_half<bfloat16>(memory, value);
      case ElementKind::float16:
        return add_half<float16>(memory, value);
      case ElementKind::float32:
        return add_as<float>(memory, value);
      case ElementKind::float64:
        return add_as<double>(memory, value);
      case ElementKind::int32:
      case ElementKind::uint32:
        return add_as<std::uint32_t>(memory, value);
      default:
        return add_as<std::uint64_t>(memory, value);
    }
  }

  EmulatedTile const& tile_;
  int at_[Rank];
  int count_[Rank];
};

}  // namespace kohort::Impl
