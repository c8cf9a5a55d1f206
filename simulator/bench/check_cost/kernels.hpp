// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <vector>

/// The kernels that check mode's cost is measured on. kernels.cpp is built twice, each time into a
/// library that shows nothing but one function: as it is, and instrumented.
namespace kohort::bench {

struct CheckedKernel {
  std::string name;
  bool is_bound_by_barriers;  ///< or else it streams
  double bytes;               ///< of device memory that a run touches
  /// Allocates and fills, and returns what launches once and what compares the result.
  struct Ready {
    std::function<void()> launch;
    std::function<bool()> is_right;
  };
  std::function<Ready()> prepare;
};

}  // namespace kohort::bench

extern "C" __attribute__((visibility("default"))) void kohort_plain_kernels(
    std::vector<kohort::bench::CheckedKernel>& kernels);
extern "C" __attribute__((visibility("default"))) void kohort_checked_kernels(
    std::vector<kohort::bench::CheckedKernel>& kernels);
