// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/thread.hpp>
#include <kohort/backend/emulated/plain_product.hpp>
#include <kohort/simulator/matrix.hpp>
#include <kohort/warpgroup_mma.hpp>

namespace kohort::Impl {

template <class T>
inline constexpr simulator::MatrixElement matrix_element = simulator::MatrixElement::int8;
template <>
inline constexpr simulator::MatrixElement matrix_element<bfloat16> =
    simulator::MatrixElement::bfloat16;
template <>
inline constexpr simulator::MatrixElement matrix_element<float16> =
    simulator::MatrixElement::float16;
template <>
inline constexpr simulator::MatrixElement matrix_element<tfloat32> =
    simulator::MatrixElement::tfloat32;
template <>
inline constexpr simulator::MatrixElement matrix_element<float8_e4m3> =
    simulator::MatrixElement::float8_e4m3;
template <>
inline constexpr simulator::MatrixElement matrix_element<float8_e5m2> =
    simulator::MatrixElement::float8_e5m2;

/// Products as plain loops of the engine; in emulated clusters as every device without a matrix
/// unit that reads cluster scratch has them.
template <>
struct MatrixOperations<Simulator> {
  using Fragments = WarpgroupFragments;
  static constexpr bool stores_rows = false;
  using Thread = ThreadHandle<Simulator>;

  template <class Mma>
  static KOHORT_FUNCTION void multiply(Thread const& thread,
                                       typename Mma::accumulator_type (&values)[Mma::values],
                                       bool begins_anew, typename Mma::a_type const* a,
                                       typename Mma::b_type const* b, CallSite site) {
    if (thread.is_emulated())
      return PlainProduct<Mma>::multiply(thread.team_rank() % Mma::threads, values, begins_anew, a,
                                         b);
    simulator::matrix_multiply(thread.simulated(),
                               {.a_element = matrix_element<typename Mma::a_type>,
                                .b_element = matrix_element<typename Mma::b_type>,
                                .a_is_mn_major = Mma::a_major == MatrixMajor::mn,
                                .b_is_mn_major = Mma::b_major == MatrixMajor::mn,
                                .begins_anew = begins_anew,
                                .columns = Mma::columns,
                                .a = a,
                                .b = b,
                                .values = values},
                               {site.file, site.line});
  }
  template <class Mma>
  static KOHORT_FUNCTION void multiply_words(Thread const& thread,
                                             typename Mma::accumulator_type (&values)[Mma::values],
                                             bool begins_anew, std::uint32_t const (&a)[16],
                                             typename Mma::b_type const* b, CallSite site) {
    if (thread.is_emulated())
      return PlainProduct<Mma>::multiply_words(thread, values, begins_anew, a, b, site);
    simulator::matrix_multiply(thread.simulated(),
                               {.a_element = matrix_element<typename Mma::a_type>,
                                .b_element = matrix_element<typename Mma::b_type>,
                                .b_is_mn_major = Mma::b_major == MatrixMajor::mn,
                                .begins_anew = begins_anew,
                                .columns = Mma::columns,
                                .b = b,
                                .a_words = a,
                                .values = values},
                               {site.file, site.line});
  }
  template <class Mma, int Pending>
  static KOHORT_FUNCTION void wait(Thread const& thread,
                                   typename Mma::accumulator_type (&)[Mma::values], CallSite site) {
    // Who has waited knows the whole warpgroup to be done with the operands.
    if (thread.is_emulated()) return thread.warpgroup_barrier(site);
    simulator::wait_for_products(thread.simulated(), Pending, {site.file, site.line});
  }

  template <class Out>
  static KOHORT_FUNCTION std::uint32_t pack(float first, float second) {
    static_assert(sizeof(Out) == 2, "two 16-bit numbers fill a word");
    return static_cast<std::uint32_t>(Out(first).bits) |
           static_cast<std::uint32_t>(Out(second).bits) << 16U;
  }
};

}  // namespace kohort::Impl
