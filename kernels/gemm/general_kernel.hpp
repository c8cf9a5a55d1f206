// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/result.hpp>

#include <type_traits>

namespace kohort::kernels::gemm {

/// An operand that lies in any way: element (i, k) of matrix b at b · batch_stride + i · stride + k
/// · k_stride. For B, i counts columns.
template <class In>
struct AnyOperand {
  In const* data;
  long long extent;
  long long stride;
  long long k_stride;
  long long batch_stride;
};

template <class In>
struct GeneralArguments {
  AnyOperand<In> a;
  AnyOperand<In> b;
  long long k;
  Result<OutOf<In>> result;
};

inline constexpr int general_tile = 128;  ///< rows and columns of a team
KOHORT_FUNCTION int tiles_of(long long extent) {
  return static_cast<int>((extent + general_tile - 1) / general_tile);
}

/// Tiles of scratch in turn. gfx942 has 64 KB, which two fill, and needs some for named barriers.
template <class Target>
inline constexpr int general_buffers = std::is_same_v<Target, Hip> ? 1 : 2;

/// The sums lie where the operands were: the last ones are read by then.
template <class In, int Buffers>
union alignas(1024) GeneralScratch {
  static constexpr int depth = 128 / static_cast<int>(sizeof(In));
  struct {
    In a[Buffers][general_tile * depth];
    In b[Buffers][general_tile * depth];
  } operands;
  std::byte sums[2][2 * 64 * 128];
};

template <class Target, class In>
using GeneralPolicy =
    ClusterPolicy<Target, TeamScratch<GeneralScratch<In, general_buffers<Target>>>,
                  LaunchBounds<256, 1>>;

/// D = epilogue(A·B) for sizes and layouts that no tile map can describe: threads fetch elements
/// one by one, and lay them out as the matrix units want them. A team a tile.
template <class Target, class In>
class GeneralKernel {
 public:
  using Member = typename GeneralPolicy<Target, In>::member_type;

  explicit GeneralKernel(GeneralArguments<In> const& arguments) : with_(arguments) {}

  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto& scratch = member.team_scratch();
    auto& operands = scratch.operands;
    int const group = member.team_rank() / 128;
    Place place = place_of(member.league_rank());
    auto const steps = static_cast<int>((with_.k + depth - 1) / depth);
    Product product;
    product.clear();
    auto const fetch_both = [&](int buffer, int step) {
      fetch(member, with_.a, operands.a[buffer], place.row, place.batch, step);
      fetch(member, with_.b, operands.b[buffer], place.column, place.batch, step);
    };
    fetch_both(0, 0);
    KOHORT_NO_UNROLL for (int step = 0; step < steps; ++step) {
      member.team_barrier(before_transfer);
      int const now = step % buffers;
      product.multiply(member, operands.a[now] + group * 64 * depth, operands.b[now]);
      if (buffers == 2 && step + 1 < steps) fetch_both(1 - now, step + 1);
      product.wait(member);
      if constexpr (buffers == 1) {
        member.team_barrier();  // both warpgroups are done with the operands
        if (step + 1 < steps) fetch_both(0, step + 1);
      }
    }
    if (buffers == 2) member.team_barrier();  // the sums take the operands' place
    place.row += group * 64;
    Finisher<Member, Product, OutOf<In>>::finish(member, scratch.sums[group], product, with_.result,
                                                 place, group);
  }

 private:
  using Product = WarpgroupMma<Target, In, In, float, general_tile>;
  static constexpr int depth = Product::depth;
  static constexpr int buffers = general_buffers<Target>;

  /// Row by row, matrix by matrix: the league has one dimension, because the others' limits are
  /// lower than what there may be of tiles.
  KOHORT_FUNCTION Place place_of(int tile) const {
    int const columns = tiles_of(with_.result.n);
    int const rows = tiles_of(with_.result.m);
    int const row = tile / columns;
    return {row % rows * general_tile, tile % columns * general_tile, row / rows};
  }

  /// Rows of A, or columns of B, from `first` on, in the order of a swizzled K-major tile.
  /// Neighbours among the threads fetch neighbours in memory.
  KOHORT_FUNCTION void fetch(Member const& member, AnyOperand<In> const& operand, In* tile,
                             int first, int batch, int step) const {
    bool const along_k = operand.k_stride == 1;
    In const* const matrix = operand.data + batch * operand.batch_stride;
    KOHORT_NO_UNROLL for (int at = member.team_rank(); at < general_tile * depth;
                          at += member.team_size()) {
      int const row = along_k ? at / depth : at % general_tile;
      int const column = along_k ? at % depth : at / general_tile;
      long long const i = static_cast<long long>(first) + row;
      long long const k = static_cast<long long>(step) * depth + column;
      In element(0.0f);
      if (i < operand.extent && k < with_.k)
        element = matrix[i * operand.stride + k * operand.k_stride];
      auto const offset =
          static_cast<std::uint32_t>((row * depth + column) * static_cast<int>(sizeof(In)));
      tile[swizzled_offset(Swizzle::bytes128, offset) / sizeof(In)] = element;
    }
  }

  GeneralArguments<In> with_;
};

}  // namespace kohort::kernels::gemm
