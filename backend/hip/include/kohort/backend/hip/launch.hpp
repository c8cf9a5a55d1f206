// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/residency.hpp>
#include <kohort/parallel_for.hpp>

#include <hip/hip_runtime.h>

#include <string>
#include <string_view>

namespace kohort::Impl {

/// One workgroup a team, or as many as are resident together, which find their clusters by
/// themselves. The cooperative launch sees to it that they are, whatever else runs.
inline hipError_t submit_hip(HipState& state, HipKernels const& kernels,
                             HipResolved const& resolved, HipLaunch& launch, void** arguments) {
  LaunchRequest const& request = resolved.request;
  auto const scratch = static_cast<unsigned>(request.scratch_bytes);
  dim3 const threads(request.team_threads);
  if (!resolved.emulated)
    return hipLaunchKernel(kernels.team, dim3(request.league.x, request.league.y, request.league.z),
                           threads, arguments, scratch, state.stream);
  std::vector<int> const domain_teams = hip_domain_teams(state, kernels, request);
  int const size = static_cast<int>(request.cluster.count());
  launch.emulated = plan_emulated(request, request.cluster, domain_teams, HipRegisters::xcd_keys,
                                  resolved.first_offset, resolved.block_bytes);
  EmulatedLaunch& emulated = launch.emulated;
  int const clusters = emulated.workers / size;
  constexpr std::size_t alignment = 1024;
  auto const arena = reinterpret_cast<std::uintptr_t>(
      state.arena.at_least(resolved.block_bytes * clusters * size + alignment));
  emulated.arena = reinterpret_cast<std::byte*>((arena + alignment - 1) / alignment * alignment);
  emulated.control =
      static_cast<std::byte*>(state.control.at_least(control_bytes(emulated.keys, clusters)));
  emulated.seats = static_cast<Seat*>(
      state.seats.at_least(static_cast<std::size_t>(emulated.workers) * sizeof(Seat)));
  return hipLaunchCooperativeKernel(kernels.emulated, dim3(emulated.workers), threads, arguments,
                                    scratch, state.stream);
}

template <class Policy, class Body, class Functor, class... Arguments>
void launch_hip(std::string_view label, Policy const& policy, Functor const& functor,
                Arguments const&... arguments) {
  HipState& state = state_of(policy.target());
  HipDeviceGuard const guard(state.device);
  auto const kernels = hip_kernels<Policy, Body, Functor, Arguments...>();
  HipResolved const resolved = hip_resolved(policy, state, kernels);
  auto const refuse = [&](Support const& support) {
    throw LaunchError(std::string(label), device_text(state), describe(resolved.request), support);
  };
  if (Support const support = explain_hip(state, kernels, resolved); !support) refuse(support);
  HipLaunch launch;
  launch.counts = {resolved.request.dynamic_team_count, resolved.request.dynamic_cluster_count};
  auto const address = [](auto const& object) {
    return const_cast<void*>(static_cast<void const*>(&object));
  };
  void* all[] = {address(launch), address(functor), address(arguments)...};
  hipError_t const error = submit_hip(state, kernels, resolved, launch, all);
  if (error == hipSuccess) return;
  (void)hipGetLastError();
  std::string const answer = std::string("the driver answered ") + hipGetErrorName(error) + " (" +
                             hipGetErrorString(error) + ")";
  refuse({false, answer, answer, "no limit that Kohort knows is broken"});
}

template <>
struct Launch<Hip> {
  template <class Policy, class Functor>
  static void execute(std::string_view label, Policy const& policy, Functor const& functor) {
    launch_hip<Policy, HipForEachThread>(label, policy, functor);
  }
};

}  // namespace kohort::Impl
