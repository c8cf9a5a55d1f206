// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/cluster_attribute.hpp>
#include <kohort/backend/cuda/kernel_family.hpp>
#include <kohort/backend/cuda/memory.hpp>
#include <kohort/backend/cuda/occupancy.hpp>
#include <kohort/backend/cuda/target.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace kohort {
namespace Impl {

/// Writes down the SM of every team, and stays long enough that the league spreads over the chip.
template <class = void>
__global__ void smid_probe_kernel(int* sm_of_team) {
  if (threadIdx.x != 0) return;
  sm_of_team[blockIdx.x] = BlockRegisters::multiprocessor();
  KOHORT_CUDA_DEVICE_BODY(long long const start = clock64(); while (clock64() - start < 20000){})
}

/// Sets of SMs that were seen to share a cluster.
class SmSets {
 public:
  explicit SmSets(int sms) : parent_(sms) { std::iota(parent_.begin(), parent_.end(), 0); }

  int find(int sm) {
    while (parent_[sm] != sm) sm = parent_[sm] = parent_[parent_[sm]];
    return sm;
  }
  void join(int one, int other) { parent_[find(one)] = find(other); }

  /// Largest first.
  std::vector<int> sizes() {
    std::vector<int> count(parent_.size(), 0);
    for (int sm = 0; sm < static_cast<int>(parent_.size()); ++sm) ++count[find(sm)];
    std::erase(count, 0);
    std::sort(count.begin(), count.end(), std::greater<>());
    return count;
  }

 private:
  std::vector<int> parent_;
};

/// Runs clusters of `size`, one team an SM, and joins the SMs of each.
inline void probe_clusters(Cuda const& target, int size, int* device_memory, int capacity,
                           SmSets& sets) {
  CudaState& state = state_of(target);
  DeviceProperties const& properties = state.facts.properties;
  void const* const kernel = reinterpret_cast<void const*>(&smid_probe_kernel<>);
  int const scratch = static_cast<int>(properties.max_team_scratch_bytes);
  int const resident = ask_active_clusters(kernel, ClusterShape(size), 32, scratch);
  int const teams = std::min(4 * resident, capacity / size) * size;
  if (teams == 0) return;

  cudaLaunchAttribute attribute = cluster_attribute(ClusterShape(size));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(teams);
  config.blockDim = dim3(32);
  config.dynamicSmemBytes = scratch;
  config.stream = state.stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  void* arguments[] = {&device_memory};
  cudaError_t const error = cudaLaunchKernelExC(&config, kernel, arguments);
  if (error != cudaSuccess) throw_device_error("probing the SM groups", state, error);

  std::vector<int> sm_of_team(teams);
  Memory<Cuda>::copy(target, sm_of_team.data(), device_memory, teams * sizeof(int),
                     CopyDirection::to_host);
  for (int team = 0; team < teams; ++team)
    sets.join(sm_of_team[team], sm_of_team[team / size * size]);
}

}  // namespace Impl

/// Measures which SMs can host one cluster together, by launching clusters of every size and
/// reading where their teams ran. Takes about a millisecond, and needs the GPU to itself.
/// @return SMs of each group, largest first; empty on a device without clusters.
inline std::vector<int> probe_domains(Cuda const& target) {
  Impl::CudaState const& state = Impl::state_of(target);
  DeviceProperties const& properties = state.facts.properties;
  if (properties.largest_nonportable_cluster <= 1) return {};
  Impl::DeviceGuard const guard(state.device);
  void const* const kernel = reinterpret_cast<void const*>(&Impl::smid_probe_kernel<>);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(properties.max_team_scratch_bytes));
  cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);

  int const capacity = 8 * properties.sm_count;
  Buffer<int, Cuda> const memory(target, static_cast<std::size_t>(capacity));
  Impl::SmSets sets(properties.sm_count);
  for (int size = 2; size <= properties.largest_nonportable_cluster; ++size) {
    Impl::probe_clusters(target, size, memory.data(), capacity, sets);
  }
  return sets.sizes();
}

}  // namespace kohort
