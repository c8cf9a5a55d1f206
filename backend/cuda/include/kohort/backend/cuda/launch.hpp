// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/cluster_attribute.hpp>
#include <kohort/backend/cuda/kernel_family.hpp>
#include <kohort/backend/cuda/nvtx.hpp>
#include <kohort/backend/cuda/prepare.hpp>
#include <kohort/backend/cuda/refusal.hpp>
#include <kohort/backend/cuda/resolve.hpp>
#include <kohort/backend/cuda/target.hpp>
#include <kohort/parallel_for.hpp>

#include <cuda_runtime.h>

#include <string_view>

namespace kohort::Impl {

/// The call to the driver. A cluster of one has no attribute: with one, the device schedules empty
/// teams 3.9 times as slowly (H200, measured).
inline cudaError_t submit(CudaState const& state, Kernel const& kernel,
                          LaunchRequest const& request, ResolvedLaunch const& resolved,
                          void** arguments) {
  cudaLaunchAttribute attributes[3];
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(request.league.x, request.league.y, request.league.z);
  config.blockDim = dim3(resolved.threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(request.scratch_bytes);
  config.stream = state.stream;
  if (resolved.clustered && !request.has_static_cluster) {
    attributes[config.numAttrs++] = cluster_attribute(resolved.cluster);
  }
  if (resolved.prefers) {
    attributes[config.numAttrs++] = preferred_cluster_attribute(request.preferred_cluster);
  }
  // As clusters do, it begins with compute capability 9.0; before that the stream's order is all.
  if (request.begins_early && state.facts.properties.has_dsmem)
    attributes[config.numAttrs++] = early_attribute();
  if (config.numAttrs > 0) config.attrs = attributes;
  return cudaLaunchKernelExC(&config, kernel.function, arguments);
}

/// An emulated launch: as many teams as are resident together. Its last argument tells them of it.
/// The driver sees to it that all of them are, whatever else runs: they wait for each other.
inline cudaError_t submit_emulated(CudaState& state, KernelFamily const& family,
                                   LaunchRequest const& request, ResolvedLaunch const& resolved,
                                   EmulatedNeeds const& needs, void** arguments, int count) {
  TeamResources const team{state.device, resolved.threads, needs.team_bytes, true};
  std::vector<int> const domain_teams =
      emulated_domain_teams(state, emulated_teams_per_sm(family, team));
  int const size = static_cast<int>(resolved.cluster.count());
  if (resident_emulated_clusters(domain_teams, size) == 0)
    return cudaErrorCooperativeLaunchTooLarge;
  EmulatedLaunch launch =
      plan_emulated(request, resolved.cluster, domain_teams, static_cast<int>(domain_teams.size()),
                    needs.first_offset, needs.block_bytes);
  int const clusters = launch.workers / size;
  launch.arena = state.emulated.arena(needs.block_bytes * clusters * size);
  launch.control = state.emulated.control(control_bytes(launch.keys, clusters));
  launch.domain_of_place = state.emulated.domain_of_sm();
  if (launch.keys > 1) launch.seats = state.emulated.seats(launch.workers);
  arguments[count] = &launch;

  cudaLaunchAttribute attribute = cooperative_attribute();
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(launch.workers);
  config.blockDim = dim3(resolved.threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(needs.team_bytes);
  config.stream = state.stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, family.emulated.function, arguments);
}

/// Launches the stub that fits, or throws. After a kernel's first launch: no allocation, no
/// question to the device.
/// @param arguments  `count` of them, and room for one more
inline void launch_kernel(std::string_view label, CudaState& state, KernelFamily const& family,
                          LaunchRequest const& request, EmulatedNeeds const& needs,
                          void** arguments, int count) {
  DeviceGuard const guard(state.device);
  ResolvedLaunch const resolved = resolve(state, family, request, needs);
  DeviceProperties const& properties =
      state.properties_in(resolved.emulated ? ClusterMode::emulated : ClusterMode::native);
  if (!keeps_the_rules(properties, family, request, resolved, needs))
    refuse_launch(label, state, family, request, resolved, needs, cudaErrorInvalidConfiguration);

  Kernel const& kernel = resolved.emulated
                             ? family.emulated
                             : family.choose(resolved.clustered, resolved.one_dimensional);
  LabelText const text(label);
  ProfilerRange const range(text);
  bool const nonportable = resolved.clustered && request.nonportable_size_allowed;
  long long const scratch = resolved.emulated ? needs.team_bytes : request.scratch_bytes;
  cudaError_t error = prepare(kernel, state.device, scratch, nonportable);
  if (error == cudaSuccess)
    error = resolved.emulated
                ? submit_emulated(state, family, request, resolved, needs, arguments, count)
                : submit(state, kernel, request, resolved, arguments);
  if (error != cudaSuccess) refuse_launch(label, state, family, request, resolved, needs, error);
  state.log.record(text);
}

/// The functor and what stands beside it, as the array of addresses that the driver copies from.
template <class Policy, class Body, class Functor, class... Arguments>
void launch_with(std::string_view label, Policy const& policy, Functor const& functor,
                 Arguments const&... arguments) {
  static_assert((sizeof(Functor) + ... + sizeof(Arguments)) <= 32764,
                "a kernel's functor and the launcher's arguments are at most 32,764 B together");
  CudaState& state = state_of(policy.target());
  LaunchRequest const& request = policy.request();
  EmulatedNeeds const needs = emulated_needs<Policy>(request);
  auto const address = [](auto const& object) {
    return const_cast<void*>(static_cast<void const*>(&object));
  };
  constexpr int given = 1 + static_cast<int>(sizeof...(Arguments));
  if constexpr (has_dynamic_scratch<Policy>) {
    DynamicCounts const counts{request.dynamic_team_count, request.dynamic_cluster_count};
    void* all[] = {address(functor), address(arguments)..., address(counts), nullptr};
    launch_kernel(label, state, kernel_family<Policy, Body, Functor, Arguments..., DynamicCounts>(),
                  request, needs, all, given + 1);
  } else {
    void* all[] = {address(functor), address(arguments)..., nullptr};
    launch_kernel(label, state, kernel_family<Policy, Body, Functor, Arguments...>(), request,
                  needs, all, given);
  }
}

template <>
struct Launch<Cuda> {
  template <class Policy, class Functor>
  static void execute(std::string_view label, Policy const& policy, Functor const& functor) {
    launch_with<Policy, ForEachThread>(label, policy, functor);
  }
};

}  // namespace kohort::Impl
