// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/memory_order.hpp>
#include <kohort/targets.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace kohort::Impl {

/// What an operation does to memory, as far as ordering goes.
enum class AtomicKind { load, store, update };

/// Backend seam: what surrounds an atomic operation. Nothing, unless the simulator is there to
/// take its decisions, to tell a spin from progress, and to check.
template <class Target>
struct AtomicHooks {
  template <Scope, MemoryOrder, class T>
  static KOHORT_FUNCTION void before(T const*, AtomicKind, CallSite) {}
  /// `wrote`: a compare-exchange may not; `changed`: and the value is another.
  static KOHORT_FUNCTION void after(bool /*wrote*/, bool /*changed*/) {}
};

/// Atomics of the host pass: the simulator's, and in a build without it plain host atomics.
/// Scopes don't matter on a host; orders are the compiler's.
template <class Target>
struct HostAtomics {
  using Hooks = AtomicHooks<Target>;

  static constexpr int builtin(MemoryOrder order) {
    switch (order) {
      case MemoryOrder::relaxed:
        return __ATOMIC_RELAXED;
      case MemoryOrder::acquire:
        return __ATOMIC_ACQUIRE;
      case MemoryOrder::release:
        return __ATOMIC_RELEASE;
      case MemoryOrder::acquire_release:
        return __ATOMIC_ACQ_REL;
      default:
        return __ATOMIC_SEQ_CST;
    }
  }
  template <class T>
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  template <class T>
  static Bits<T>* bits(T* address) {
    return reinterpret_cast<Bits<T>*>(address);
  }

  template <Scope, MemoryOrder Order, class T>
  static T load(T const* address) {
    constexpr int order = Order == MemoryOrder::release           ? __ATOMIC_RELAXED
                          : Order == MemoryOrder::acquire_release ? __ATOMIC_ACQUIRE
                                                                  : builtin(Order);
    T const value =
        std::bit_cast<T>(__atomic_load_n(reinterpret_cast<Bits<T> const*>(address), order));
    Hooks::after(false, false);
    return value;
  }

  template <Scope, MemoryOrder Order, class T>
  static void store(T* address, T value) {
    constexpr int order = Order == MemoryOrder::acquire           ? __ATOMIC_RELAXED
                          : Order == MemoryOrder::acquire_release ? __ATOMIC_RELEASE
                                                                  : builtin(Order);
    __atomic_store_n(bits(address), std::bit_cast<Bits<T>>(value), order);
    Hooks::after(true, true);
  }

  template <Scope, MemoryOrder Order, class T>
  static T exchange(T* address, T value) {
    auto const desired = std::bit_cast<Bits<T>>(value);
    Bits<T> const old = __atomic_exchange_n(bits(address), desired, builtin(Order));
    Hooks::after(true, old != desired);
    return std::bit_cast<T>(old);
  }

  template <Scope, MemoryOrder Order, class T>
  static T compare_exchange(T* address, T expected, T desired) {
    constexpr int failure = Order == MemoryOrder::release           ? __ATOMIC_RELAXED
                            : Order == MemoryOrder::acquire_release ? __ATOMIC_ACQUIRE
                                                                    : builtin(Order);
    auto seen = std::bit_cast<Bits<T>>(expected);
    auto const wanted = std::bit_cast<Bits<T>>(desired);
    bool const stored =
        __atomic_compare_exchange_n(bits(address), &seen, wanted, false, builtin(Order), failure);
    Hooks::after(stored, stored && seen != wanted);
    return std::bit_cast<T>(seen);
  }

  /// Any operation as a compare-and-swap loop; `combine` gives the new value.
  template <MemoryOrder Order, class T, class Combine>
  static T update(T* address, Combine const& combine) {
    Bits<T> seen = __atomic_load_n(bits(address), __ATOMIC_RELAXED);
    Bits<T> wanted;
    do {
      wanted = std::bit_cast<Bits<T>>(static_cast<T>(combine(std::bit_cast<T>(seen))));
    } while (!__atomic_compare_exchange_n(bits(address), &seen, wanted, true, builtin(Order),
                                          __ATOMIC_RELAXED));
    Hooks::after(true, seen != wanted);
    return std::bit_cast<T>(seen);
  }

  template <Scope, MemoryOrder Order, class T>
  static T fetch_add(T* address, T value) {
    if constexpr (std::is_integral_v<T>) {
      T const old = __atomic_fetch_add(address, value, builtin(Order));
      Hooks::after(true, value != 0);
      return old;
    } else {
      return update<Order>(address, [value](T old) { return old + value; });
    }
  }
  template <Scope, MemoryOrder Order, class T>
  static T fetch_min(T* address, T value) {
    return update<Order>(address, [value](T old) { return value < old ? value : old; });
  }
  template <Scope, MemoryOrder Order, class T>
  static T fetch_max(T* address, T value) {
    return update<Order>(address, [value](T old) { return old < value ? value : old; });
  }
  template <Scope, MemoryOrder Order, class T>
  static T fetch_and(T* address, T value) {
    return update<Order>(address, [value](T old) { return old & value; });
  }
  template <Scope, MemoryOrder Order, class T>
  static T fetch_or(T* address, T value) {
    return update<Order>(address, [value](T old) { return old | value; });
  }
  template <Scope, MemoryOrder Order, class T>
  static T fetch_xor(T* address, T value) {
    return update<Order>(address, [value](T old) { return old ^ value; });
  }
};

template <class Target>
struct AtomicOperations;

template <>
struct AtomicOperations<Simulator> : HostAtomics<Simulator> {};

}  // namespace kohort::Impl
