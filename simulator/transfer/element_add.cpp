// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "element_add.hpp"

#include "../matrix/numbers.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

namespace kohort::simulator {
namespace {

/// Numbers whose bits are a `Bits`, and whose sum `add` makes.
template <class Bits, class Add>
void add_each(std::byte* memory, std::byte const* numbers, int count, Add const& add) {
  auto* const cells = reinterpret_cast<Bits*>(memory);
  for (int i = 0; i < count; ++i) {
    Bits number;
    std::memcpy(&number, numbers + static_cast<std::size_t>(i) * sizeof(Bits), sizeof(Bits));
    std::atomic_ref<Bits> const cell(cells[i]);
    Bits old = cell.load(std::memory_order_relaxed);
    while (!cell.compare_exchange_weak(old, add(old, number), std::memory_order_relaxed)) {
    }
  }
}

template <class Number, class Bits>
Bits sum_as(Bits left, Bits right) {
  return std::bit_cast<Bits>(
      static_cast<Number>(std::bit_cast<Number>(left) + std::bit_cast<Number>(right)));
}

}  // namespace

void add_elements(TileElement element, std::byte* memory, std::byte const* numbers, int count) {
  switch (element) {
    case TileElement::bfloat16:
      return add_each<std::uint16_t>(memory, numbers, count,
                                     [](std::uint16_t left, std::uint16_t right) {
                                       return to_bfloat16(bfloat16(left) + bfloat16(right));
                                     });
    case TileElement::float16:
      return add_each<std::uint16_t>(memory, numbers, count,
                                     [](std::uint16_t left, std::uint16_t right) {
                                       return to_float16(float16(left) + float16(right));
                                     });
    case TileElement::float32:
      return add_each<std::uint32_t>(memory, numbers, count, sum_as<float, std::uint32_t>);
    case TileElement::float64:
      return add_each<std::uint64_t>(memory, numbers, count, sum_as<double, std::uint64_t>);
    case TileElement::int32:
    case TileElement::uint32:
      return add_each<std::uint32_t>(memory, numbers, count, sum_as<std::uint32_t, std::uint32_t>);
    case TileElement::int64:
    case TileElement::uint64:
      return add_each<std::uint64_t>(memory, numbers, count, sum_as<std::uint64_t, std::uint64_t>);
    case TileElement::other:
      return;
  }
}

}  // namespace kohort::simulator
