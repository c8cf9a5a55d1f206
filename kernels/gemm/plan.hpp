// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/persistent_league.hpp>
#include <kernels/gemm/kernel.hpp>

#include <algorithm>
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

/// How a problem is cut up: the cluster's teams along rows, columns and K, and the tiles' order.
struct Cut {
  ClusterShape cluster{1, 1, 1};
  TileOrder order = TileOrder::blocks;
};

/// A launch of one kernel of the family, made once and launched as often as wanted.
template <class Target, class C>
class Plan {
 public:
  Plan(Target const& target, Operands<typename C::In> const& operands,
       Epilogue<typename C::Out> const& epilogue, Cut const& cut)
      : order_(order(target, operands, cut)),
        kernel_(arguments(target, operands, epilogue, cut, order_)),
        policy_(policy(target, static_cast<long long>(order_.size()) * operands.batch, cut.cluster,
                       kernel_)) {}

  void launch() const { parallel_for("gemm", policy_, kernel_); }

  /// Clusters of that shape that are resident at once; 0 where the device has none.
  static int resident_clusters(Target const& target, Operands<typename C::In> const& with,
                               ClusterShape shape) {
    Buffer<TilePlace, Target> const no_tiles(target, 0);
    Kernel<Target, C> const kernel(arguments(target, with, {}, Cut{}, no_tiles));
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

  static int up(long long extent, int tile) { return static_cast<int>((extent + tile - 1) / tile); }
  static Buffer<TilePlace, Target> order(Target const& target, Operands<In> const& operands,
                                         Cut const& cut) {
    std::vector<TilePlace> const all =
        tiles_in_order(cut.order, up(operands.m, C::rows * cut.cluster.x),
                       up(operands.n, C::columns * cut.cluster.y));
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

  static Arguments<Target, C> arguments(Target const& target, Operands<In> const& with,
                                        Epilogue<Out> const& epilogue, Cut const& cut,
                                        Buffer<TilePlace, Target> const& order) {
    TileSpec<3> result;
    result.extents = {with.n, with.batch, with.m};
    result.strides = {1, with.d_batch_stride, with.d_stride};
    result.box = {C::chunk, 1, 64};
    result.swizzle = Swizzle::bytes128;
    return {operand_map<C::a_major>(target, with.a, with.m, with.k, with.batch, with.a_stride,
                                    with.a_batch_stride, C::rows, cut.cluster.y),
            operand_map<C::b_major>(target, with.b, with.n, with.k, with.batch, with.b_stride,
                                    with.b_batch_stride, C::columns, cut.cluster.x),
            TileMap<Out, 3, Target>(target, with.d, result),
            order.data(),
            static_cast<int>(order.size()),
            static_cast<int>(with.batch),
            up(with.k, C::depth),
            {with.d, with.m, with.n, with.d_stride, with.d_batch_stride, true, epilogue}};
  }

  /// @param work  tiles of clusters, over the batch
  static PolicyOf<Target, C> policy(Target const& target, long long work, ClusterShape cluster,
                                    Kernel<Target, C> const& kernel) {
    PolicyOf<Target, C> const asking(target, league_of(1, cluster), C::threads, cluster);
    int const resident = asking.max_active_clusters(kernel);
    // A split's teams wait for each other once: each cluster has one tile.
    int const clusters = cluster.z > 1 ? static_cast<int>(work)
                                       : persistent_clusters(work, 1, std::max(resident, 1));
    PolicyOf<Target, C> policy(target, league_of(clusters, cluster), C::threads, cluster);
    policy.begin_early();
    return policy;
  }

  Buffer<TilePlace, Target> order_;
  Kernel<Target, C> kernel_;
  PolicyOf<Target, C> policy_;
};

}  // namespace kohort::kernels::gemm
