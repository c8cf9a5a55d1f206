// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of tiles by a warpgroup against sums in double, for every element type, width and
// layout.
#include "tile_model.hpp"

namespace kohort::conformance::warpgroup_products {

inline constexpr int steps = 3;  ///< tiles along K

/// How many elements one row of an operand's tile holds: K, or 64 along M or N.
template <class Mma>
struct Layout {
  static constexpr int depth = Mma::depth;
  static constexpr int b_extent =
      Mma::b_major == MatrixMajor::k ? Mma::columns : (Mma::columns + 63) / 64 * 64;
};

template <class Mma>
struct alignas(1024) Operands {
  typename Mma::a_type a[64 * Layout<Mma>::depth];
  typename Mma::b_type b[Layout<Mma>::b_extent * Layout<Mma>::depth];
  TransferBarrier full;
};

/// Where element (m, k) of an operand lies in memory: tiles of `extent` × depth, as scratch has
/// them but for the swizzle.
template <MatrixMajor Major>
int plain_index(int m, int k, int depth) {
  return Major == MatrixMajor::k ? m * depth + k : m / 64 * depth * 64 + k * 64 + m % 64;
}

template <class Element, MatrixMajor Major>
struct Operand {
  std::vector<Element> tiles;  ///< one after the other
  int extent;
  int depth;

  Operand(std::mt19937& engine, int operand_extent, int operand_depth)
      : tiles(random_elements<Element>(
            engine, static_cast<std::size_t>(steps * operand_extent * operand_depth))),
        extent(operand_extent),
        depth(operand_depth) {}
  double at(int m, int k) const {
    int const index = k / depth * extent * depth + plain_index<Major>(m, k % depth, depth);
    return static_cast<double>(static_cast<float>(tiles[static_cast<std::size_t>(index)]));
  }
};

template <class Mma>
std::vector<typename Mma::accumulator_type> product_of(
    Operand<typename Mma::a_type, Mma::a_major> const& a,
    Operand<typename Mma::b_type, Mma::b_major> const& b) {
  std::vector<typename Mma::accumulator_type> product;
  for (int row = 0; row < Mma::rows; ++row) {
    for (int column = 0; column < Mma::columns; ++column) {
      double sum = 0;
      for (int k = 0; k < steps * Mma::depth; ++k) sum += a.at(row, k) * b.at(column, k);
      product.push_back(static_cast<typename Mma::accumulator_type>(sum));
    }
  }
  return product;
}

/// Sums of small whole numbers are exact, whatever the order. Rows of 128 B: the map of a tile is
/// one of its rows.
template <class Mma, class Target>
void product_matches(Target const& target, unsigned seed) {
  using A = typename Mma::a_type;
  using B = typename Mma::b_type;
  using Accumulator = typename Mma::accumulator_type;
  using Policy = ClusterPolicy<Target, TeamScratch<Operands<Mma>>>;
  needs_team_size(target, 128);
  std::mt19937 engine(seed);
  constexpr int depth = Mma::depth;
  constexpr int a_rows = Mma::a_major == MatrixMajor::k ? 64 : depth;
  constexpr int b_rows =
      Mma::b_major == MatrixMajor::k ? Mma::columns : Layout<Mma>::b_extent / 64 * depth;
  Operand<A, Mma::a_major> const a(engine, 64, depth);
  Operand<B, Mma::b_major> const b(engine, Layout<Mma>::b_extent, depth);
  auto const a_memory = upload(target, a.tiles);
  auto const b_memory = upload(target, b.tiles);
  TileMap<A const, 2, Target> const a_map(
      target, a_memory.data(),
      {.extents = {depth, steps * a_rows}, .box = {depth, a_rows}, .swizzle = Swizzle::bytes128});
  TileMap<B const, 2, Target> const b_map(
      target, b_memory.data(),
      {.extents = {depth, steps * b_rows}, .box = {depth, b_rows}, .swizzle = Swizzle::bytes128});
  auto const results =
      poisoned<Accumulator>(target, static_cast<std::size_t>(2 * 64 * Mma::columns));
  Accumulator* const result = results.data();
  parallel_for(
      "warpgroup_product", Policy(target, 1, 128),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Operands<Mma>& operands = member.team_scratch();
        member.init_barriers(BarrierGroup(operands.full, 1));
        Waiter waiter;
        Mma sums;
        for (int turn = 0; turn < 2; ++turn) {  // the second one begins anew
          sums.clear();
          for (int step = 0; step < steps; ++step) {
            if (member.team_rank() == 0) {
              int const a_at[2] = {0, step * a_rows};
              int const b_at[2] = {0, step * b_rows};
              member.arrive_expecting(operands.full, a_map.box_bytes() + b_map.box_bytes());
              member.tile_load_async(a_map, a_at, operands.a, operands.full);
              member.tile_load_async(b_map, b_at, operands.b, operands.full);
            }
            member.wait(operands.full, waiter);
            sums.multiply(member, operands.a, operands.b);
            sums.wait(member);
            member.team_barrier();
          }
          sums.for_each_fragment(
              member, [&](int row, int column, Accumulator& first, Accumulator& second) {
                Accumulator* const cell = result + (turn * 64 + row) * Mma::columns + column;
                cell[0] = first;
                cell[1] = second;
              });
        }
      });
  std::vector<Accumulator> expected = product_of<Mma>(a, b);
  expected.insert(expected.end(), expected.begin(), expected.begin() + 64 * Mma::columns);
  require_all_equal(download(results), expected, std::to_string(Mma::columns) + " columns");
}

template <class Target, class A, class B, int N, MatrixMajor AMajor = MatrixMajor::k,
          MatrixMajor BMajor = MatrixMajor::k>
using Floats = WarpgroupMma<Target, A, B, float, N, AMajor, BMajor>;

template <class Target>
void products_of_every_width(Target const& target) {
  product_matches<Floats<Target, bfloat16, bfloat16, 32>>(target, 1);
  product_matches<Floats<Target, bfloat16, bfloat16, 64>>(target, 2);
  product_matches<Floats<Target, bfloat16, bfloat16, 96>>(target, 3);
  product_matches<Floats<Target, bfloat16, bfloat16, 128>>(target, 4);
  product_matches<Floats<Target, bfloat16, bfloat16, 192>>(target, 5);
  product_matches<Floats<Target, bfloat16, bfloat16, 256>>(target, 6);
}

template <class Target>
void products_of_every_layout(Target const& target) {
  constexpr MatrixMajor k = MatrixMajor::k;
  constexpr MatrixMajor mn = MatrixMajor::mn;
  product_matches<Floats<Target, bfloat16, bfloat16, 64, mn, k>>(target, 11);
  product_matches<Floats<Target, bfloat16, bfloat16, 128, k, mn>>(target, 12);
  product_matches<Floats<Target, float16, float16, 128, mn, mn>>(target, 13);
}

template <class Target>
void products_of_every_type(Target const& target) {
  product_matches<Floats<Target, float16, float16, 64>>(target, 21);
  product_matches<Floats<Target, tfloat32, tfloat32, 64>>(target, 22);
  product_matches<Floats<Target, float8_e4m3, float8_e4m3, 64>>(target, 23);
  product_matches<Floats<Target, float8_e5m2, float8_e4m3, 64>>(target, 24);
  product_matches<WarpgroupMma<Target, std::int8_t, std::int8_t, std::int32_t, 64>>(target, 25);
}

namespace {
Rung<UnitTarget> const rung("23_warpgroup_products",
                            {{"ProductsOfEveryWidth", products_of_every_width<UnitTarget>},
                             {"ProductsOfEveryLayout", products_of_every_layout<UnitTarget>},
                             {"ProductsOfEveryType", products_of_every_type<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::warpgroup_products
