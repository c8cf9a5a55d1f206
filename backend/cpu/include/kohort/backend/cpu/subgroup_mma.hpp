// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/thread.hpp>
#include <kohort/simulator/matrix.hpp>
#include <kohort/subgroup_mma.hpp>

namespace kohort::Impl {

/// Products as plain loops: each thread computes what it holds, and reads the operands as any
/// kernel reads, so that the checker sees it.
template <>
struct SubgroupMatrixOperations<Simulator> {
  template <class Mma>
  static KOHORT_FUNCTION void multiply(ThreadHandle<Simulator> const& thread,
                                       typename Mma::accumulator_type (&values)[Mma::values],
                                       typename Mma::a_type const* a, int a_stride,
                                       typename Mma::b_type const* b, int b_stride, CallSite site) {
    using Accumulator = typename Mma::accumulator_type;
    simulator::require_subgroup_product(
        thread.simulated(),
        {a, b, bytes<typename Mma::a_type>(a_stride), bytes<typename Mma::b_type>(b_stride)},
        {site.file, site.line});
    int const lane = thread.team_rank() % Mma::threads;
    for (int i = 0; i < Mma::values; ++i) {
      int const row = lane / 4 + 8 * (i / 2 % 2);
      int const column = lane % 4 * 2 + 8 * (i / 4) + i % 2;
      for (int k = 0; k < Mma::depth; ++k)
        values[i] += static_cast<Accumulator>(as_multiplied(a[row * a_stride + k])) *
                     static_cast<Accumulator>(as_multiplied(b[column * b_stride + k]));
    }
  }

 private:
  template <class T>
  static KOHORT_FUNCTION long long bytes(int stride) {
    return static_cast<long long>(stride) * static_cast<long long>(sizeof(T));
  }
  template <class T>
  static KOHORT_FUNCTION T as_multiplied(T const& element) {
    return element;
  }
  /// The matrix units take the first 10 bits of its mantissa.
  static KOHORT_FUNCTION tfloat32 as_multiplied(tfloat32 const& element) {
    return tfloat32(float_of(bits_of(element.value) & 0xffffe000U));
  }
};

}  // namespace kohort::Impl
