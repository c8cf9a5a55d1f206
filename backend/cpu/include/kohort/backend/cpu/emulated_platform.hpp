// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/control.hpp>
#include <kohort/backend/emulated/platform.hpp>
#include <kohort/macros.hpp>
#include <kohort/simulator/operations.hpp>
#include <kohort/targets.hpp>

#include <stdexcept>

namespace kohort::Impl {

/// The profile says whether a group of SMs has an L2 of its own. Its domain is the group then, and
/// what atomics of cluster scope reach; elsewhere both are the device (launch.hpp).
template <>
struct EmulatedPlatform<Simulator> {
  static constexpr Scope domain = Scope::cluster;

  template <class Thread>
  static KOHORT_FUNCTION int domain_key(Thread const& thread, EmulatedLaunch const&) {
    return thread.sm_group();
  }
  /// The engine tells a poll by its atomics.
  template <class Thread>
  static KOHORT_FUNCTION void pause(Thread const&) {}
  template <class Thread>
  static KOHORT_FUNCTION void no_room(Thread const&) {
    throw std::logic_error("kohort: no domain of the profile could complete a cluster");
  }
};

}  // namespace kohort::Impl
