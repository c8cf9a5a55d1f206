// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/result.hpp>
#include <kernels/gemm/tile_order.hpp>

namespace kohort::kernels::gemm {

/// A kernel of the family: element types, how operands lie, and how large a team's tile is.
template <class In_, MatrixMajor AMajor, MatrixMajor BMajor, int Rows, int Columns, int Stages,
          int MostSplits = 1>
struct Config {
  using In = In_;
  using Out = OutOf<In>;
  static constexpr MatrixMajor a_major = AMajor;
  static constexpr MatrixMajor b_major = BMajor;
  static constexpr int rows = Rows;  ///< of a team's tile
  static constexpr int columns = Columns;
  static constexpr int depth = 128 / static_cast<int>(sizeof(In));  ///< of a stage
  static constexpr int stages = Stages;
  static constexpr int most_splits = MostSplits;
  static constexpr int consumers = Rows / 64;  ///< warpgroups, 64 rows each
  static constexpr int threads = 128 * (consumers + 1);
  static constexpr int stage_bytes = (rows + columns) * 128;
  /// Columns of the result that leave together: 128 B.
  static constexpr int chunk = 128 / static_cast<int>(sizeof(Out));
  static constexpr int chunks = columns / chunk;
  static_assert(chunks <= 4, "a warpgroup's result fits its buffers and its share of a stage");
  /// Products that are under way while the next stage is waited for. One warpgroup alone would
  /// leave the matrix unit idle between its steps; of two, the other's product goes on, and a stage
  /// is sooner free.
  static constexpr int products_under_way = consumers == 1 ? 1 : 0;
  /// Whether a tile's result needs more than the warpgroups' buffers, and lies in its last stage.
  static constexpr bool keeps_stage = chunks > 2;
  static_assert(!keeps_stage || stages > 2,
                "the next tile's first two steps have stages meanwhile");
};

/// Four sums that a thread holds side by side (WarpgroupMma::for_each_quad), on their way to who
/// adds up what others computed of the same tile.
struct alignas(16) Partial {
  float values[4];
};

/// A team's scratch. Operands as WarpgroupMma wants them.
template <class C>
struct alignas(1024) Scratch {
  typename C::In a[C::stages][C::rows * C::depth];
  typename C::In b[C::stages][C::columns * C::depth];
  typename C::Out out[C::consumers][2][64 * C::chunk];
  PipelineBarriers<C::stages> pipeline;
  TransferBarrier peers_ready;    ///< splits: every peer is done with its stages
  TransferBarrier partials_came;  ///< splits: what the peers pushed

  // After the last step a split's partial sums lie in the stages: mine in A's, by quad and
  // thread; those that peers pushed in B's, by peer, by quad of mine and thread.
  static constexpr int partials_a_group = 128 * C::consumers;
  static_assert(C::most_splits == 1 || C::columns / 8 * partials_a_group * sizeof(Partial) <=
                                           sizeof(typename C::In[C::stages][C::rows * C::depth]),
                "a split's own sums fit A's stages");
  KOHORT_FUNCTION Partial* mine() { return reinterpret_cast<Partial*>(a); }
  KOHORT_FUNCTION Partial* pushed() { return reinterpret_cast<Partial*>(b); }
};

/// K in pieces for as many teams: the first ones have a step more where it can't be even.
struct Pieces {
  int count;
  int steps;       ///< of each
  int with_extra;  ///< pieces that have one more

  KOHORT_FUNCTION int first_step(int piece) const {
    return piece * steps + (piece < with_extra ? piece : with_extra);
  }
  KOHORT_FUNCTION int steps_of(int piece) const { return steps + (piece < with_extra ? 1 : 0); }
};

/// Everything that a launch needs to know. The tensors' dimensions are: contiguous, batch, other.
template <class Target, class C>
struct Arguments {
  TileMap<typename C::In const, 3, Target> a;
  TileMap<typename C::In const, 3, Target> b;
  TileMap<typename C::Out, 3, Target> d;
  TilePlace const* order;  ///< of clusters' tiles
  int tiles;               ///< of clusters, a matrix
  int batch;
  int clusters;   ///< that share the tiles, of each part of K
  Pieces pieces;  ///< of K: a cluster's splits, or parts, of clusters of their own
  int parts;
  Partial* sums;  ///< of parts: by a team's tile, part, quad and thread
  Result<typename C::Out> result;
};

template <class Target, class C>
using PolicyOf = ClusterPolicy<Target, ClusterScratch<Scratch<C>>, LaunchBounds<C::threads, 1>>;

/// The threads of all warpgroups that consume meet.
template <class C, class Member>
KOHORT_FUNCTION void meet_all(Member const& member) {
  member.named_barrier(1 + C::consumers, 128 * C::consumers / member.subgroup_size());
}

}  // namespace kohort::kernels::gemm
