// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/random_data.hpp>

#include <cmath>
#include <mutex>
#include <span>
#include <type_traits>

namespace kohort::kernels::reduce {

/// The sum in double precision (in 64-bit integers for integers), and the sum of magnitudes, which
/// rounding errors are measured against.
struct Reference {
  double sum = 0;
  double magnitude = 0;
  long long integer_sum = 0;
};

template <class T>
Reference reference_sum(std::span<T const> in) {
  Reference total;
  std::mutex lock;
  in_parallel_parts(in.size(), [&](std::uint64_t first, std::uint64_t end) {
    Reference part;
    for (std::uint64_t i = first; i < end; ++i) {
      part.sum += static_cast<double>(in[i]);
      part.magnitude += std::abs(static_cast<double>(in[i]));
      if constexpr (std::is_integral_v<T>) part.integer_sum += in[i];
    }
    std::lock_guard const guard(lock);
    total.sum += part.sum;
    total.magnitude += part.magnitude;
    total.integer_sum += part.integer_sum;
  });
  return total;
}

/// |result - reference| over the sum of magnitudes; for integers 0 when equal, else 1 or more.
template <class T>
double relative_error(T result, Reference const& reference) {
  if constexpr (std::is_integral_v<T>) {
    return std::abs(static_cast<double>(static_cast<long long>(result) - reference.integer_sum));
  } else {
    double const scale = reference.magnitude > 0 ? reference.magnitude : 1;
    double const error = std::abs(static_cast<double>(result) - reference.sum) / scale;
    return std::isnan(error) ? INFINITY : error;
  }
}

/// What rounding allows: a thread's chain of additions is at most a few thousand long with the
/// leagues that the harness launches, and errors along it are independent; 1e-5 is a hundred
/// roundings of float, 1e-13 of double. Integers are exact.
template <class T>
constexpr double error_bound() {
  if constexpr (std::is_integral_v<T>) return 0;
  return sizeof(T) == 4 ? 1e-5 : 1e-13;
}

}  // namespace kohort::kernels::reduce
