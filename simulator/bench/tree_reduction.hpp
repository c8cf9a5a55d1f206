// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The work that both libraries are timed on: blocks of threads that sum 0 … threads - 1 plus
/// their block's number in a tree, a barrier a step. The sums are checked.
namespace kohort::bench {

/// What block `block` of `threads` threads must have summed.
constexpr float expected_sum(int block, int threads) {
  return static_cast<float>(threads) * static_cast<float>(threads - 1) / 2.0F +
         static_cast<float>(threads) * static_cast<float>(block);
}

/// The barriers that each thread passes: one after the first store, one a halving.
constexpr int barriers_of(int threads) {
  int barriers = 1;
  for (int half = threads / 2; half > 0; half /= 2) ++barriers;
  return barriers;
}

}  // namespace kohort::bench
