// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/matrix.hpp>

#include <cstddef>
#include <cstdint>

namespace kohort::simulator {

inline constexpr int product_rows = 64;
inline constexpr int most_columns = 256;
inline constexpr int most_depth = 128;

/// Operands as plain matrices, and their product: A as rows of `depth`, B as `depth` rows of
/// `columns`, C as 64 rows of `columns`.
template <class Number>
struct PlainProduct {
  alignas(64) Number a[product_rows * most_depth];
  alignas(64) Number b[most_depth * most_columns];
  alignas(64) Number c[product_rows * most_columns];
};

/// C += A·B.
void multiply_plain(PlainProduct<float>& product, int columns, int depth);
void multiply_plain(PlainProduct<std::int32_t>& product, int columns, int depth);

}  // namespace kohort::simulator
