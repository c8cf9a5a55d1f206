// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by a subgroup, products with A in registers, and results laid out in scratch: each
// against sums in double.
#include "tile_model.hpp"

namespace kohort::conformance::matrix_registers {

/// Sums of small whole numbers are exact, whatever the order. Element (i, k) of A is a[i · k_extent
/// + k], element (k, j) of B is b[j · k_extent + k].
template <class Accumulator, class A, class B>
std::vector<Accumulator> product_of(std::vector<A> const& a, std::vector<B> const& b, int rows,
                                    int columns, int k_extent) {
  std::vector<Accumulator> product;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      double sum = 0;
      for (int k = 0; k < k_extent; ++k)
        sum += static_cast<double>(
                   static_cast<float>(a[static_cast<std::size_t>(row * k_extent + k)])) *
               static_cast<double>(
                   static_cast<float>(b[static_cast<std::size_t>(column * k_extent + k)]));
      product.push_back(static_cast<Accumulator>(sum));
    }
  }
  return product;
}

/// Three steps along K, straight from device memory.
template <class Mma, class Target>
void subgroup_product_matches(Target const& target, unsigned seed) {
  using A = typename Mma::a_type;
  using B = typename Mma::b_type;
  using Accumulator = typename Mma::accumulator_type;
  using Policy = ClusterPolicy<Target>;
  needs_team_size(target, 64);
  std::mt19937 engine(seed);
  constexpr int k_extent = 3 * Mma::depth;
  auto const a = random_elements<A>(engine, static_cast<std::size_t>(16 * k_extent));
  auto const b = random_elements<B>(engine, static_cast<std::size_t>(Mma::columns * k_extent));
  auto const a_memory = upload(target, a);
  auto const b_memory = upload(target, b);
  A const* const a_data = a_memory.data();
  B const* const b_data = b_memory.data();
  auto const results =
      poisoned<Accumulator>(target, static_cast<std::size_t>(2 * 16 * Mma::columns));
  Accumulator* const result = results.data();
  parallel_for(
      "subgroup_product", Policy(target, 1, 64),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Mma sums;
        sums.clear();
        for (int step = 0; step < 3; ++step)
          sums.multiply(member, a_data + step * Mma::depth, k_extent, b_data + step * Mma::depth,
                        k_extent);
        int const first = member.team_rank() / 32 * 16;
        sums.for_each_fragment(member,
                               [&](int row, int column, Accumulator& left, Accumulator& right) {
                                 result[(first + row) * Mma::columns + column] = left;
                                 result[(first + row) * Mma::columns + column + 1] = right;
                               });
      });
  std::vector<Accumulator> expected = product_of<Accumulator>(a, b, 16, Mma::columns, k_extent);
  expected.insert(expected.end(), expected.begin(), expected.begin() + 16 * Mma::columns);
  require_all_equal(download(results), expected, std::to_string(Mma::columns) + " columns");
}

template <class Target>
void subgroups_multiply(Target const& target) {
  subgroup_product_matches<SubgroupMma<Target, bfloat16, bfloat16, float, 8>>(target, 1);
  subgroup_product_matches<SubgroupMma<Target, bfloat16, bfloat16, float, 64>>(target, 2);
  subgroup_product_matches<SubgroupMma<Target, float16, float16, float, 16>>(target, 3);
  subgroup_product_matches<SubgroupMma<Target, tfloat32, tfloat32, float, 24>>(target, 4);
  subgroup_product_matches<SubgroupMma<Target, float8_e4m3, float8_e5m2, float, 16>>(target, 5);
  subgroup_product_matches<SubgroupMma<Target, std::int8_t, std::int8_t, std::int32_t, 128>>(target,
                                                                                             6);
}

/// Element k of row `row` of an operand whose rows hold `k_extent` elements.
template <class T>
double microscaled(std::vector<T> const& data, std::vector<scale_e8m0> const& scales, int row,
                   int k, int k_extent) {
  constexpr int in_one = std::is_same_v<T, float4_e2m1x2> ? 2 : 1;
  T const* const begin = data.data() + row * (k_extent / in_one);
  double const scale = static_cast<float>(scales[static_cast<std::size_t>(
      row * (k_extent / microscaling_block) + k / microscaling_block)]);
  if constexpr (in_one == 2) {
    return scale * static_cast<double>(k % 2 == 0 ? begin[k / 2].first() : begin[k / 2].second());
  } else {
    return scale * static_cast<double>(static_cast<float>(begin[k]));
  }
}

template <class T>
std::vector<T> random_microscaled(std::mt19937& engine, int elements) {
  std::uniform_int_distribution<int> number(-3, 3);
  std::vector<T> all;
  if constexpr (std::is_same_v<T, float4_e2m1x2>) {
    for (int i = 0; i < elements / 2; ++i) {
      auto const first = static_cast<float>(number(engine));
      all.emplace_back(first, static_cast<float>(number(engine)));
    }
  } else {
    for (int i = 0; i < elements; ++i) all.push_back(T(static_cast<float>(number(engine))));
  }
  return all;
}

/// Small whole numbers and small powers of two: sums are exact, whatever the order.
template <class Mma, class Target>
void scaled_product_matches(Target const& target, unsigned seed) {
  using A = typename Mma::a_type;
  using B = typename Mma::b_type;
  using Policy = ClusterPolicy<Target>;
  needs_team_size(target, 64);
  std::mt19937 engine(seed);
  constexpr int steps = 2;
  constexpr int k_extent = steps * Mma::depth;
  constexpr int scales_a_row = k_extent / microscaling_block;
  std::uniform_int_distribution<int> exponent(-4, 4);
  auto const random_scales = [&](int rows) {
    std::vector<scale_e8m0> all;
    for (int i = 0; i < rows * scales_a_row; ++i)
      all.push_back(scale_e8m0::power_of_two(exponent(engine)));
    return all;
  };
  auto const a = random_microscaled<A>(engine, 16 * k_extent);
  auto const b = random_microscaled<B>(engine, Mma::columns * k_extent);
  auto const a_scales = random_scales(16);
  auto const b_scales = random_scales(Mma::columns);
  auto const a_memory = upload(target, a);
  auto const b_memory = upload(target, b);
  auto const a_scale_memory = upload(target, a_scales);
  auto const b_scale_memory = upload(target, b_scales);
  constexpr int a_step = static_cast<int>(Mma::depth / (std::is_same_v<A, float4_e2m1x2> ? 2 : 1));
  constexpr int b_step = static_cast<int>(Mma::depth / (std::is_same_v<B, float4_e2m1x2> ? 2 : 1));
  ScaledOperand<A> const of_a{a_memory.data(), steps * a_step, a_scale_memory.data(), scales_a_row};
  ScaledOperand<B> const of_b{b_memory.data(), steps * b_step, b_scale_memory.data(), scales_a_row};
  auto const results = poisoned<float>(target, static_cast<std::size_t>(2 * 16 * Mma::columns));
  float* const result = results.data();
  parallel_for(
      "scaled_product", Policy(target, 1, 64),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Mma sums;
        sums.clear();
        for (int step = 0; step < steps; ++step) {
          ScaledOperand<A> left = of_a;
          ScaledOperand<B> right = of_b;
          left.data += step * a_step;
          right.data += step * b_step;
          left.scales += step * Mma::blocks;
          right.scales += step * Mma::blocks;
          sums.multiply(member, left, right);
        }
        int const first = member.team_rank() / 32 * 16;
        sums.for_each_fragment(member, [&](int row, int column, float& one, float& two) {
          result[(first + row) * Mma::columns + column] = one;
          result[(first + row) * Mma::columns + column + 1] = two;
        });
      });
  std::vector<float> expected;
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < Mma::columns; ++column) {
      double sum = 0;
      for (int k = 0; k < k_extent; ++k)
        sum += microscaled(a, a_scales, row, k, k_extent) *
               microscaled(b, b_scales, column, k, k_extent);
      expected.push_back(static_cast<float>(sum));
    }
  }
  expected.insert(expected.end(), expected.begin(), expected.begin() + 16 * Mma::columns);
  require_all_equal(download(results), expected, std::to_string(Mma::columns) + " columns");
}

template <class Target>
void subgroups_multiply_microscaled(Target const& target) {
  scaled_product_matches<ScaledSubgroupMma<Target, float8_e4m3, float8_e4m3, 32>>(target, 21);
  scaled_product_matches<ScaledSubgroupMma<Target, float8_e5m2, float8_e4m3, 8>>(target, 22);
  scaled_product_matches<ScaledSubgroupMma<Target, float4_e2m1x2, float4_e2m1x2, 24>>(target, 23);
  scaled_product_matches<ScaledSubgroupMma<Target, float8_e4m3, float4_e2m1x2, 16>>(target, 24);
}

template <class Mma>
struct alignas(1024) Operands {
  typename Mma::a_type a[64 * Mma::depth];
  typename Mma::b_type b[Mma::columns * Mma::depth];
};

/// Where element (row, k) of a swizzled K-major tile lies.
template <class T>
KOHORT_FUNCTION int swizzled_place(int row, int k) {
  auto const offset = static_cast<std::uint32_t>(row * 128 + k * static_cast<int>(sizeof(T)));
  return static_cast<int>(swizzled_offset(Swizzle::bytes128, offset) / sizeof(T));
}

/// A is changed in registers on its way; the tiles are laid out by ordinary stores.
template <class Mma, class Target>
void register_product_matches(Target const& target, unsigned seed) {
  using A = typename Mma::a_type;
  using B = typename Mma::b_type;
  using Accumulator = typename Mma::accumulator_type;
  using Policy = ClusterPolicy<Target, TeamScratch<Operands<Mma>>>;
  needs_team_size(target, 128);
  std::mt19937 engine(seed);
  constexpr int depth = Mma::depth;
  auto a = random_elements<A>(engine, static_cast<std::size_t>(64 * depth));
  auto const b = random_elements<B>(engine, static_cast<std::size_t>(Mma::columns * depth));
  auto const a_memory = upload(target, a);
  auto const b_memory = upload(target, b);
  A const* const a_data = a_memory.data();
  B const* const b_data = b_memory.data();
  auto const results = poisoned<Accumulator>(target, static_cast<std::size_t>(64 * Mma::columns));
  Accumulator* const result = results.data();
  parallel_for(
      "register_product", Policy(target, 1, 128),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Operands<Mma>& tiles = member.team_scratch();
        for (int i = member.team_rank(); i < 64 * Mma::depth; i += 128)
          tiles.a[swizzled_place<A>(i / Mma::depth, i % Mma::depth)] = a_data[i];
        for (int i = member.team_rank(); i < Mma::columns * Mma::depth; i += 128)
          tiles.b[swizzled_place<B>(i / Mma::depth, i % Mma::depth)] = b_data[i];
        member.team_barrier(before_transfer);
        typename Mma::RegisterOperand operand;
        operand.load(member, tiles.a);
        operand.for_each(member, [&](int row, int k, A& element) {
          if ((row + k) % 2 == 0) element = A(0);
        });
        Mma sums;
        sums.multiply(member, operand, tiles.b);
        sums.wait(member);
        sums.for_each_fragment(member,
                               [&](int row, int column, Accumulator& first, Accumulator& second) {
                                 result[row * Mma::columns + column] = first;
                                 result[row * Mma::columns + column + 1] = second;
                               });
      });
  for (int i = 0; i < 64 * depth; ++i)
    if ((i / depth + i % depth) % 2 == 0) a[static_cast<std::size_t>(i)] = A(0);
  require_all_equal(download(results), product_of<Accumulator>(a, b, 64, Mma::columns, depth),
                    std::to_string(Mma::columns) + " columns");
}

template <class Target>
void operands_come_from_registers(Target const& target) {
  register_product_matches<WarpgroupMma<Target, bfloat16, bfloat16, float, 64>>(target, 11);
  register_product_matches<WarpgroupMma<Target, float16, float16, float, 256>>(target, 12);
  register_product_matches<WarpgroupMma<Target, tfloat32, tfloat32, float, 32>>(target, 13);
  register_product_matches<WarpgroupMma<Target, float8_e5m2, float8_e5m2, float, 96>>(target, 14);
  register_product_matches<WarpgroupMma<Target, std::int8_t, std::int8_t, std::int32_t, 128>>(
      target, 15);
}

template <class Mma, class Out>
struct alignas(1024) RowsScratch {
  Operands<Mma> tiles;
  Out rows[64 * (128 / sizeof(Out))];
};

/// store_rows() leaves what a tile map with Swizzle::bytes128 takes: the second 128 B of columns.
template <class Out, class Target>
void rows_are_laid_out(Target const& target) {
  using Mma = WarpgroupMma<Target, bfloat16, bfloat16, float, 128>;
  using Scratch = RowsScratch<Mma, Out>;
  using Policy = ClusterPolicy<Target, TeamScratch<Scratch>>;
  needs_team_size(target, 128);
  constexpr int width = 128 / static_cast<int>(sizeof(Out));
  auto const results = poisoned<Out>(target, static_cast<std::size_t>(64 * width));
  TileMap<Out, 2, Target> const map(
      target, results.data(),
      {.extents = {width, 64}, .box = {width, 64}, .swizzle = Swizzle::bytes128});
  parallel_for(
      "store_rows", Policy(target, 1, 128),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Scratch& scratch = member.team_scratch();
        for (int i = member.team_rank(); i < 64 * Mma::depth; i += 128)
          scratch.tiles.a[i] = bfloat16(0.0f);
        for (int i = member.team_rank(); i < 128 * Mma::depth; i += 128)
          scratch.tiles.b[i] = bfloat16(0.0f);
        member.team_barrier(before_transfer);
        Mma sums;
        sums.multiply(member, scratch.tiles.a, scratch.tiles.b);
        sums.wait(member);
        sums.for_each_fragment(member, [&](int row, int column, float& first, float& second) {
          first = static_cast<float>(row * 2 + column % 128);
          second = first + 1;
        });
        sums.template store_rows<Out, width>(member, scratch.rows);
        member.team_barrier(before_transfer);
        if (member.team_rank() == 0) {
          member.tile_store_async(map, {0, 0}, scratch.rows);
          member.wait_stores();
        }
      });
  std::vector<float> expected;
  std::vector<float> found;
  std::vector<Out> const stored = download(results);
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < width; ++column) {
      expected.push_back(static_cast<float>(Out(static_cast<float>(row * 2 + width + column))));
      found.push_back(static_cast<float>(stored[static_cast<std::size_t>(row * width + column)]));
    }
  }
  require_all_equal(found, expected, std::to_string(sizeof(Out)) + " B elements");
}

template <class Target>
void results_are_laid_out(Target const& target) {
  rows_are_laid_out<bfloat16>(target);
  rows_are_laid_out<float16>(target);
  rows_are_laid_out<float>(target);
}

namespace {
Rung<UnitTarget> const rung(
    "25_matrix_registers",
    {{"SubgroupsMultiply", subgroups_multiply<UnitTarget>},
     {"SubgroupsMultiplyMicroscaled", subgroups_multiply_microscaled<UnitTarget>},
     {"OperandsComeFromRegisters", operands_come_from_registers<UnitTarget>},
     {"ResultsAreLaidOut", results_are_laid_out<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::matrix_registers
