// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/cluster_policy.hpp>

#include <string_view>
#include <type_traits>

namespace kohort {
namespace Impl {

/// Backend seam: `static void execute(std::string_view label, Policy, Functor)`.
template <class Target>
struct Launch;

template <class T>
inline constexpr bool is_cluster_policy = false;
/// Not one that another library launches: that names no target.
template <class Target, class... Traits>
inline constexpr bool is_cluster_policy<ClusterPolicy<Target, Traits...>> = requires {
  typename ClusterPolicy<Target, Traits...>::target_type;
};

template <class Policy, class Functor>
constexpr void require_kernel_functor() {
  static_assert(std::is_trivially_copyable_v<Functor> || std::is_copy_constructible_v<Functor>,
                "a kernel's functor is copied to the device");
  static_assert(sizeof(Functor) <= 32764,
                "a kernel's functor is at most 32,764 B (the limit of CUDA's kernel parameters): "
                "put large tables into a Buffer and capture its pointer");
}

}  // namespace Impl

/// Runs `functor(member)` in every thread of the policy's league.
///
/// Asynchronous on a GPU, in the target's stream and capturable into a CUDA graph; on the
/// simulator done on return. The functor is copied; its call operator is const.
/// @throws LaunchError when the device can't take the launch.
template <class Policy, class Functor>
requires Impl::is_cluster_policy<Policy>
void parallel_for(std::string_view label, Policy const& policy, Functor const& functor) {
  Impl::require_kernel_functor<Policy, Functor>();
  Impl::Launch<typename Policy::target_type>::execute(label, policy, functor);
}

}  // namespace kohort
