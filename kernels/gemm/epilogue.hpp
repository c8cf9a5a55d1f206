// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/problem.hpp>

#include <cmath>

namespace kohort::kernels::gemm {

/// As PyTorch's default: with the error function, not its tanh approximation.
KOHORT_FUNCTION float gelu(float value) {
  return 0.5f * value * (1.0f + erff(value * 0.70710678118654752f));
}

/// One element of the result. `row`, `column` as computed; `at`: where it lies in C and residual.
template <class Out>
KOHORT_FUNCTION float finished(Epilogue<Out> const& epilogue, float product, long long row,
                               long long column, long long at) {
  long long const result_row = epilogue.is_transposed ? column : row;
  long long const result_column = epilogue.is_transposed ? row : column;
  float value = epilogue.alpha * product;
  if (epilogue.c != nullptr && epilogue.beta != 0)
    value += epilogue.beta * static_cast<float>(epilogue.c[at]);
  if (epilogue.row_scale != nullptr) value *= epilogue.row_scale[result_row];
  if (epilogue.bias != nullptr) value += epilogue.bias[result_column];
  if (epilogue.activation == Activation::relu) value = value > 0 ? value : 0.0f;
  if (epilogue.activation == Activation::gelu) value = gelu(value);
  if (epilogue.residual != nullptr) value += static_cast<float>(epilogue.residual[at]);
  return value;
}

}  // namespace kohort::kernels::gemm
