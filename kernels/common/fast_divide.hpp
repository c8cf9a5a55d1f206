// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <cstdint>

namespace kohort::kernels {

/// Divides numbers below 2^31 by a divisor that is fixed for a launch: one wide multiplication and
/// a shift, where a division is some twenty instructions. Exact for every number below 2^31
/// (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994, theorem
/// 4.2 with N = 31).
class FastDivide {
 public:
  /// @param divisor  1 … 2^31 - 1
  explicit FastDivide(std::uint32_t divisor) : divisor_(divisor) {
    while ((std::uint64_t{1} << shift_) < divisor) ++shift_;
    multiplier_ =
        static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift_)) + divisor - 1) / divisor);
    shift_ += 31;
  }

  KOHORT_FUNCTION std::uint32_t quotient(std::uint32_t number) const {
    return static_cast<std::uint32_t>((std::uint64_t{number} * multiplier_) >> shift_);
  }
  KOHORT_FUNCTION std::uint32_t divisor() const { return divisor_; }

 private:
  std::uint32_t divisor_;
  std::uint32_t multiplier_ = 0;
  int shift_ = 0;
};

}  // namespace kohort::kernels
