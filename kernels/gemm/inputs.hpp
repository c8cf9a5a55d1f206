// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/random_data.hpp>
#include <kernels/gemm/problem.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace kohort::kernels::gemm {

inline std::string to_string(Order order) { return order == Order::row_major ? "row" : "column"; }
inline std::string to_string(Activation activation) {
  if (activation == Activation::none) return "none";
  return activation == Activation::relu ? "relu" : "gelu";
}

/// What a problem's epilogue does.
struct Steps {
  float alpha = 1;
  float beta = 0;
  Activation activation = Activation::none;
  bool has_bias = false;
  bool has_residual = false;
  bool has_row_scale = false;
};

inline std::string to_string(Problem const& problem, Steps const& steps) {
  std::string text = std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
                     std::to_string(problem.k) + " batch " + std::to_string(problem.batch) +
                     ", A " + to_string(problem.a_order) + ", B " + to_string(problem.b_order) +
                     ", D " + to_string(problem.d_order) + ", alpha " +
                     std::to_string(steps.alpha) + ", beta " + std::to_string(steps.beta) + ", " +
                     to_string(steps.activation);
  if (steps.has_bias) text += ", bias";
  if (steps.has_residual) text += ", residual";
  if (steps.has_row_scale) text += ", row scale";
  return text;
}

/// Where an element of a packed `rows` × `columns` matrix of a batch lies.
inline std::size_t place_in(Order order, long long rows, long long columns, long long batch,
                            long long row, long long column) {
  long long const inside = order == Order::row_major ? row * columns + column : column * rows + row;
  return static_cast<std::size_t>(batch * rows * columns + inside);
}

/// What the matrix units make of an operand: of tfloat32 they drop all but 10 bits of mantissa.
template <class In>
double operand_value(In value) {
  if constexpr (std::is_same_v<In, tfloat32>) {
    auto const bits = std::bit_cast<std::uint32_t>(value.value) & ~0x1fffU;
    return static_cast<double>(std::bit_cast<float>(bits));
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

/// A problem's data on the host: of the normal distribution, scales around one. What the epilogue
/// leaves out is empty.
template <class In>
struct Inputs {
  using Out = OutOf<In>;
  Problem problem;
  Steps steps;
  std::vector<In> a;
  std::vector<In> b;
  std::vector<Out> c;
  std::vector<Out> residual;
  std::vector<float> row_scale;
  std::vector<float> bias;

  Inputs(Problem const& of, Steps const& with, std::uint64_t seed) : problem(of), steps(with) {
    a = normal<In>(of.batch * of.m * of.k, 8 * seed);
    b = normal<In>(of.batch * of.k * of.n, 8 * seed + 1);
    if (with.beta != 0) c = normal<Out>(of.batch * of.m * of.n, 8 * seed + 2);
    if (with.has_residual) residual = normal<Out>(of.batch * of.m * of.n, 8 * seed + 3);
    if (with.has_bias) bias = normal<float>(of.n, 8 * seed + 4);
    if (with.has_row_scale) {
      row_scale = normal<float>(of.m, 8 * seed + 5);
      for (float& scale : row_scale) scale = 1 + scale / 4;
    }
  }

  double a_at(long long batch, long long row, long long k) const {
    return operand_value(a[place_in(problem.a_order, problem.m, problem.k, batch, row, k)]);
  }
  double b_at(long long batch, long long k, long long column) const {
    return operand_value(b[place_in(problem.b_order, problem.k, problem.n, batch, k, column)]);
  }
  /// Of D, C and the residual.
  std::size_t result_place(long long batch, long long row, long long column) const {
    return place_in(problem.d_order, problem.m, problem.n, batch, row, column);
  }

 private:
  template <class T>
  static std::vector<T> normal(long long count, std::uint64_t seed) {
    return make_data<T>(static_cast<std::uint64_t>(count),
                        [&](auto i) { return T(static_cast<float>(normal_value(seed, i))); });
  }
};

}  // namespace kohort::kernels::gemm
