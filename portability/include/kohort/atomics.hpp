// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/impl/host_atomics.hpp>
#include <kohort/macros.hpp>
#include <kohort/memory_order.hpp>
#include <kohort/targets.hpp>

#include <cstdint>
#include <type_traits>

/// Atomic operations in Kokkos' pointer form, on global memory, one's own scratch, or a peer's:
/// `atomic_add(&peer[i], v)`. Types: 32- and 64-bit integers, float and double (no bit
/// operations on the last two). The default is relaxed at device scope, as in Kokkos.
///
/// Cost on an H200, 32-bit adds an SM: local 8.3 G/s, a peer's 0.54 G/s when scattered
/// (docs/results/h200.md). f32 and f64 remote adds, and every 64-bit remote min, max, and, or, xor,
/// are compare-and-swap loops: for the last five the hardware's path through a mapped generic
/// pointer loses updates (measured: tests/conformance/08_atomics*.cpp proves each operation and
/// width).
namespace kohort {
namespace Impl {

/// Backend seam: AtomicOperations<Target> has the operations on this target's memory. The device
/// pass of a device compiler uses the device's, everything else the host's (host_atomics.hpp).

#if defined(__CUDA_ARCH__)
using ActiveTarget = Cuda;
#elif defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
using ActiveTarget = Hip;
#else
using ActiveTarget = Simulator;
#endif

/// The same, looked up when an operation is used: backends specialise after this header.
template <class>
struct ActiveTargetLater {
  using type = ActiveTarget;
};
template <class T>
using ActiveTargetOf = typename ActiveTargetLater<T>::type;

template <class T>
inline constexpr bool is_atomic_integer = std::is_integral_v<T> &&
                                          (sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
inline constexpr bool is_atomic_type =
    is_atomic_integer<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
constexpr KOHORT_FUNCTION void require_atomic_type() {
  static_assert(is_atomic_type<T>,
                "atomics take 32- and 64-bit integers, float and double; use compare-exchange on "
                "an integer of the same size for other types");
}
template <class T>
constexpr KOHORT_FUNCTION void require_atomic_integer() {
  static_assert(is_atomic_integer<T>, "bitwise atomics take 32- and 64-bit integers");
}

template <Scope Where, MemoryOrder Order, class T>
KOHORT_FUNCTION void before_atomic(T const* address, AtomicKind kind, CallSite site) {
  AtomicHooks<ActiveTargetOf<T>>::template before<Where, Order>(address, kind, site);
}

/// The operand's type without deducing from it, so that atomic_add(&float_cell, 1) compiles.
template <class T>
using Operand = std::type_identity_t<T>;

}  // namespace Impl

template <Scope Where = Scope::device, MemoryOrder Order = MemoryOrder::relaxed, class T>
KOHORT_FUNCTION T atomic_load(T const* address, CallSite site = CallSite::current()) {
  Impl::require_atomic_type<T>();
  Impl::before_atomic<Where, Order>(address, Impl::AtomicKind::load, site);
  return Impl::AtomicOperations<Impl::ActiveTargetOf<T>>::template load<Where, Order>(address);
}

template <Scope Where = Scope::device, MemoryOrder Order = MemoryOrder::relaxed, class T>
KOHORT_FUNCTION void atomic_store(T* address, Impl::Operand<T> value,
                                  CallSite site = CallSite::current()) {
  Impl::require_atomic_type<T>();
  Impl::before_atomic<Where, Order>(address, Impl::AtomicKind::store, site);
  Impl::AtomicOperations<Impl::ActiveTargetOf<T>>::template store<Where, Order>(address, value);
}

template <Scope Where = Scope::device, MemoryOrder Order = MemoryOrder::relaxed, class T>
KOHORT_FUNCTION T atomic_exchange(T* address, Impl::Operand<T> value,
                                  CallSite site = CallSite::current()) {
  Impl::require_atomic_type<T>();
  Impl::before_atomic<Where, Order>(address, Impl::AtomicKind::update, site);
  return Impl::AtomicOperations<Impl::ActiveTargetOf<T>>::template exchange<Where, Order>(address,
                                                                                          value);
}

/// Stores `desired` where `expected` stood. @return what stood there.
template <Scope Where = Scope::device, MemoryOrder Order = MemoryOrder::relaxed, class T>
KOHORT_FUNCTION T atomic_compare_exchange(T* address, Impl::Operand<T> expected,
                                          Impl::Operand<T> desired,
                                          CallSite site = CallSite::current()) {
  Impl::require_atomic_type<T>();
  Impl::before_atomic<Where, Order>(address, Impl::AtomicKind::update, site);
  return Impl::AtomicOperations<Impl::ActiveTargetOf<T>>::template compare_exchange<Where, Order>(
      address, expected, desired);
}

/// atomic_fetch_NAME returns what stood there; atomic_NAME returns nothing and is cheaper.
#define KOHORT_ATOMIC(NAME, REQUIREMENT)                                                         \
  template <Scope Where = Scope::device, MemoryOrder Order = MemoryOrder::relaxed, class T>      \
  KOHORT_FUNCTION T atomic_fetch_##NAME(T* address, Impl::Operand<T> value,                      \
                                        CallSite site = CallSite::current()) {                   \
    Impl::REQUIREMENT<T>();                                                                      \
    Impl::before_atomic<Where, Order>(address, Impl::AtomicKind::update, site);                  \
    return Impl::AtomicOperations<Impl::ActiveTargetOf<T>>::template fetch_##NAME<Where, Order>( \
        address, value);                                                                         \
  }                                                                                              \
  template <Scope Where = Scope::device, MemoryOrder Order = MemoryOrder::relaxed, class T>      \
  KOHORT_FUNCTION void atomic_##NAME(T* address, Impl::Operand<T> value,                         \
                                     CallSite site = CallSite::current()) {                      \
    (void)atomic_fetch_##NAME<Where, Order>(address, value, site);                               \
  }

KOHORT_ATOMIC(add, require_atomic_type)
KOHORT_ATOMIC(min, require_atomic_type)
KOHORT_ATOMIC(max, require_atomic_type)
KOHORT_ATOMIC(and, require_atomic_integer)
KOHORT_ATOMIC(or, require_atomic_integer)
KOHORT_ATOMIC(xor, require_atomic_integer)
#undef KOHORT_ATOMIC

}  // namespace kohort
