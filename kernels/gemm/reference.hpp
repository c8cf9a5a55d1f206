// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/inputs.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace kohort::kernels::gemm {

/// How far the sum along K may be off, over |row of A| · |column of B|.
///
/// Products of the operands are exact in the accumulator: 8 + 8, 11 + 11 and 4 + 4 bits of mantissa
/// fit into 24. What remains is the k additions, in any order and grouping, each off by at most
/// u · |partial sum|, where u is 2^-24 for a float that is rounded and 2^-23 for one that is cut
/// off, as matrix units do. Over data around zero the partial sums grow as sqrt(i) · s² and their
/// errors are independent (s: deviation of the data), so the sum of all is off by
///   u · s² · sqrt(1 + 2 + … + k) = u · 0.7 · k · s²  (deviation),
/// whatever k is, in units of |row| · |column| = k · s². Eight of those: beyond what a result of
/// 2^40 elements meets. One product of 1,000 that is missing or doubled is off by 2^-10 of it.
///
/// 8-bit floats on Hopper: their matrix unit keeps 13 bits of the largest addend and cuts the
/// others off there (DeepSeek-V3's technical report, 3.3.2, has it as "around 14 bits"), so u is
/// 2^-13.
template <class Target, class In>
constexpr double accumulation_bound() {
  bool const is_short = std::is_same_v<Target, Cuda> && sizeof(In) == 1;
  return 8 * (is_short ? 0x1p-13 : 0x1p-23);
}

/// The largest error of rounding to T, over the value, and below the least normal number.
template <class T>
constexpr std::pair<double, double> rounding_error() {
  if constexpr (std::is_same_v<T, bfloat16>) return {0x1p-8, 0x1p-134};
  if constexpr (std::is_same_v<T, float16>) return {0x1p-11, 0x1p-25};
  return {0x1p-24, 0x1p-150};
}

/// What the result's element should be, and how far it may be off.
struct Exact {
  double value = 0;
  double allowed = 0;

  void round(double relative) { allowed += relative * (std::abs(value) + allowed); }
  void scale(double factor) {
    value *= factor;
    allowed *= std::abs(factor);
    round(0x1p-24);
  }
  void add(double addend) {
    value += addend;
    round(0x1p-24);
  }
};

/// How a result compares.
struct Comparison {
  double largest = 0;  ///< error, over what is allowed
  long long compared = 0;
  std::string worst;  ///< the element with the largest error, in words

  bool is_good() const { return largest <= 1; }
  void merge(Comparison const& other) {
    compared += other.compared;
    if (other.largest <= largest) return;
    largest = other.largest;
    worst = other.worst;
  }
};

/// C++ in double precision, from the definition.
template <class In>
class Reference {
 public:
  using Out = OutOf<In>;

  /// @param accumulation_bound  see there
  Reference(Inputs<In> const& inputs, double accumulation_bound)
      : inputs_(inputs), accumulation_bound_(accumulation_bound) {}

  /// All of a small result; of one that takes over 2^27 multiply-adds, so many elements by chance
  /// that theirs are as many, after a look at all for one that was never written.
  Comparison compare(std::vector<Out> const& result) const {
    Problem const& p = inputs_.problem;
    double const products = static_cast<double>(p.m) * static_cast<double>(p.n) *
                            static_cast<double>(p.k) * static_cast<double>(p.batch);
    bool const is_small = products <= most_products && p.k * p.n <= most_products / 4;
    return is_small ? compare_all(result) : compare_sample(result);
  }

 private:
  static constexpr long long most_products = 1LL << 27;
  static constexpr int panel = 8;  ///< columns whose sums are made together

  Comparison compare_all(std::vector<Out> const& result) const {
    Problem const& p = inputs_.problem;
    Comparison total;
    std::mutex lock;
    for (long long batch = 0; batch < p.batch; ++batch) {
      std::vector<std::array<double, panel>> const columns = panels_of_b(batch);
      std::vector<double> const b_norms = norms(p.n, [&](long long j, long long k) {
        return columns[panel_place(j, k)][static_cast<std::size_t>(j % panel)];
      });
      auto const rows = [&](std::uint64_t first, std::uint64_t end) {
        Comparison part;
        for (auto row = static_cast<long long>(first); row < static_cast<long long>(end); ++row)
          compare_row(result, batch, row, columns, b_norms, part);
        std::lock_guard const guard(lock);
        total.merge(part);
      };
      in_parallel_parts(static_cast<std::uint64_t>(p.m), rows,
                        static_cast<std::uint64_t>((1LL << 22) / (p.k * p.n) + 1));
    }
    return total;
  }

  void compare_row(std::vector<Out> const& result, long long batch, long long row,
                   std::vector<std::array<double, panel>> const& columns,
                   std::vector<double> const& b_norms, Comparison& part) const {
    Problem const& p = inputs_.problem;
    std::vector<double> a(static_cast<std::size_t>(p.k));
    double squares = 0;
    for (long long k = 0; k < p.k; ++k) {
      double const value = inputs_.a_at(batch, row, k);
      a[static_cast<std::size_t>(k)] = value;
      squares += value * value;
    }
    for (long long first = 0; first < p.n; first += panel) {
      std::array<double, panel> sums{};
      std::array<double, panel> const* const of_panel = &columns[panel_place(first, 0)];
      for (std::size_t k = 0; k < a.size(); ++k)
        for (std::size_t i = 0; i < panel; ++i) sums[i] += a[k] * of_panel[k][i];
      for (long long j = first; j < p.n && j < first + panel; ++j)
        compare_one(result, batch, row, j, sums[static_cast<std::size_t>(j - first)],
                    std::sqrt(squares) * b_norms[static_cast<std::size_t>(j)], part);
    }
  }

  Comparison compare_sample(std::vector<Out> const& result) const {
    Problem const& p = inputs_.problem;
    Comparison total;
    std::mutex lock;
    auto const count = static_cast<std::uint64_t>(
        std::clamp<long long>(most_products / p.k, 16, static_cast<long long>(result.size())));
    auto const elements = [&](std::uint64_t first, std::uint64_t end) {
      Comparison part;
      for (std::uint64_t i = first; i < end; ++i) {
        std::uint64_t const at = random_word(7, i) % result.size();
        auto const batch = static_cast<long long>(at) / (p.m * p.n);
        auto const inside = static_cast<long long>(at) % (p.m * p.n);
        compare_alone(result, batch, inside / p.n, inside % p.n, part);
      }
      std::lock_guard const guard(lock);
      total.merge(part);
    };
    in_parallel_parts(count, elements, 64);
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (!std::isnan(static_cast<float>(result[i]))) continue;
      total.merge({INFINITY, 1, "element " + std::to_string(i) + " in memory is not a number"});
      break;
    }
    return total;
  }

  void compare_alone(std::vector<Out> const& result, long long batch, long long row,
                     long long column, Comparison& part) const {
    double sum = 0;
    double a_squares = 0;
    double b_squares = 0;
    for (long long k = 0; k < inputs_.problem.k; ++k) {
      double const a = inputs_.a_at(batch, row, k);
      double const b = inputs_.b_at(batch, k, column);
      sum += a * b;
      a_squares += a * a;
      b_squares += b * b;
    }
    compare_one(result, batch, row, column, sum, std::sqrt(a_squares * b_squares), part);
  }

  void compare_one(std::vector<Out> const& result, long long batch, long long row, long long column,
                   double product, double norms, Comparison& part) const {
    std::size_t const at = inputs_.result_place(batch, row, column);
    Exact const exact = finished({product, accumulation_bound_ * norms}, at, row, column);
    auto const actual = static_cast<double>(static_cast<float>(result[at]));
    double const error = std::abs(actual - exact.value) / exact.allowed;
    double const measured = std::isnan(error) ? INFINITY : error;
    ++part.compared;
    if (measured <= part.largest) return;
    part.largest = measured;
    part.worst = "element [" + std::to_string(batch) + ", " + std::to_string(row) + ", " +
                 std::to_string(column) + "] is " + std::to_string(actual) + ", exactly " +
                 std::to_string(exact.value) + ", may be off by " + std::to_string(exact.allowed);
  }

  /// The epilogue; each of its steps rounds to float.
  Exact finished(Exact exact, std::size_t at, long long row, long long column) const {
    Steps const& steps = inputs_.steps;
    exact.scale(static_cast<double>(steps.alpha));
    if (steps.beta != 0) {
      double const c =
          static_cast<double>(steps.beta) * static_cast<double>(static_cast<float>(inputs_.c[at]));
      exact.allowed += 0x1p-24 * std::abs(c);
      exact.add(c);
    }
    if (steps.has_row_scale)
      exact.scale(static_cast<double>(inputs_.row_scale[static_cast<std::size_t>(row)]));
    if (steps.has_bias)
      exact.add(static_cast<double>(inputs_.bias[static_cast<std::size_t>(column)]));
    activate(exact, steps.activation);
    if (steps.has_residual)
      exact.add(static_cast<double>(static_cast<float>(inputs_.residual[at])));
    auto const [relative, least] = rounding_error<Out>();
    exact.round(relative);
    exact.allowed += least;
    return exact;
  }

  static void activate(Exact& exact, Activation activation) {
    if (activation == Activation::relu) exact.value = std::max(exact.value, 0.0);
    if (activation == Activation::gelu) {
      double const at = exact.value;
      exact.value = 0.5 * at * (1 + std::erf(at * std::sqrt(0.5)));
      // Its slope is at most 1.13; 1 + erff() is off by some 2^-23 where both cancel.
      exact.allowed = 1.13 * exact.allowed + 0x1p-22 * std::abs(at);
    }
  }

  std::size_t panel_place(long long column, long long k) const {
    return static_cast<std::size_t>(column / panel * inputs_.problem.k + k);
  }
  /// Panels of eight columns, k by k.
  std::vector<std::array<double, panel>> panels_of_b(long long batch) const {
    Problem const& p = inputs_.problem;
    std::vector<std::array<double, panel>> columns(panel_place(p.n + panel - 1, 0));
    for (long long j = 0; j < p.n; ++j)
      for (long long k = 0; k < p.k; ++k)
        columns[panel_place(j, k)][static_cast<std::size_t>(j % panel)] = inputs_.b_at(batch, k, j);
    return columns;
  }
  template <class At>
  std::vector<double> norms(long long count, At const& at) const {
    std::vector<double> all(static_cast<std::size_t>(count));
    for (long long i = 0; i < count; ++i) {
      double squares = 0;
      for (long long k = 0; k < inputs_.problem.k; ++k) squares += at(i, k) * at(i, k);
      all[static_cast<std::size_t>(i)] = std::sqrt(squares);
    }
    return all;
  }

  Inputs<In> const& inputs_;
  double accumulation_bound_;
};

}  // namespace kohort::kernels::gemm
