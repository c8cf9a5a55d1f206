// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/matrix.hpp>

#include <cstddef>
#include <cstdint>

namespace kohort::simulator {

/// How an operand lies in scratch: rows of 128 B, permuted as a swizzle of 128 B does, its first a
/// multiple of 1024 B of the team's block.
struct Operand {
  MatrixElement element = MatrixElement::bfloat16;
  bool is_mn_major = false;
  std::byte const* tile = nullptr;
  int extent = 0;  ///< M or N
};

int element_bytes(MatrixElement element);
/// K: what fills 128 B.
inline int depth_of(MatrixElement element) { return 128 / element_bytes(element); }

/// Element (m, k) goes to plain[m · outer + k · inner].
void read_operand(Operand const& operand, float* plain, int outer, int inner);
void read_operand(Operand const& operand, std::int32_t* plain, int outer, int inner);

}  // namespace kohort::simulator
