// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/cluster_attribute.hpp>
#include <kohort/backend/cuda/prepare.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace kohort::Impl {

/// A launch's resources a team, and the device that is asked.
struct TeamResources {
  int device = 0;
  int threads = 0;
  long long scratch_bytes = 0;
  bool one_dimensional = true;
};

/// Teams of `kernel` that fit on one SM; 0 when none does or the driver refuses the question.
inline int teams_per_sm(Kernel const& kernel, TeamResources const& team) {
  int count = 0;
  if (prepare(kernel, team.device, team.scratch_bytes, false) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel.function, team.threads,
                                                    static_cast<std::size_t>(team.scratch_bytes)) !=
          cudaSuccess) {
    count = 0;
  }
  cudaGetLastError();
  return count;
}

/// The driver's answer; 0 where it refuses the question.
inline int ask_active_clusters(void const* function, ClusterShape const& shape, int threads,
                               long long scratch_bytes) {
  cudaLaunchAttribute attribute = cluster_attribute(shape);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(shape.x, shape.y, shape.z);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(scratch_bytes);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int count = 0;
  if (cudaOccupancyMaxActiveClusters(&count, function, &config) != cudaSuccess) count = 0;
  cudaGetLastError();
  return count;
}

/// A kernel of a fixed shape answers for that shape alone. For another one this asks an empty
/// kernel, with as much scratch that as many teams fit on an SM: the answer depends on nothing
/// else (docs: the rule for the resident limit).
inline int active_clusters_of_stand_in(Kernel const& fixed, TeamResources const& team, int size) {
  int const teams = teams_per_sm(fixed, team);
  if (teams == 0) return 0;
  void const* const stand_in = reinterpret_cast<void const*>(&occupancy_probe_kernel<>);
  DeviceProperties const& properties = device_facts(team.device).properties;
  // Each team costs 1 KB that the system reserves (CUDA C++ Programming Guide, compute
  // capability 9.0).
  long long const share = properties.scratch_bytes_per_sm / teams - 1024;
  int const most = static_cast<int>(properties.max_team_scratch_bytes);
  long long const scratch = std::min<long long>(share, most) / 128 * 128;
  cudaFuncSetAttribute(stand_in, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  cudaFuncSetAttribute(stand_in, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  return ask_active_clusters(stand_in, ClusterShape(size), 32, scratch);
}

/// Clusters of `size` teams resident at once.
inline int active_clusters(KernelFamily const& family, TeamResources const& team, int size) {
  DeviceProperties const& properties = device_facts(team.device).properties;
  if (size < 1 || size > properties.largest_nonportable_cluster) return 0;
  Kernel const& kernel = family.choose(!family.has_team_kernel(), team.one_dimensional);
  if (size == 1) return teams_per_sm(kernel, team) * properties.sm_count;
  if (!family.has_cluster_kernel()) return active_clusters_of_stand_in(kernel, team, size);
  bool const is_fixed = family.has_fixed_shape;
  Kernel const& clustered = family.choose(true, team.one_dimensional);
  if (is_fixed && size != family.fixed_shape.count())
    return active_clusters_of_stand_in(clustered, team, size);
  if (prepare(clustered, team.device, team.scratch_bytes, size > largest_portable_cluster) !=
      cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return ask_active_clusters(clustered.function, is_fixed ? family.fixed_shape : ClusterShape(size),
                             team.threads, team.scratch_bytes);
}

}  // namespace kohort::Impl
