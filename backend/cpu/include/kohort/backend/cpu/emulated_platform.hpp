// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/control.hpp>
#include <kohort/backend/emulated/platform.hpp>
#include <kohort/macros.hpp>
#include <kohort/simulator/operations.hpp>
#include <kohort/targets.hpp>

namespace kohort::Impl {

/// The profile says whether a group of SMs has an L2 of its own. Its domain is the group then,
/// elsewhere the device (launch.hpp). Atomics of cluster scope reach the teams of the software
/// cluster that are in one domain: all of them, if the library is right.
template <>
struct EmulatedPlatform<Simulator> {
  static constexpr Scope domain = Scope::cluster;
  static constexpr bool watches_copies = true;

  template <class Thread>
  static KOHORT_FUNCTION int domain_key(Thread const& thread, EmulatedLaunch const&) {
    return thread.sm_group();
  }
  /// The checker holds atomics of cluster scope to the software cluster.
  template <class Thread>
  static KOHORT_FUNCTION void seated(Thread const& thread, Seat const& seat) {
    simulator::join_software_cluster(thread.simulated(), seat.cluster);
  }
  template <class Thread>
  static KOHORT_FUNCTION void note_copy(Thread const& thread, void const* address, int bytes,
                                        bool writes) {
    simulator::note_copy(thread.simulated(), address, static_cast<std::size_t>(bytes), writes);
  }
  /// The engine tells a poll by its atomics.
  template <class Thread>
  static KOHORT_FUNCTION void pause(Thread const&) {}
  template <class Thread>
  static KOHORT_FUNCTION void no_room(Thread const&) {
    simulator::no_software_cluster();
  }
};

}  // namespace kohort::Impl
