// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <type_traits>

namespace kohort::kernels::gemm {

/// What is stored side by side: rows' elements, or columns'.
enum class Order { row_major, column_major };

enum class Activation : int { none, relu, gelu };

/// What becomes of an element of A·B before it is stored:
///   value = alpha · A·B + beta · C;  value *= row_scale[row];  value += bias[column];
///   value = activation(value);  value += residual[row, column]
/// Null pointers leave their step out. C and the residual lie as the result does.
template <class Out>
struct Epilogue {
  float alpha = 1;
  float beta = 0;
  Out const* c = nullptr;
  float const* row_scale = nullptr;
  float const* bias = nullptr;
  Out const* residual = nullptr;
  Activation activation = Activation::none;
  /// The result is stored transposed: rows and columns of what is computed are its columns and
  /// rows.
  bool is_transposed = false;

  /// Whether there is more to do than rounding.
  KOHORT_FUNCTION bool is_plain() const {
    return alpha == 1 && beta == 0 && row_scale == nullptr && bias == nullptr &&
           residual == nullptr && activation == Activation::none;
  }
};

/// The type of the result: as wide as what is computed with, but bfloat16 for 8 bits.
template <class In>
using OutOf =
    std::conditional_t<sizeof(In) == 4, float, std::conditional_t<sizeof(In) == 1, bfloat16, In>>;

/// D = epilogue(alpha · A·B + beta · C) for each of `batch` matrices: A is m × k, B k × n, D m × n.
/// Leading strides are those between neighbours in the other dimension than the contiguous one, in
/// elements; 0: packed. Batch strides are between matrices; 0: packed.
struct Problem {
  long long m = 0;
  long long n = 0;
  long long k = 0;
  long long batch = 1;
  Order a_order = Order::row_major;
  Order b_order = Order::column_major;
  Order d_order = Order::row_major;
};

}  // namespace kohort::kernels::gemm
