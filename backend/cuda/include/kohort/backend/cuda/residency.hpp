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

/// A policy's launch, resolved, and the resources of a team of it.
struct AskedLaunch {
  CudaState const& state;
  KernelFamily family;
  LaunchRequest const& request;
  EmulatedNeeds needs;
  ResolvedLaunch resolved;
  TeamResources team;

  /// Clusters of `size` resident at once, in the mode that the policy asks for.
  int active(int size) const {
    return resolved_emulates() && size > 1 ? active_emulated_clusters(state, family, team, size)
                                           : active_clusters(family, team, size);
  }
  bool resolved_emulates() const {
    return resolved_mode(request.mode, state.cluster_mode) == ClusterMode::emulated;
  }
};

template <class Policy, class Functor>
AskedLaunch asked_launch(Policy const& policy, Functor const&) {
  CudaState const& state = state_of(policy.target());
  LaunchRequest const& request = policy.request();
  AskedLaunch asked{
      state, for_each_family<Policy, Functor>(), request, emulated_needs<Policy>(request), {}, {}};
  asked.resolved = resolve(state, asked.family, request, asked.needs);
  asked.team = {state.device, asked.resolved.threads,
                asked.resolved_emulates() ? asked.needs.team_bytes : request.scratch_bytes,
                asked.resolved.one_dimensional};
  return asked;
}

/// As the driver answers for the kernel's registers, threads and scratch.
template <>
struct Residency<Cuda> {
  template <class Policy, class Functor>
  static int max_cluster_size(Policy const& policy, Functor const& functor) {
    DeviceGuard const guard(state_of(policy.target()).device);
    return largest_cluster(asked_launch(policy, functor));
  }

  template <class Policy, class Functor>
  static int max_active_clusters(Policy const& policy, Functor const& functor) {
    DeviceGuard const guard(state_of(policy.target()).device);
    AskedLaunch const asked = asked_launch(policy, functor);
    long long const size = asked.resolved.cluster.count();
    if (size > largest_portable_cluster && !policy.request().nonportable_size_allowed) return 0;
    return asked.active(static_cast<int>(size));
  }

  template <class Policy, class Functor>
  static Support validate(Policy const& policy, Functor const& functor) {
    DeviceGuard const guard(state_of(policy.target()).device);
    AskedLaunch const asked = asked_launch(policy, functor);
    return explain_launch(asked.state, asked.family, asked.request, asked.resolved, asked.needs);
  }

 private:
  /// Every size up to the limit is tried: the driver's own answer knows powers of two alone.
  static int largest_cluster(AskedLaunch const& asked) {
    DeviceProperties const& properties = asked.state.properties_in(
        asked.resolved_emulates() ? ClusterMode::emulated : ClusterMode::native);
    int size = asked.request.nonportable_size_allowed ? properties.largest_nonportable_cluster
                                                      : properties.largest_portable_cluster;
    if (asked.family.has_fixed_shape) {
      int const fixed = static_cast<int>(asked.family.fixed_shape.count());
      return fixed <= size && asked.active(fixed) > 0 ? fixed : 0;
    }
    while (size > 0 && asked.active(size) == 0) --size;
    return size;
  }
};

}  // namespace kohort::Impl
