// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

#include <cstdint>

namespace kohort::Impl {

/// std::popcount, which device code can't call.
constexpr KOHORT_FUNCTION int count_of_bits(std::uint32_t bits) {
  int count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

}  // namespace kohort::Impl
