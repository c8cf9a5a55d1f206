// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/impl/host_atomics.hpp>
#include <kohort/simulator/operations.hpp>

namespace kohort::Impl {

constexpr simulator::AtomicScope simulated(Scope scope) {
  return static_cast<simulator::AtomicScope>(scope);
}
static_assert(simulated(Scope::team) == simulator::AtomicScope::team &&
              simulated(Scope::cluster) == simulator::AtomicScope::cluster &&
              simulated(Scope::device) == simulator::AtomicScope::device &&
              simulated(Scope::system) == simulator::AtomicScope::system);

constexpr simulator::AtomicOrder simulated(MemoryOrder order) {
  return static_cast<simulator::AtomicOrder>(order);
}
static_assert(simulated(MemoryOrder::relaxed) == simulator::AtomicOrder::relaxed &&
              simulated(MemoryOrder::acquire) == simulator::AtomicOrder::acquire &&
              simulated(MemoryOrder::release) == simulator::AtomicOrder::release &&
              simulated(MemoryOrder::acquire_release) == simulator::AtomicOrder::acquire_release &&
              simulated(MemoryOrder::sequentially_consistent) ==
                  simulator::AtomicOrder::sequentially_consistent);

constexpr simulator::AtomicAccess::Kind simulated(AtomicKind kind) {
  return static_cast<simulator::AtomicAccess::Kind>(kind);
}
static_assert(simulated(AtomicKind::load) == simulator::AtomicAccess::Kind::load &&
              simulated(AtomicKind::store) == simulator::AtomicAccess::Kind::store &&
              simulated(AtomicKind::update) == simulator::AtomicAccess::Kind::update);

/// Atomics of a running kernel are decision points of its schedule, and order memory; outside
/// kernels they are the host's.
template <>
struct AtomicHooks<Simulator> {
  template <Scope Where, MemoryOrder Order, class T>
  static void before(T const* address, AtomicKind kind, CallSite site) {
    if (simulator::Thread* const thread = simulator::current_thread())
      simulator::before_atomic(*thread, address,
                               {.kind = simulated(kind),
                                .bytes = sizeof(T),
                                .order = simulated(Order),
                                .scope = simulated(Where)},
                               {site.file, site.line});
  }
  static void after(bool wrote, bool changed) {
    if (simulator::Thread* const thread = simulator::current_thread())
      simulator::after_atomic(*thread, wrote, changed);
  }
};

}  // namespace kohort::Impl
