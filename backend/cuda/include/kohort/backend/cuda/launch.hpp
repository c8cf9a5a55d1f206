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

/// Launches the stub that fits, or throws. After a kernel's first launch: no allocation, no
/// question to the device.
inline void launch_kernel(std::string_view label, CudaState& state, KernelFamily const& family,
                          LaunchRequest const& request, void** arguments) {
  DeviceGuard const guard(state.device);
  ResolvedLaunch const resolved = resolve(state, family, request);
  if (!keeps_the_rules(state.facts.properties, request, resolved))
    refuse_launch(label, state, family, request, resolved, cudaErrorInvalidConfiguration);

  Kernel const& kernel = family.choose(resolved.clustered, resolved.one_dimensional);
  LabelText const text(label);
  ProfilerRange const range(text);
  bool const nonportable = resolved.clustered && request.nonportable_size_allowed;
  cudaError_t error = prepare(kernel, state.device, request.scratch_bytes, nonportable);
  if (error == cudaSuccess) error = submit(state, kernel, request, resolved, arguments);
  if (error != cudaSuccess) refuse_launch(label, state, family, request, resolved, error);
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
  auto const address = [](auto const& object) {
    return const_cast<void*>(static_cast<void const*>(&object));
  };
  if constexpr (has_dynamic_scratch<Policy>) {
    DynamicCounts const counts{request.dynamic_team_count, request.dynamic_cluster_count};
    void* all[] = {address(functor), address(arguments)..., address(counts)};
    launch_kernel(label, state, kernel_family<Policy, Body, Functor, Arguments..., DynamicCounts>(),
                  request, all);
  } else {
    void* all[] = {address(functor), address(arguments)...};
    launch_kernel(label, state, kernel_family<Policy, Body, Functor, Arguments...>(), request, all);
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
