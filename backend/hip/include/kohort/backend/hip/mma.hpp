// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/plain_product.hpp>
#include <kohort/backend/hip/thread.hpp>
#include <kohort/warpgroup_mma.hpp>

namespace kohort::Impl {

/// Products of a warpgroup's size by ordinary multiplications; SubgroupMma has the matrix cores.
template <>
struct MatrixOperations<Hip> {
  using Thread = ThreadHandle<Hip>;
  static constexpr bool stores_rows = false;

  template <class Mma>
  static KOHORT_FUNCTION void multiply(Thread const& thread,
                                       typename Mma::accumulator_type (&values)[Mma::values],
                                       bool begins_anew, typename Mma::a_type const* a,
                                       typename Mma::b_type const* b, CallSite) {
    PlainProduct<Mma>::multiply(thread.team_rank() % Mma::threads, values, begins_anew, a, b);
  }
  template <class Mma>
  static KOHORT_FUNCTION void multiply_words(Thread const& thread,
                                             typename Mma::accumulator_type (&values)[Mma::values],
                                             bool begins_anew, std::uint32_t const (&a)[16],
                                             typename Mma::b_type const* b, CallSite site) {
    PlainProduct<Mma>::multiply_words(thread, values, begins_anew, a, b, site);
  }
  /// Who has waited knows the whole warpgroup to be done with the operands.
  template <class Mma, int Pending>
  static KOHORT_FUNCTION void wait(Thread const& thread,
                                   typename Mma::accumulator_type (&)[Mma::values], CallSite site) {
    thread.warpgroup_barrier(site);
  }
  template <class Out>
  static KOHORT_FUNCTION std::uint32_t pack(float first, float second) {
    static_assert(sizeof(Out) == 2, "two 16-bit numbers fill a word");
    return static_cast<std::uint32_t>(Out(first).bits) |
           static_cast<std::uint32_t>(Out(second).bits) << 16U;
  }
};

}  // namespace kohort::Impl
