// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/atomics.hpp>
#include <kohort/backend/hip/fences.hpp>

#include <type_traits>

// The device pass alone: elsewhere nobody asks for AtomicOperations<Hip>.
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__

namespace kohort::Impl {

/// Relaxed builtins of the scope, and fences around them: so the order has a place of its own where
/// an XCD's fences can take the place of the agent's. The operation itself is the agent's for
/// scope cluster, which the L2 performs.
template <>
struct AtomicOperations<Hip> {
  static constexpr bool releases(MemoryOrder order) {
    return order == MemoryOrder::release || order == MemoryOrder::acquire_release ||
           order == MemoryOrder::sequentially_consistent;
  }
  static constexpr bool acquires(MemoryOrder order) {
    return order == MemoryOrder::acquire || order == MemoryOrder::acquire_release ||
           order == MemoryOrder::sequentially_consistent;
  }
  /// Scopes are literals to the builtins.
  static constexpr int hip_scope(Scope scope) {
    return scope == Scope::team     ? __HIP_MEMORY_SCOPE_WORKGROUP
           : scope == Scope::system ? __HIP_MEMORY_SCOPE_SYSTEM
                                    : __HIP_MEMORY_SCOPE_AGENT;
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T load(T const* address) {
    T const value = __hip_atomic_load(address, __ATOMIC_RELAXED, hip_scope(Where));
    if constexpr (acquires(Order)) HipFences::acquire<Where>();
    return value;
  }
  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ void store(T* address, T value) {
    if constexpr (releases(Order)) HipFences::release<Where>();
    __hip_atomic_store(address, value, __ATOMIC_RELAXED, hip_scope(Where));
  }
  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T compare_exchange(T* address, T expected, T desired) {
    if constexpr (releases(Order)) HipFences::release<Where>();
    __hip_atomic_compare_exchange_strong(address, &expected, desired, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED, hip_scope(Where));
    if constexpr (acquires(Order)) HipFences::acquire<Where>();
    return expected;
  }

#define KOHORT_HIP_ATOMIC(NAME, BUILTIN)                                       \
  template <Scope Where, MemoryOrder Order, class T>                           \
  static __device__ __forceinline__ T NAME(T* address, T value) {              \
    if constexpr (releases(Order)) HipFences::release<Where>();                \
    T const old = BUILTIN(address, value, __ATOMIC_RELAXED, hip_scope(Where)); \
    if constexpr (acquires(Order)) HipFences::acquire<Where>();                \
    return old;                                                                \
  }
  KOHORT_HIP_ATOMIC(exchange, __hip_atomic_exchange)
  KOHORT_HIP_ATOMIC(fetch_add, __hip_atomic_fetch_add)
  KOHORT_HIP_ATOMIC(fetch_min, __hip_atomic_fetch_min)
  KOHORT_HIP_ATOMIC(fetch_max, __hip_atomic_fetch_max)
  KOHORT_HIP_ATOMIC(fetch_and, __hip_atomic_fetch_and)
  KOHORT_HIP_ATOMIC(fetch_or, __hip_atomic_fetch_or)
  KOHORT_HIP_ATOMIC(fetch_xor, __hip_atomic_fetch_xor)
#undef KOHORT_HIP_ATOMIC
};

}  // namespace kohort::Impl

#endif
