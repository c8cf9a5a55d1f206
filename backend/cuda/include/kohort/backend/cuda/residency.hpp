// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/kernel_family.hpp>
#include <kohort/backend/cuda/occupancy.hpp>
#include <kohort/backend/cuda/refusal.hpp>
#include <kohort/backend/cuda/resolve.hpp>
#include <kohort/cluster_policy.hpp>

#include <algorithm>

namespace kohort::Impl {

/// The parallel_for kernels of a policy and functor.
template <class Policy, class Functor>
KernelFamily for_each_family() {
  if constexpr (has_dynamic_scratch<Policy>) {
    return kernel_family<Policy, ForEachThread, Functor, DynamicCounts>();
  } else {
    return kernel_family<Policy, ForEachThread, Functor>();
  }
}

inline TeamResources team_resources(CudaState const& state, KernelFamily const& family,
                                    LaunchRequest const& request, ResolvedLaunch& resolved) {
  resolved = resolve(state, family, request);
  return {state.device, resolved.threads, request.scratch_bytes, resolved.one_dimensional};
}

/// As the driver answers for the kernel's registers, threads and scratch.
template <>
struct Residency<Cuda> {
  template <class Policy, class Functor>
  static int max_cluster_size(Policy const& policy, Functor const&) {
    return largest_cluster(state_of(policy.target()), for_each_family<Policy, Functor>(),
                           policy.request());
  }

  template <class Policy, class Functor>
  static int max_active_clusters(Policy const& policy, Functor const&) {
    CudaState const& state = state_of(policy.target());
    KernelFamily const family = for_each_family<Policy, Functor>();
    DeviceGuard const guard(state.device);
    ResolvedLaunch resolved;
    TeamResources const team = team_resources(state, family, policy.request(), resolved);
    long long const size = resolved.cluster.count();
    if (size > largest_portable_cluster && !policy.request().nonportable_size_allowed) return 0;
    return active_clusters(family, team, static_cast<int>(size));
  }

  template <class Policy, class Functor>
  static Support validate(Policy const& policy, Functor const&) {
    CudaState const& state = state_of(policy.target());
    KernelFamily const family = for_each_family<Policy, Functor>();
    DeviceGuard const guard(state.device);
    return explain_launch(state, family, policy.request(),
                          resolve(state, family, policy.request()));
  }

 private:
  /// Every size up to the limit is tried: the driver's own answer knows powers of two alone.
  static int largest_cluster(CudaState const& state, KernelFamily const& family,
                             LaunchRequest const& request) {
    DeviceGuard const guard(state.device);
    ResolvedLaunch resolved;
    TeamResources const team = team_resources(state, family, request, resolved);
    DeviceProperties const& properties = state.facts.properties;
    int size = request.nonportable_size_allowed ? properties.largest_nonportable_cluster
                                                : properties.largest_portable_cluster;
    if (family.has_fixed_shape) {
      int const fixed = static_cast<int>(family.fixed_shape.count());
      return fixed <= size && active_clusters(family, team, fixed) > 0 ? fixed : 0;
    }
    while (size > 0 && active_clusters(family, team, size) == 0) --size;
    return size;
  }
};

}  // namespace kohort::Impl
