// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/kernel.hpp>
#include <kohort/backend/hip/target.hpp>
#include <kohort/launch_error.hpp>

#include <hip/hip_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace kohort::Impl {

/// The stubs of a policy, body and functor, as the host names them.
struct HipKernels {
  void const* team = nullptr;
  void const* emulated = nullptr;  ///< none if the fixed shape is one
  bool has_fixed_shape = false;
  ClusterShape fixed_shape;
};

template <class Policy, class Body, class Functor, class... Arguments>
HipKernels hip_kernels() {
  using traits = typename Policy::traits;
  HipKernels kernels;
  kernels.has_fixed_shape = traits::has_static_shape;
  kernels.fixed_shape = traits::static_shape;
  kernels.team =
      reinterpret_cast<void const*>(&hip_team_kernel<Policy, Body, Functor, Arguments...>);
  if constexpr (!traits::has_static_shape || traits::static_shape.count() > 1)
    kernels.emulated =
        reinterpret_cast<void const*>(&hip_emulated_kernel<Policy, Body, Functor, Arguments...>);
  return kernels;
}

/// A launch with nothing left to AUTO.
struct HipResolved {
  LaunchRequest request;  ///< its scratch_bytes are those of the team's own LDS
  bool emulated = false;
  std::size_t first_offset = 0;
  std::size_t block_bytes = 0;
};

/// Workgroups that a compute unit holds.
inline int hip_teams_per_unit(void const* kernel, LaunchRequest const& request) {
  int teams = 0;
  if (hipOccupancyMaxActiveBlocksPerMultiprocessor(
          &teams, kernel, request.team_threads, static_cast<std::size_t>(request.scratch_bytes)) !=
      hipSuccess) {
    (void)hipGetLastError();
    return 0;
  }
  return teams;
}

inline std::vector<int> hip_domain_teams(HipState const& state, HipKernels const& kernels,
                                         LaunchRequest const& request) {
  std::vector<int> teams = state.facts.properties.domains;
  int const per_unit = hip_teams_per_unit(kernels.emulated, request);
  for (int& one : teams) one *= per_unit;
  return teams;
}

/// Clusters of `size` teams resident at once.
inline int hip_active_clusters(HipState const& state, HipKernels const& kernels,
                               LaunchRequest const& request, int size) {
  if (request.scratch_bytes > state.facts.properties.max_team_scratch_bytes) return 0;
  if (size == 1) return hip_teams_per_unit(kernels.team, request) * state.facts.properties.sm_count;
  if (size < 1 || size > largest_emulated_cluster || kernels.emulated == nullptr) return 0;
  return resident_emulated_clusters(hip_domain_teams(state, kernels, request), size);
}

/// HIP has no clusters of its own yet: ClusterMode::native is refused, and automatic means
/// emulated.
template <class Policy>
HipResolved hip_resolved(Policy const& policy, HipState const& state, HipKernels const& kernels) {
  using Split = SplitScratch<typename Policy::traits>;
  HipResolved launch;
  LaunchRequest& request = launch.request = policy.request();
  if (request.team_threads == 0)
    request.team_threads =
        std::min(request.launch_bounds_threads > 0 ? request.launch_bounds_threads : 256,
                 state.facts.properties.max_team_size);
  if (request.cluster_is_automatic) {
    int most = request.mode == ClusterMode::emulated ? largest_portable_emulated_cluster : 1;
    LaunchRequest own = request;
    own.scratch_bytes = static_cast<long long>(Split::team_bytes(request.dynamic_team_count));
    while (most > 1 &&
           (request.league.x % most != 0 || hip_active_clusters(state, kernels, own, most) == 0))
      most /= 2;
    request.cluster = ClusterShape(most);
  }
  launch.emulated = request.cluster.count() > 1 && request.mode != ClusterMode::native;
  if (launch.emulated) {
    request.scratch_bytes = static_cast<long long>(Split::team_bytes(request.dynamic_team_count));
    launch.first_offset = Split::first_offset;
    launch.block_bytes = Split::block_bytes(request.dynamic_cluster_count);
  }
  return launch;
}

inline Support explain_hip(HipState const& state, HipKernels const& kernels,
                           HipResolved const& launch) {
  ResidencyQueries queries;
  queries.max_team_threads = state.facts.properties.max_team_size;
  queries.max_active_clusters = [&](int size) {
    return hip_active_clusters(state, kernels, launch.request, size);
  };
  if (launch.emulated && launch.block_bytes > most_emulated_block_bytes) {
    queries.why_not_emulated = "an emulated cluster's team has " +
                               std::to_string(most_emulated_block_bytes) +
                               " B of cluster scratch at most";
    queries.would_be_emulated = "less cluster scratch";
  }
  return explain(launch.request,
                 launch.emulated ? state.emulated_properties : state.facts.properties, queries);
}

template <>
struct Residency<Hip> {
  template <class Policy, class Functor>
  static int max_active_clusters(Policy const& policy, Functor const&) {
    HipState const& state = state_of(policy.target());
    HipDeviceGuard const guard(state.device);
    auto const kernels = hip_kernels<Policy, HipForEachThread, Functor>();
    HipResolved const launch = hip_resolved(policy, state, kernels);
    long long const size = launch.request.cluster.count();
    if (size > largest_portable_emulated_cluster && !launch.request.nonportable_size_allowed)
      return 0;
    return hip_active_clusters(state, kernels, launch.request, static_cast<int>(size));
  }

  template <class Policy, class Functor>
  static int max_cluster_size(Policy const& policy, Functor const&) {
    HipState const& state = state_of(policy.target());
    HipDeviceGuard const guard(state.device);
    auto const kernels = hip_kernels<Policy, HipForEachThread, Functor>();
    HipResolved const launch = hip_resolved(policy, state, kernels);
    int size = launch.request.nonportable_size_allowed
                   ? state.emulated_properties.largest_nonportable_cluster
                   : state.emulated_properties.largest_portable_cluster;
    while (size > 0 && hip_active_clusters(state, kernels, launch.request, size) == 0) --size;
    return size;
  }

  template <class Policy, class Functor>
  static Support validate(Policy const& policy, Functor const&) {
    HipState const& state = state_of(policy.target());
    HipDeviceGuard const guard(state.device);
    auto const kernels = hip_kernels<Policy, HipForEachThread, Functor>();
    return explain_hip(state, kernels, hip_resolved(policy, state, kernels));
  }
};

}  // namespace kohort::Impl
