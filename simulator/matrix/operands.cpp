// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operands.hpp"

#include "../transfer/tile_copy.hpp"
#include "numbers.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace kohort::simulator {
namespace {

constexpr int row_bytes = 128;
constexpr std::uint32_t kept_of_tfloat32 = ~0x1fffU;  ///< 10 bits of mantissa
constexpr int block_extent = 64;                      ///< of M or N, in one MN-major block

template <int Exponent, int Mantissa, bool HasInfinity>
std::array<float, 256> table_of_bytes() {
  std::array<float, 256> table{};
  for (std::uint32_t bits = 0; bits < 256; ++bits)
    table[bits] = narrow_number(bits, Exponent, Mantissa, HasInfinity);
  return table;
}

std::vector<float> table_of_halves() {
  std::vector<float> table(65536);
  for (std::uint32_t bits = 0; bits < 65536; ++bits)
    table[bits] = float16(static_cast<std::uint16_t>(bits));
  return table;
}

template <class Bits>
Bits bits_at(std::byte const* address) {
  Bits bits;
  std::memcpy(&bits, address, sizeof bits);
  return bits;
}

/// Calls convert(address) for each element.
template <class Number, class Convert>
void read(Operand const& operand, Number* plain, int outer, int inner, Convert const& convert) {
  int const bytes = element_bytes(operand.element);
  int const depth = depth_of(operand.element);
  int const blocks = (operand.extent + block_extent - 1) / block_extent;
  int const rows = operand.is_mn_major ? blocks * depth : operand.extent;
  int const across = row_bytes / bytes;
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < across; ++i) {
      auto const offset = static_cast<std::size_t>(row * row_bytes + i * bytes);
      int const m = operand.is_mn_major ? row / depth * block_extent + i : row;
      int const k = operand.is_mn_major ? row % depth : i;
      if (m >= operand.extent) break;
      plain[m * outer + k * inner] = convert(operand.tile + swizzled(offset, 3));
    }
  }
}

}  // namespace

int element_bytes(MatrixElement element) {
  switch (element) {
    case MatrixElement::bfloat16:
    case MatrixElement::float16:
      return 2;
    case MatrixElement::tfloat32:
      return 4;
    default:
      return 1;
  }
}

void read_operand(Operand const& operand, float* plain, int outer, int inner) {
  static auto const halves = table_of_halves();
  static auto const e4m3 = table_of_bytes<4, 3, false>();
  static auto const e5m2 = table_of_bytes<5, 2, true>();
  switch (operand.element) {
    case MatrixElement::bfloat16:
      return read(operand, plain, outer, inner,
                  [](auto const* at) { return bfloat16(bits_at<std::uint16_t>(at)); });
    case MatrixElement::float16:
      return read(operand, plain, outer, inner,
                  [](auto const* at) { return halves[bits_at<std::uint16_t>(at)]; });
    case MatrixElement::tfloat32:
      return read(operand, plain, outer, inner, [](auto const* at) {
        return std::bit_cast<float>(bits_at<std::uint32_t>(at) & kept_of_tfloat32);
      });
    case MatrixElement::float8_e4m3:
      return read(operand, plain, outer, inner,
                  [](auto const* at) { return e4m3[bits_at<std::uint8_t>(at)]; });
    case MatrixElement::float8_e5m2:
      return read(operand, plain, outer, inner,
                  [](auto const* at) { return e5m2[bits_at<std::uint8_t>(at)]; });
    case MatrixElement::int8:
      return;
  }
}

void read_operand(Operand const& operand, std::int32_t* plain, int outer, int inner) {
  read(operand, plain, outer, inner,
       [](auto const* at) { return std::int32_t{bits_at<std::int8_t>(at)}; });
}

}  // namespace kohort::simulator
