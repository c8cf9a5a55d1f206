// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/random_data.hpp>

#include <cmath>
#include <mutex>
#include <span>
#include <vector>

namespace kohort::kernels::halo {

/// Element `i` of a row of `width` elements, in double precision.
template <class T>
double reference_element(T const* row, long long width, std::span<T const> weights, long long i) {
  double sum = 0;
  long long const radius = static_cast<long long>(weights.size()) - 1;
  for (long long k = -radius; k <= radius; ++k) {
    if (i + k < 0 || i + k >= width) continue;
    sum += static_cast<double>(weights[static_cast<std::size_t>(k < 0 ? -k : k)]) *
           static_cast<double>(row[i + k]);
  }
  return sum;
}

/// The largest difference of `out` from the reference, over rows of `pitch` elements; infinite if
/// an element is not a number.
template <class T>
double largest_error(std::span<T const> in, std::span<T const> out, long long width,
                     long long pitch, long long rows, std::span<T const> weights) {
  double largest = 0;
  std::mutex lock;
  in_parallel_parts(
      static_cast<std::uint64_t>(width * rows), [&](std::uint64_t first, std::uint64_t end) {
        double part = 0;
        for (std::uint64_t index = first; index < end; ++index) {
          long long const row = static_cast<long long>(index) / width;
          long long const i = static_cast<long long>(index) % width;
          double const expected = reference_element(in.data() + row * pitch, width, weights, i);
          double const error = std::abs(static_cast<double>(out[row * pitch + i]) - expected);
          part = error <= part ? part : std::isnan(error) ? INFINITY : error;
        }
        std::lock_guard const guard(lock);
        largest = part > largest ? part : largest;
      });
  return largest;
}

/// Weights that sum to one over the window, falling from the centre: 2^-k scaled.
template <class T>
std::vector<T> falling_weights(int radius) {
  std::vector<T> weights;
  double total = 0;
  for (int k = 0; k <= radius; ++k) total += (k == 0 ? 1 : 2) * std::ldexp(1.0, -k);
  for (int k = 0; k <= radius; ++k) weights.push_back(static_cast<T>(std::ldexp(1.0, -k) / total));
  return weights;
}

/// Rounding of a window of at most 33 products whose magnitudes sum to one or less.
template <class T>
constexpr double error_bound() {
  return sizeof(T) == 4 ? 1e-6 : 4e-15;
}

}  // namespace kohort::kernels::halo
