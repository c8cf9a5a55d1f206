// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device_code.hpp>
#include <kohort/backend/cuda/thread.hpp>
#include <kohort/backend/emulated/run.hpp>
#include <kohort/cluster_policy.hpp>

#include <cstddef>
#include <type_traits>

namespace kohort::Impl {

/// What a policy makes the stub do around the functor, with what arguments beside it.
struct ForEachThread {
  template <class Member, class Functor, class... Arguments>
  static KOHORT_FUNCTION void run(Member const& member, Functor const& functor,
                                  Arguments const&...) {
    member.run(functor);
  }
};

template <class Policy>
inline constexpr bool has_dynamic_scratch =
    Policy::layout::has_dynamic_team || Policy::layout::has_dynamic_cluster;

template <class Policy>
inline constexpr bool has_scratch =
    !std::is_same_v<typename Policy::traits::team_scratch, NoScratch> ||
    !std::is_same_v<typename Policy::traits::cluster_scratch, NoScratch> ||
    has_dynamic_scratch<Policy>;

/// The block's dynamic shared memory. Three declarations, because one name has one alignment in a
/// unit; larger steps than needed cost no memory unless static shared memory stands before.
template <std::size_t Alignment>
__device__ __forceinline__ std::byte* scratch_base() {
  static_assert(Alignment <= 1024, "scratch types are aligned to at most 1024 B");
  if constexpr (Alignment <= 16) {
    extern __shared__ __align__(16) std::byte kohort_scratch_16[];
    return kohort_scratch_16;
  } else if constexpr (Alignment <= 128) {
    extern __shared__ __align__(128) std::byte kohort_scratch_128[];
    return kohort_scratch_128;
  } else {
    extern __shared__ __align__(1024) std::byte kohort_scratch_1024[];
    return kohort_scratch_1024;
  }
}

/// The argument of type `Wanted` among a stub's arguments.
template <class Wanted, class First, class... Rest>
KOHORT_FUNCTION Wanted const& argument_of_type(First const& first, Rest const&... rest) {
  if constexpr (std::is_same_v<Wanted, First>) {
    return first;
  } else {
    return argument_of_type<Wanted>(rest...);
  }
}

template <class Policy, class Form, class Body, class Functor, class... Arguments>
__device__ __forceinline__ void run_kernel(Functor const& functor, Arguments const&... arguments) {
  std::byte* scratch = nullptr;
  DynamicCounts counts;
  if constexpr (has_scratch<Policy>) scratch = scratch_base<Policy::layout::alignment>();
  if constexpr (has_dynamic_scratch<Policy>) counts = argument_of_type<DynamicCounts>(arguments...);
  typename Policy::member_type const member(ThreadHandle<Cuda>(Form{}, scratch, counts));
  Body::run(member, functor, arguments...);
}

/// One task of an emulated cluster.
template <class Policy, class Form, class Body, class Functor, class... Arguments>
__device__ __forceinline__ void run_task(EmulatedCluster<Cuda>& cluster, std::byte* scratch,
                                         DynamicCounts counts, Functor const& functor,
                                         Arguments const&... arguments) {
  typename Policy::member_type const member(ThreadHandle<Cuda>(Form{}, scratch, counts, &cluster));
  Body::run(member, functor, arguments...);
}

template <class Policy, class Form, class Body, class Functor, class... Arguments>
__device__ __forceinline__ void run_emulated_kernel(Functor const& functor,
                                                    Arguments const&... arguments) {
  std::byte* scratch = nullptr;
  DynamicCounts counts;
  if constexpr (has_scratch<Policy>) scratch = scratch_base<Policy::layout::alignment>();
  if constexpr (has_dynamic_scratch<Policy>) counts = argument_of_type<DynamicCounts>(arguments...);
  ThreadHandle<Cuda> const thread(Form{}, scratch, counts);
  EmulatedRun<Cuda>::run(thread, argument_of_type<EmulatedLaunch>(arguments...),
                         Policy::traits::manual_lifetime, [&](EmulatedCluster<Cuda>& cluster) {
                           run_task<Policy, Form, Body>(cluster, scratch, counts, functor,
                                                        arguments...);
                         });
}

// The stubs. __launch_bounds__(0, 0), what a policy without LaunchBounds gets, emits no bound
// (PTX of nvcc 13.0). The functor is a __grid_constant__, so that members of it have addresses.

/// A cluster of one team: what a plain kernel is.
template <class Policy, class Form, class Body, class Functor, class... Arguments>
__global__ void __launch_bounds__(Policy::traits::launch_bounds_threads,
                                  Policy::traits::launch_bounds_teams)
    team_kernel(Functor const __grid_constant__ functor,
                Arguments const __grid_constant__... arguments) {
  run_kernel<Policy, Form, Body>(functor, arguments...);
}

/// A shape known to the compiler: the launch needs no attribute.
template <class Policy, class Form, class Body, class Functor, class... Arguments>
__global__ void KOHORT_CUDA_CLUSTER_DIMS(Policy::traits::static_shape.x,
                                         Policy::traits::static_shape.y,
                                         Policy::traits::static_shape.z)
    __launch_bounds__(Policy::traits::launch_bounds_threads, Policy::traits::launch_bounds_teams)
        fixed_cluster_kernel(Functor const __grid_constant__ functor,
                             Arguments const __grid_constant__... arguments) {
  run_kernel<Policy, Form, Body>(functor, arguments...);
}

/// A shape that the launch gives.
template <class Policy, class Form, class Body, class Functor, class... Arguments>
__global__ void KOHORT_CUDA_CLUSTER_DIMS()
    __launch_bounds__(Policy::traits::launch_bounds_threads, Policy::traits::launch_bounds_teams)
        cluster_kernel(Functor const __grid_constant__ functor,
                       Arguments const __grid_constant__... arguments) {
  run_kernel<Policy, Form, Body>(functor, arguments...);
}

/// Clusters in software, of any shape. What surrounds the functor takes registers: without bounds
/// of the policy's own, teams as large as hardware clusters' may be would not fit; and the teams an
/// SM that a policy's bounds ask for would make it spill in its innermost loops (H200: halo 3 to 4
/// times the time). As many are launched as fit.
template <class Policy>
inline constexpr int emulated_bounds_threads =
    Policy::traits::launch_bounds_threads > 0 ? Policy::traits::launch_bounds_threads : 1024;

template <class Policy, class Form, class Body, class Functor, class... Arguments>
__global__ void __launch_bounds__(emulated_bounds_threads<Policy>)
    emulated_kernel(Functor const __grid_constant__ functor,
                    Arguments const __grid_constant__... arguments) {
  run_emulated_kernel<Policy, Form, Body>(functor, arguments...);
}

}  // namespace kohort::Impl
