// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/run.hpp>
#include <kohort/backend/hip/thread.hpp>
#include <kohort/cluster_policy.hpp>

#include <cstddef>
#include <type_traits>

namespace kohort::Impl {

/// What a policy makes the stub do around the functor, with what arguments beside it.
struct HipForEachThread {
  template <class Member, class Functor, class... Arguments>
  static KOHORT_FUNCTION void run(Member const& member, Functor const& functor,
                                  Arguments const&...) {
    member.run(functor);
  }
};

/// The workgroup's dynamic LDS.
__device__ inline std::byte* hip_scratch_base() {
  extern __shared__ __attribute__((aligned(1024))) std::byte kohort_scratch[];
  return kohort_scratch;
}

/// What a stub is given beside the functor: `emulated` counts in emulated launches alone.
struct HipLaunch {
  HipDynamicCounts counts;
  EmulatedLaunch emulated;
};

template <class Policy>
inline constexpr int hip_bounds =
    Policy::traits::launch_bounds_threads > 0 ? Policy::traits::launch_bounds_threads : 1024;

/// A cluster of one team: what a plain kernel is.
template <class Policy, class Body, class Functor, class... Arguments>
__global__ void __launch_bounds__(hip_bounds<Policy>)
    hip_team_kernel(HipLaunch const launch, Functor const functor, Arguments const... arguments) {
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
  HipNamedBarriers::clear();
  ThreadHandle<Hip> const thread(std::false_type{}, hip_scratch_base(), launch.counts);
  thread.team_barrier({});
  typename Policy::member_type const member(thread);
  Body::run(member, functor, arguments...);
#endif
}

/// Clusters in software, within an XCD.
template <class Policy, class Body, class Functor, class... Arguments>
__global__ void __launch_bounds__(hip_bounds<Policy>)
    hip_emulated_kernel(HipLaunch const launch, Functor const functor,
                        Arguments const... arguments) {
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
  HipNamedBarriers::clear();
  ThreadHandle<Hip> const thread(std::true_type{}, hip_scratch_base(), launch.counts);
  thread.team_barrier({});
  EmulatedRun<Hip>::run(
      thread, launch.emulated, Policy::traits::manual_lifetime,
      [&](EmulatedCluster<Hip> & cluster) __attribute__((always_inline)) {
        typename Policy::member_type const member(
            ThreadHandle<Hip>(std::true_type{}, hip_scratch_base(), launch.counts, &cluster));
        Body::run(member, functor, arguments...);
      });
#endif
}

}  // namespace kohort::Impl
