// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace kohort {

/// A tile map that no device could use. what() names the rule and what would keep it.
class TileMapError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

namespace Impl {

enum class ElementKind : std::uint8_t {
  unknown,
  bits8,
  int8,
  uint8,
  bfloat16,
  float16,
  int16,
  uint16,
  float32,
  int32,
  uint32,
  float64,
  int64,
  uint64
};

/// A tile map in plain numbers: elements, dimension 0 contiguous.
struct TileRequest {
  void* data = nullptr;
  int rank = 0;
  int element_bytes = 0;
  int swizzle = 0;
  int split = 1;
  bool is_stored_to = false;
  std::array<long long, 5> extents{1, 1, 1, 1, 1};
  std::array<long long, 5> strides{};
  std::array<int, 5> box{1, 1, 1, 1, 1};

  long long box_bytes() const {
    long long bytes = element_bytes;
    for (int d = 0; d < rank; ++d) bytes *= box[static_cast<std::size_t>(d)];
    return bytes;
  }
};

[[noreturn]] inline void break_tile_rule(std::string const& found, std::string const& rule) {
  throw TileMapError("kohort: tile map: " + found + "; " + rule);
}

inline std::string of_dimension(char const* what, int dimension, long long value) {
  return std::string(what) + " " + std::to_string(value) + " of dimension " +
         std::to_string(dimension);
}

/// The contiguous dimension's row in scratch.
inline void check_tile_row(TileRequest const& request) {
  long long const row = static_cast<long long>(request.box[0]) * request.element_bytes;
  if (row % 16 != 0)
    break_tile_rule("a box row of " + std::to_string(request.box[0]) + " elements has " +
                        std::to_string(row) + " B",
                    "a box's extent in dimension 0 fills multiples of 16 B");
  long long const span = request.swizzle == 0 ? row : 16LL << request.swizzle;
  if (row > span)
    break_tile_rule("a box row of " + std::to_string(row) + " B with a swizzle of " +
                        std::to_string(span) + " B",
                    "a swizzled box is at most as wide as the swizzle: " +
                        std::to_string(span / request.element_bytes) + " elements");
}

/// Copy engines store whole pieces of 16 B: what follows a row that ends within one would be
/// overwritten (measured on an H200, of stores and of sums). Loads fill such a piece with zeros.
inline void check_stored_row(TileRequest const& request) {
  long long const row = request.extents[0] * request.element_bytes;
  if (!request.is_stored_to || row % 16 == 0) return;
  long long const unit = 16 / request.element_bytes;
  break_tile_rule(of_dimension("extent", 0, request.extents[0]) + " (" + std::to_string(row) +
                      " B) of a map that can be stored to",
                  "rows that are stored end at a multiple of 16 B: pad them to " +
                      std::to_string((request.extents[0] + unit - 1) / unit * unit) +
                      " elements, or map const elements if they are loaded only");
}

/// A stride is less.
inline constexpr long long stride_bytes = 1LL << 40;

/// What a packed dimension's stride is; stride_bytes in place of more.
inline long long packed_stride(long long stride, long long extent) {
  return stride >= stride_bytes / extent ? stride_bytes : stride * extent;
}

/// Where its last element is, can be said in 63 bits.
inline void check_tile_span(TileRequest const& request) {
  double bytes = request.element_bytes;
  for (int d = 0; d < request.rank; ++d) {
    auto const at = static_cast<std::size_t>(d);
    bytes += static_cast<double>(request.extents[at]) * static_cast<double>(request.strides[at]) *
             request.element_bytes;
  }
  if (bytes >= 0x1p62)
    break_tile_rule("the tensor spans " + std::to_string(bytes / 0x1p60) + " EiB",
                    "no memory has more than 4 of them: see extents and strides");
}

inline void check_tile_dimension(TileRequest const& request, int d) {
  auto const at = static_cast<std::size_t>(d);
  if (request.extents[at] < 1 || request.extents[at] > (1LL << 32))
    break_tile_rule(of_dimension("extent", d, request.extents[at]),
                    "an extent is 1 to 2^32 elements");
  if (request.box[at] < 1 || request.box[at] > 256)
    break_tile_rule(of_dimension("box", d, request.box[at]),
                    "a box has 1 to 256 elements each way");
  if (d == 0) return;
  // No more than what the bytes of it can be counted of.
  bool const is_countable = request.strides[at] >= 0 && request.strides[at] < stride_bytes;
  long long const bytes = is_countable ? request.strides[at] * request.element_bytes : 0;
  if (!is_countable || bytes % 16 != 0 || bytes >= stride_bytes)
    break_tile_rule(
        of_dimension("stride", d, request.strides[at]) +
            (is_countable ? " (" + std::to_string(bytes) + " B)" : ""),
        "strides are multiples of 16 B under 2^40 B: pad the rows to a multiple of " +
            std::to_string(16 / (request.element_bytes > 16 ? 16 : request.element_bytes)) +
            " elements");
}

/// Fills in packed strides, and @throws TileMapError for the first rule broken. The rules are those
/// of cuTensorMapEncodeTiled (CUDA driver API, "Tensor Map Object Management") and those that an
/// H200 was found to have, on every target.
inline void complete_and_check(TileRequest& request) {
  if (request.data == nullptr || reinterpret_cast<std::uintptr_t>(request.data) % 16 != 0)
    break_tile_rule(request.data == nullptr ? "the address is null" : "the address is not aligned",
                    "a tensor begins at a multiple of 16 B");
  for (int d = 0; d < request.rank; ++d) {
    auto const at = static_cast<std::size_t>(d);
    bool const packed = request.strides[at] == 0;
    if (d == 0 && packed) request.strides[0] = 1;
    if (d > 0 && packed)
      request.strides[at] = packed_stride(request.strides[at - 1], request.extents[at - 1]);
    check_tile_dimension(request, d);
  }
  if (request.strides[0] != 1)
    break_tile_rule(of_dimension("stride", 0, request.strides[0]), "dimension 0 is contiguous");
  check_tile_span(request);
  if (request.swizzle < 0 || request.swizzle > 3)
    break_tile_rule("swizzle " + std::to_string(request.swizzle),
                    "there are none, bytes32, bytes64 and bytes128: 0 to 3");
  check_tile_row(request);
  check_stored_row(request);
  auto const last = static_cast<std::size_t>(request.rank - 1);
  if (request.split < 1 || request.box[last] % request.split != 0 ||
      (request.split > 1 && request.rank == 1))
    break_tile_rule(
        "split " + std::to_string(request.split) + " of " +
            of_dimension("box", request.rank - 1, request.box[last]),
        "a split divides the box's extent in its last dimension, which is not its only one");
  long long const period = request.swizzle == 0 ? 128 : 128LL << request.swizzle;
  if (request.split > 1 && request.box_bytes() / request.split % period != 0)
    break_tile_rule("split " + std::to_string(request.split) + " of a box of " +
                        std::to_string(request.box_bytes()) + " B",
                    "a slice fills multiples of " + std::to_string(period) + " B");
  if (request.box_bytes() > 227 * 1024)
    break_tile_rule("a box of " + std::to_string(request.box_bytes()) + " B",
                    "a box fits a team's scratch of 227 KB");
}

}  // namespace Impl
}  // namespace kohort
