// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/control.hpp>
#include <kohort/backend/emulated/platform.hpp>
#include <kohort/backend/hip/registers.hpp>
#include <kohort/targets.hpp>

namespace kohort::Impl {

/// The domain is the XCD, whose compute units share an L2.
template <>
struct EmulatedPlatform<Hip> {
  static constexpr Scope domain = Scope::cluster;
  static constexpr bool watches_copies = false;

  template <class Thread>
  static KOHORT_FUNCTION int domain_key(Thread const&, EmulatedLaunch const&) {
    return HipRegisters::xcd();
  }
  template <class Thread>
  static KOHORT_FUNCTION void seated(Thread const&, Seat const&) {}
  /// Gives the SIMD's other wavefronts their turn.
  template <class Thread>
  static KOHORT_FUNCTION void pause(Thread const&) {
    KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_s_sleep(1);)
  }
  template <class Thread>
  static KOHORT_FUNCTION void no_room(Thread const&) {
    KOHORT_HIP_DEVICE_BODY(__builtin_trap();)
  }
};

}  // namespace kohort::Impl
