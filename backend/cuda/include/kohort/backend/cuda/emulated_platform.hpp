// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device_code.hpp>
#include <kohort/backend/cuda/registers.hpp>
#include <kohort/backend/emulated/control.hpp>
#include <kohort/backend/emulated/platform.hpp>
#include <kohort/targets.hpp>

namespace kohort::Impl {

/// One L2 serves the whole device, so device is the narrowest scope that reaches a software
/// cluster.
template <>
struct EmulatedPlatform<Cuda> {
  static constexpr Scope domain = Scope::device;
  static constexpr bool watches_copies = false;

  /// As the target was told (Cuda::divide_into_domains()).
  template <class Thread>
  static KOHORT_FUNCTION int domain_key(Thread const& thread, EmulatedLaunch const& launch) {
    return launch.domain_of_place[thread.sm()];
  }
  template <class Thread>
  static KOHORT_FUNCTION void seated(Thread const&, Seat const&) {}
  template <class Thread>
  static KOHORT_FUNCTION void pause(Thread const&) {}
  template <class Thread>
  static KOHORT_FUNCTION void no_room(Thread const&) {
    KOHORT_CUDA_DEVICE_BODY(__trap();)
  }
};

}  // namespace kohort::Impl
