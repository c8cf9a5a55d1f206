// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/occupancy.hpp>
#include <kohort/backend/cuda/resolve.hpp>
#include <kohort/backend/cuda/target.hpp>
#include <kohort/launch_error.hpp>

#include <cuda_runtime.h>

#include <string>
#include <string_view>

namespace kohort::Impl {

/// The rules that need no question to the device, as plain comparisons on every launch: the driver
/// takes some of what they forbid, and answers the rest with one code for all.
inline bool keeps_the_rules(DeviceProperties const& properties, KernelFamily const& family,
                            LaunchRequest const& request, ResolvedLaunch const& resolved,
                            EmulatedNeeds const& needs) {
  Extents const& league = request.league;
  ClusterShape const& cluster = resolved.cluster;
  // Kept on devices without preferred clusters too, where only `cluster` is launched: one source
  // is right or wrong everywhere. Their size is a matter of the device.
  ClusterShape const& largest = request.has_preferred_cluster ? request.preferred_cluster : cluster;
  if (league.x < 1 || league.y < 1 || league.z < 1) return false;
  if (cluster.x < 1 || cluster.y < 1 || cluster.z < 1) return false;
  if (largest.x < 1 || largest.y < 1 || largest.z < 1) return false;
  if (league.count() > 2147483647LL || league.y > 65535 || league.z > 65535) return false;
  if (request.has_static_cluster && !(request.static_cluster == cluster)) return false;
  if (!divides(cluster, league) || !divides(largest, league) || !divides(cluster, largest))
    return false;
  int const largest_allowed = request.nonportable_size_allowed
                                  ? properties.largest_nonportable_cluster
                                  : properties.largest_portable_cluster;
  if ((resolved.prefers ? largest : cluster).count() > largest_allowed) return false;
  if (resolved.threads < 1 || resolved.threads > properties.max_team_size) return false;
  if (request.launch_bounds_threads > 0 && resolved.threads > request.launch_bounds_threads)
    return false;
  if (resolved.emulated)
    return family.has_emulated_kernel() && needs.team_bytes <= properties.max_team_scratch_bytes &&
           needs.block_bytes <= most_emulated_block_bytes;
  return request.scratch_bytes <= properties.max_team_scratch_bytes;
}

/// Why this kernel can't have emulated clusters, for explain().
inline void explain_emulated(KernelFamily const& family, EmulatedNeeds const& needs,
                             ResidencyQueries& queries) {
  if (!family.has_emulated_kernel()) {
    queries.why_not_emulated =
        cuda_compiles_emulated
            ? "the functor leaves no room for the arguments of an emulated launch"
            : "this program's kernels were not compiled for emulated clusters";
    queries.would_be_emulated =
        cuda_compiles_emulated
            ? "a functor of " + std::to_string(32764 - sizeof(EmulatedLaunch)) + " B"
            : "KOHORT_EMULATED_CLUSTERS defined in all its units, a cluster of 1, or "
              "ClusterMode::native where the device has clusters";
  } else if (needs.block_bytes > most_emulated_block_bytes) {
    queries.why_not_emulated =
        "an emulated cluster's team has " +
        std::to_string(most_emulated_block_bytes - 2 * emulated_collective_bytes) +
        " B of cluster scratch at most";
    queries.would_be_emulated = "less cluster scratch";
  }
}

/// Why the device would not take this launch; ok if no limit is found.
inline Support explain_launch(CudaState const& state, KernelFamily const& family,
                              LaunchRequest const& asked, ResolvedLaunch const& resolved,
                              EmulatedNeeds const& needs) {
  LaunchRequest request = asked;
  request.cluster = resolved.cluster;
  request.team_threads = resolved.threads;
  if (resolved.emulated) request.scratch_bytes = needs.team_bytes;
  TeamResources const team{state.device, resolved.threads, request.scratch_bytes,
                           resolved.one_dimensional};
  bool const asks_emulated = resolved.emulated && family.has_emulated_kernel();
  Kernel const& kernel = asks_emulated
                             ? family.emulated
                             : family.choose(family.has_cluster_kernel(), resolved.one_dimensional);
  prepare(kernel, state.device, 0, false);
  cudaGetLastError();
  KernelOnDevice const& on = kernel.on(state.device);

  DeviceProperties properties =
      state.properties_in(resolved.emulated ? ClusterMode::emulated : ClusterMode::native);
  properties.max_team_scratch_bytes -= on.static_shared_bytes;
  ResidencyQueries queries;
  queries.max_active_clusters = [&](int size) {
    return asks_emulated && size > 1 ? active_emulated_clusters(state, family, team, size)
                                     : active_clusters(family, team, size);
  };
  if (resolved.emulated) explain_emulated(family, needs, queries);
  queries.max_team_threads = on.max_threads > 0 ? on.max_threads : properties.max_team_size;
  Support support = explain(request, properties, queries);
  if (support && resolved.prefers) {
    request.cluster = request.preferred_cluster;
    support = explain_cluster(request, properties, queries);
  }
  return support;
}

/// For what no rule explains: the driver's own words.
inline Support quote_driver(CudaState const& state, cudaError_t error) {
  Support support;
  support.ok = false;
  if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction) {
    std::string const capability = std::to_string(state.facts.compute_capability_major) +
                                   std::to_string(state.facts.compute_capability_minor);
    support.limit = "this program holds no code for the device's compute capability, " + capability;
    support.would_work =
        "a build whose KOHORT_CUDA_ARCHITECTURES names it, such as " + capability + "a";
  } else {
    support.limit = "the driver answered " + error_text(error);
    support.would_work =
        "no limit that Kohort knows is broken; a fence() before this launch tells "
        "whether an earlier kernel failed";
  }
  support.reason = support.limit;
  return support;
}

/// Throws what a failed launch, or one that breaks a rule, deserves.
[[noreturn]] inline void refuse_launch(std::string_view label, CudaState const& state,
                                       KernelFamily const& family, LaunchRequest const& request,
                                       ResolvedLaunch const& resolved, EmulatedNeeds const& needs,
                                       cudaError_t error) {
  cudaGetLastError();
  if (is_from_an_earlier_kernel(error)) {
    throw_device_error("launch of \"" + std::string(label) + "\", because of an earlier kernel,",
                       state, error);
  }
  OutsideCapture const outside;
  Support support = explain_launch(state, family, request, resolved, needs);
  if (support) support = quote_driver(state, error);
  throw LaunchError(std::string(label), device_text(state), describe(request), support);
}

}  // namespace kohort::Impl
