// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/thread.hpp>

#include <cstdint>

/// Products of tiles by a warpgroup, as a running kernel asks for them.
namespace kohort::simulator {

enum class MatrixElement : std::uint8_t {
  bfloat16,
  float16,
  tfloat32,
  float8_e4m3,
  float8_e5m2,
  int8
};

/// C += A·B of 64 × columns; operands as Swizzle::bytes128 leaves them in scratch. C is of float,
/// of std::int32_t where the elements are int8.
struct MatrixProduct {
  MatrixElement a_element = MatrixElement::bfloat16;
  MatrixElement b_element = MatrixElement::bfloat16;
  bool a_is_mn_major = false;
  bool b_is_mn_major = false;
  bool begins_anew = false;  ///< C = A·B
  int columns = 0;
  void const* a = nullptr;  ///< null: A is in registers
  void const* b = nullptr;
  /// A in registers: the calling thread's 16 words of 64 rows of 32. Word i is of row thread / 32 *
  /// 16 + thread % 32 / 4 + i % 2 * 8, there word i / 4 * 8 + thread % 4 + i % 4 / 2 * 4.
  std::uint32_t const* a_words = nullptr;
  void* values = nullptr;  ///< the calling thread's part of C, 64 × columns / 128 numbers
};

inline constexpr int warpgroup_threads = 128;

/// Called by the 128 threads of a warpgroup; begins the product, which ends in a wait.
void matrix_multiply(Thread& thread, MatrixProduct const& product, Site site);
/// What the hardware asks of a product by 32 threads: that they exist, and that both operands' rows
/// begin at multiples of 4 B.
struct SubgroupProduct {
  void const* a = nullptr;
  void const* b = nullptr;
  long long a_stride = 0;  ///< bytes
  long long b_stride = 0;
};
void require_subgroup_product(Thread& thread, SubgroupProduct const& product, Site site);
/// Until at most `pending` products of the warpgroup, the latest, are under way.
void wait_for_products(Thread& thread, int pending, Site site);

}  // namespace kohort::simulator
