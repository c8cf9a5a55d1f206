// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/persistent_league.hpp>
#include <kernels/gemm/kernel.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace kohort::kernels::gemm {

/// The matrices of a problem in device memory, and how they lie, in elements. A is m × k, B k × n,
/// D m × n, D with contiguous rows; strides are between neighbours in the dimension that is not
/// contiguous, and between matrices of a batch.
template <class In>
struct Operands {
  long long m = 0;
  long long n = 0;
  long long k = 0;
  long long batch = 1;
  In const* a = nullptr;
  In const* b = nullptr;
  OutOf<In>* d = nullptr;
  MatrixMajor a_major = MatrixMajor::k;
  MatrixMajor b_major = MatrixMajor::k;
  long long a_stride = 0;
  long long b_stride = 0;
  long long d_stride = 0;
  long long a_batch_stride = 0;
  long long b_batch_stride = 0;
  long long d_batch_stride = 0;
};

/// How a problem is cut up: the cluster's teams along rows, columns and K, the tiles' order, and
/// parts of K that clusters of their own compute.
struct Cut {
  ClusterShape cluster{1, 1, 1};
  TileOrder order = TileOrder::blocks;
  int parts = 1;
  /// Where the device has several L2 caches: clusters that share one have neighbours in the order.
  /// Of a product without batch and parts.
  bool by_cache = true;
};

/// A launch of one kernel of the family, made once and launched as often as wanted.
template <class Target, class C>
class Plan {
 public:
  Plan(Target const& target, Operands<typename C::In> const& operands,
       Epilogue<typename C::Out> const& epilogue, Cut const& cut)
      : clusters_(clusters(target, operands, cut)),
        order_(order(target, operands, cut)),
        sums_(target, cut.parts == 1 ? 0 : team_tiles(operands, cut) * cut.parts * partials),
        kernel_(kernel(target, operands, epilogue, cut)),
        policy_(target, league(cut), C::threads, cut.cluster) {
    policy_.begin_early();
    if (cut.parts == 1) return;
    bool const leaves_room =
        2LL * clusters_ * cut.parts <= resident_clusters(target, operands, cut.cluster);
    sum_up_.emplace(kernel_.arguments(), cut.cluster, leaves_room);
    sum_policy_.emplace(target, static_cast<int>(team_tiles(operands, cut)) * Parts::teams_a_tile,
                        Parts::team_size);
    sum_policy_->begin_early();
  }

  int launches() const { return sum_up_ ? 2 : 1; }
  void launch(int which) const {
    if (which == 0) {
      parallel_for("gemm", policy_, kernel_);
    } else {
      parallel_for("gemm_sum", *sum_policy_, *sum_up_);
    }
  }

  /// Clusters of that shape that are resident at once; 0 where the device has none.
  static int resident_clusters(Target const& target, Operands<typename C::In> const& with,
                               ClusterShape shape) {
    Kernel<Target, C> const kernel(arguments(target, with, {}, Cut{}));
    PolicyOf<Target, C> const asking(target, league_of(1, shape), C::threads, shape);
    return asking.max_active_clusters(kernel);
  }

  /// Bytes that a launch brings from device memory to scratch: every stage of every tile, once a
  /// team, or once for the teams that share it. Teams that hang over the result fetch as others do.
  static long long fetched_bytes(Operands<typename C::In> const& with, Cut const& cut) {
    ClusterShape const& shape = cut.cluster;
    long long const clusters = static_cast<long long>(up(with.m, C::rows * shape.x)) *
                               up(with.n, C::columns * shape.y) * with.batch;
    long long const rows = static_cast<long long>(C::rows) * shape.x;
    long long const columns = static_cast<long long>(C::columns) * shape.y;
    return clusters * (rows + columns) * 128 * up(with.k, C::depth);
  }

 private:
  using In = typename C::In;
  using Out = typename C::Out;
  using Parts = PartsKernel<Target, C>;

  static constexpr std::size_t partials = C::rows * C::columns / 4;  ///< of a team's tile

  static int up(long long extent, int tile) { return static_cast<int>((extent + tile - 1) / tile); }
  static Buffer<TilePlace, Target> order(Target const& target, Operands<In> const& operands,
                                         Cut const& cut) {
    std::vector<TilePlace> all = tiles_in_order(cut.order, up(operands.m, C::rows * cut.cluster.x),
                                                up(operands.n, C::columns * cut.cluster.y));
    // Over a batch or parts of K, a cluster's tiles are not those of the same residue.
    if (cut.by_cache && operands.batch == 1 && cut.parts == 1)
      all = tiles_by_cache(all, clusters(target, operands, cut), properties(target).l2_caches,
                           cut.cluster.count() > 1);
    Buffer<TilePlace, Target> buffer(target, all.size());
    deep_copy(buffer, all);
    return buffer;
  }

  template <MatrixMajor Major>
  static TileMap<In const, 3, Target> operand_map(Target const& target, In const* data,
                                                  long long extent, long long k, long long batch,
                                                  long long stride, long long batch_stride,
                                                  int tile, int split) {
    TileSpec<3> spec;
    spec.swizzle = Swizzle::bytes128;
    spec.split = split;
    spec.strides = {1, batch_stride, stride};
    if constexpr (Major == MatrixMajor::k) {
      spec.extents = {k, batch, extent};
      spec.box = {C::depth, 1, tile};
    } else {
      spec.extents = {extent, batch, k};
      spec.box = {64, 1, C::depth};
    }
    return {target, data, spec};
  }

  /// Tiles of clusters, over the batch.
  static long long work(Operands<In> const& with, Cut const& cut) {
    return static_cast<long long>(up(with.m, C::rows * cut.cluster.x)) *
           up(with.n, C::columns * cut.cluster.y) * with.batch;
  }
  static std::size_t team_tiles(Operands<In> const& with, Cut const& cut) {
    return static_cast<std::size_t>(work(with, cut) * cut.cluster.x * cut.cluster.y);
  }

  /// Clusters along x that share the tiles. Along z are the parts of K.
  static int clusters(Target const& target, Operands<In> const& with, Cut const& cut) {
    // A split's teams wait for each other once: each cluster has one tile.
    if (cut.cluster.z > 1) return static_cast<int>(work(with, cut));
    int const resident = resident_clusters(target, with, cut.cluster) / cut.parts;
    return persistent_clusters(work(with, cut), 1, std::max(resident, 1));
  }
  League league(Cut const& cut) const {
    League league = league_of(clusters_, cut.cluster);
    league.z *= cut.parts;
    return league;
  }

  /// Without a place for tiles and sums: what a question needs.
  static Arguments<Target, C> arguments(Target const& target, Operands<In> const& with,
                                        Epilogue<Out> const& epilogue, Cut const& cut) {
    TileSpec<3> result;
    result.extents = {with.n, with.batch, with.m};
    result.strides = {1, with.d_batch_stride, with.d_stride};
    result.box = {C::chunk, 1, 64};
    result.swizzle = Swizzle::bytes128;
    int const steps = up(with.k, C::depth);
    int const pieces = cut.cluster.z * cut.parts;
    return {operand_map<C::a_major>(target, with.a, with.m, with.k, with.batch, with.a_stride,
                                    with.a_batch_stride, C::rows, cut.cluster.y),
            operand_map<C::b_major>(target, with.b, with.n, with.k, with.batch, with.b_stride,
                                    with.b_batch_stride, C::columns, cut.cluster.x),
            TileMap<Out, 3, Target>(target, with.d, result),
            nullptr,
            static_cast<int>(work(with, cut) / with.batch),
            static_cast<int>(with.batch),
            1,
            {pieces, steps / pieces, steps % pieces},
            cut.parts,
            nullptr,
            {with.d, with.m, with.n, with.d_stride, with.d_batch_stride, true, epilogue}};
  }
  Kernel<Target, C> kernel(Target const& target, Operands<In> const& with,
                           Epilogue<Out> const& epilogue, Cut const& cut) const {
    Arguments<Target, C> all = arguments(target, with, epilogue, cut);
    all.order = order_.data();
    all.clusters = clusters_;
    all.sums = sums_.data();
    return Kernel<Target, C>(all);
  }

  int clusters_;
  Buffer<TilePlace, Target> order_;
  Buffer<Partial, Target> sums_;
  Kernel<Target, C> kernel_;
  PolicyOf<Target, C> policy_;
  std::optional<Parts> sum_up_;
  std::optional<typename Parts::Policy> sum_policy_;
};

}  // namespace kohort::kernels::gemm
