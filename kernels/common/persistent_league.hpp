// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <algorithm>
#include <type_traits>

namespace kohort::kernels {

/// Targets whose every device has subgroups of 32 lanes or more, so that kernels for narrower ones
/// need not be compiled.
template <class Target>
inline constexpr bool targets_have_32_lanes = std::is_same_v<Target, Cuda>;

/// A league of `clusters` clusters side by side along x.
inline League league_of(int clusters, ClusterShape cluster) {
  return League(clusters * cluster.x, cluster.y, cluster.z);
}

/// Clusters of a persistent league: enough that each has `work_a_cluster` of `work`, at least one,
/// at most what is resident.
inline int persistent_clusters(long long work, long long work_a_cluster, int resident) {
  long long const useful = (work + work_a_cluster - 1) / work_a_cluster;
  return static_cast<int>(std::clamp<long long>(useful, 1, resident));
}

}  // namespace kohort::kernels
