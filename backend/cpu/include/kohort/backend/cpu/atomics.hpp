// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/impl/host_atomics.hpp>
#include <kohort/simulator/operations.hpp>

namespace kohort::Impl {

/// Atomics of a running kernel are decision points of its schedule; outside kernels they are the
/// host's.
template <>
struct AtomicHooks<Simulator> {
  static void before(void const* address, CallSite site) {
    if (simulator::Thread* const thread = simulator::current_thread())
      simulator::before_atomic(*thread, address, {site.file, site.line});
  }
  static void after(bool changed) {
    if (simulator::Thread* const thread = simulator::current_thread())
      simulator::after_atomic(*thread, changed);
  }
};

}  // namespace kohort::Impl
