// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled at -O3 (CMakeLists.txt): the inner loop is all the time that a product takes.
#include "multiply.hpp"

namespace kohort::simulator {
namespace {

/// Four rows of C at a time, so that a row of B is read once for them.
template <class Number>
void multiply(PlainProduct<Number>& product, int columns, int depth) {
  constexpr int together = 4;
  for (int row = 0; row < product_rows; row += together) {
    Number* __restrict const c0 = product.c + row * columns;
    Number* __restrict const c1 = c0 + columns;
    Number* __restrict const c2 = c1 + columns;
    Number* __restrict const c3 = c2 + columns;
    Number const* const a = product.a + row * depth;
    for (int k = 0; k < depth; ++k) {
      Number const a0 = a[k];
      Number const a1 = a[depth + k];
      Number const a2 = a[2 * depth + k];
      Number const a3 = a[3 * depth + k];
      Number const* __restrict const b = product.b + k * columns;
      for (int n = 0; n < columns; ++n) {
        c0[n] += a0 * b[n];
        c1[n] += a1 * b[n];
        c2[n] += a2 * b[n];
        c3[n] += a3 * b[n];
      }
    }
  }
}

}  // namespace

void multiply_plain(PlainProduct<float>& product, int columns, int depth) {
  multiply(product, columns, depth);
}

void multiply_plain(PlainProduct<std::int32_t>& product, int columns, int depth) {
  multiply(product, columns, depth);
}

}  // namespace kohort::simulator
