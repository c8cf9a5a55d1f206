// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device.hpp>
#include <kohort/backend/cuda/kernel.hpp>
#include <kohort/shape.hpp>

#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace kohort::Impl {

/// What is known of one kernel on one device once it was launched there: nothing of it is asked
/// again.
struct KernelOnDevice {
  enum Step : unsigned { known = 1, large_scratch = 2, nonportable = 4 };

  std::atomic<unsigned> done{0};
  int static_shared_bytes = 0;
  int max_threads = 0;
  std::atomic<std::uint64_t> automatic_team{0};     ///< see AutoChoice
  std::atomic<std::uint64_t> automatic_cluster{0};  ///< see AutoChoice
  std::atomic<std::uint64_t> teams_per_sm{0};       ///< see AutoChoice; of emulated kernels
};

struct KernelState {
  std::mutex mutex;
  std::array<KernelOnDevice, max_devices> on;
};

/// A stub and what is known of it.
struct Kernel {
  void const* function = nullptr;
  KernelState* state = nullptr;

  KernelOnDevice& on(int device) const { return state->on[device]; }
};

/// The stubs of one policy, body and functor. Each comes for one-dimensional launches and for all.
struct KernelFamily {
  std::array<Kernel, 2> team;     ///< none if the fixed shape is larger than one
  std::array<Kernel, 2> cluster;  ///< none if the fixed shape is one
  Kernel emulated;                ///< none unless compiled (cuda_compiles_emulated)
  bool has_fixed_shape = false;
  ClusterShape fixed_shape;

  bool has_team_kernel() const { return team[0].function != nullptr; }
  bool has_cluster_kernel() const { return cluster[0].function != nullptr; }

  bool has_emulated_kernel() const { return emulated.function != nullptr; }

  Kernel const& choose(bool clustered, bool one_dimensional) const {
    return (clustered ? cluster : team)[one_dimensional ? 1 : 0];
  }
};

inline bool is_one_dimensional(Extents const& extents) { return extents.y == 1 && extents.z == 1; }

template <class Policy, class Form, class Body, class Functor, class... Arguments>
struct KernelOf {
  static inline KernelState state;

  static Kernel get() {
    using traits = typename Policy::traits;
    if constexpr (Form::clusters == ClusterForm::emulated) {
      return {reinterpret_cast<void const*>(
                  &emulated_kernel<Policy, Form, Body, Functor, Arguments..., EmulatedLaunch>),
              &state};
    } else if constexpr (Form::clusters == ClusterForm::single) {
      return {
          reinterpret_cast<void const*>(&team_kernel<Policy, Form, Body, Functor, Arguments...>),
          &state};
    } else if constexpr (traits::has_static_shape) {
      return {reinterpret_cast<void const*>(
                  &fixed_cluster_kernel<Policy, Form, Body, Functor, Arguments...>),
              &state};
    } else {
      return {
          reinterpret_cast<void const*>(&cluster_kernel<Policy, Form, Body, Functor, Arguments...>),
          &state};
    }
  }
};

/// Naming a stub here is what makes nvcc compile it.
template <class Policy, class Body, class Functor, class... Arguments>
KernelFamily kernel_family() {
  using traits = typename Policy::traits;
  KernelFamily family;
  family.has_fixed_shape = traits::has_static_shape;
  family.fixed_shape = traits::static_shape;
  if constexpr (!traits::has_static_shape || traits::static_shape.count() == 1) {
    family.team = {KernelOf<Policy, KernelForm<ClusterForm::single, false>, Body, Functor,
                            Arguments...>::get(),
                   KernelOf<Policy, KernelForm<ClusterForm::single, true>, Body, Functor,
                            Arguments...>::get()};
  }
  if constexpr (!traits::has_static_shape || traits::static_shape.count() > 1) {
    family.cluster = {KernelOf<Policy, KernelForm<ClusterForm::native, false>, Body, Functor,
                               Arguments...>::get(),
                      KernelOf<Policy, KernelForm<ClusterForm::native, true>, Body, Functor,
                               Arguments...>::get()};
  }
  // A functor that leaves no room for the launch's own arguments has none.
  constexpr bool has_room =
      (sizeof(Functor) + ... + sizeof(Arguments)) + sizeof(EmulatedLaunch) <= 32764;
  if constexpr (cuda_compiles_emulated && has_room &&
                !(traits::has_static_shape && traits::static_shape.count() == 1)) {
    family.emulated = KernelOf<Policy, KernelForm<ClusterForm::emulated, false>, Body, Functor,
                               Arguments...>::get();
  }
  return family;
}

}  // namespace kohort::Impl
