// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device_code.hpp>
#include <kohort/memory_order.hpp>

// The device pass alone has these builtins. They take order and scope as literals only, so each
// pair is spelled out here, once.
#if defined(__CUDA_ARCH__)

namespace kohort::Impl {

/// Whether `Where` can be the hardware's cluster. An atomic does not know whose kernel it is in, so
/// where some have software clusters, all of them reach the device.
template <Scope Where>
inline constexpr bool is_cluster_scope =
    Where == Scope::cluster&& cuda_has_clusters && !cuda_compiles_emulated;

/// Returns BUILTIN(arguments..., scope) for the enclosing template's Where.
#define KOHORT_CUDA_SCOPED(BUILTIN, ...)                                    \
  if constexpr (Where == Scope::team) {                                     \
    return BUILTIN(__VA_ARGS__, __NV_THREAD_SCOPE_BLOCK);                   \
  } else if constexpr (is_cluster_scope<Where>) {                           \
    return BUILTIN(__VA_ARGS__, __NV_THREAD_SCOPE_CLUSTER);                 \
  } else if constexpr (Where == Scope::cluster || Where == Scope::device) { \
    return BUILTIN(__VA_ARGS__, __NV_THREAD_SCOPE_DEVICE);                  \
  } else {                                                                  \
    return BUILTIN(__VA_ARGS__, __NV_THREAD_SCOPE_SYSTEM);                  \
  }

/// Returns BUILTIN(arguments..., order, scope) for its Where and Order.
#define KOHORT_CUDA_ORDERED(BUILTIN, ...)                         \
  if constexpr (Order == MemoryOrder::relaxed) {                  \
    KOHORT_CUDA_SCOPED(BUILTIN, __VA_ARGS__, __NV_ATOMIC_RELAXED) \
  } else if constexpr (Order == MemoryOrder::acquire) {           \
    KOHORT_CUDA_SCOPED(BUILTIN, __VA_ARGS__, __NV_ATOMIC_ACQUIRE) \
  } else if constexpr (Order == MemoryOrder::release) {           \
    KOHORT_CUDA_SCOPED(BUILTIN, __VA_ARGS__, __NV_ATOMIC_RELEASE) \
  } else if constexpr (Order == MemoryOrder::acquire_release) {   \
    KOHORT_CUDA_SCOPED(BUILTIN, __VA_ARGS__, __NV_ATOMIC_ACQ_REL) \
  } else {                                                        \
    KOHORT_CUDA_SCOPED(BUILTIN, __VA_ARGS__, __NV_ATOMIC_SEQ_CST) \
  }

/// A function for each builtin. W is a type that the builtin takes. A load has no release half and
/// a store no acquire half: that part of an order is left out, as on the host.
template <Scope Where, MemoryOrder Order>
struct AtomicBuiltins {
  template <class W>
  static __device__ __forceinline__ W load(W* address) {
    if constexpr (Order == MemoryOrder::relaxed || Order == MemoryOrder::release) {
      KOHORT_CUDA_SCOPED(__nv_atomic_load_n, address, __NV_ATOMIC_RELAXED)
    } else if constexpr (Order != MemoryOrder::sequentially_consistent) {
      KOHORT_CUDA_SCOPED(__nv_atomic_load_n, address, __NV_ATOMIC_ACQUIRE)
    } else {
      KOHORT_CUDA_SCOPED(__nv_atomic_load_n, address, __NV_ATOMIC_SEQ_CST)
    }
  }

  template <class W>
  static __device__ __forceinline__ void store(W* address, W value) {
    if constexpr (Order == MemoryOrder::relaxed || Order == MemoryOrder::acquire) {
      KOHORT_CUDA_SCOPED(__nv_atomic_store_n, address, value, __NV_ATOMIC_RELAXED)
    } else if constexpr (Order != MemoryOrder::sequentially_consistent) {
      KOHORT_CUDA_SCOPED(__nv_atomic_store_n, address, value, __NV_ATOMIC_RELEASE)
    } else {
      KOHORT_CUDA_SCOPED(__nv_atomic_store_n, address, value, __NV_ATOMIC_SEQ_CST)
    }
  }

  /// Whether `desired` was stored; if not, `expected` becomes what stood there. A failure orders
  /// what the load half of `Order` orders.
  template <class W>
  static __device__ __forceinline__ bool compare_exchange(W* address, W* expected, W desired) {
    constexpr auto weak = false;
    if constexpr (Order == MemoryOrder::relaxed) {
      KOHORT_CUDA_SCOPED(__nv_atomic_compare_exchange_n, address, expected, desired, weak,
                         __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED)
    } else if constexpr (Order == MemoryOrder::acquire) {
      KOHORT_CUDA_SCOPED(__nv_atomic_compare_exchange_n, address, expected, desired, weak,
                         __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_ACQUIRE)
    } else if constexpr (Order == MemoryOrder::release) {
      KOHORT_CUDA_SCOPED(__nv_atomic_compare_exchange_n, address, expected, desired, weak,
                         __NV_ATOMIC_RELEASE, __NV_ATOMIC_RELAXED)
    } else if constexpr (Order == MemoryOrder::acquire_release) {
      KOHORT_CUDA_SCOPED(__nv_atomic_compare_exchange_n, address, expected, desired, weak,
                         __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE)
    } else {
      KOHORT_CUDA_SCOPED(__nv_atomic_compare_exchange_n, address, expected, desired, weak,
                         __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_SEQ_CST)
    }
  }

#define KOHORT_CUDA_BUILTIN(NAME, BUILTIN)                        \
  template <class W>                                              \
  static __device__ __forceinline__ W NAME(W* address, W value) { \
    KOHORT_CUDA_ORDERED(BUILTIN, address, value)                  \
  }
  KOHORT_CUDA_BUILTIN(exchange, __nv_atomic_exchange_n)
  KOHORT_CUDA_BUILTIN(fetch_add, __nv_atomic_fetch_add)
  KOHORT_CUDA_BUILTIN(fetch_min, __nv_atomic_fetch_min)
  KOHORT_CUDA_BUILTIN(fetch_max, __nv_atomic_fetch_max)
  KOHORT_CUDA_BUILTIN(fetch_and, __nv_atomic_fetch_and)
  KOHORT_CUDA_BUILTIN(fetch_or, __nv_atomic_fetch_or)
  KOHORT_CUDA_BUILTIN(fetch_xor, __nv_atomic_fetch_xor)
#undef KOHORT_CUDA_BUILTIN
};

#undef KOHORT_CUDA_ORDERED
#undef KOHORT_CUDA_SCOPED
#undef KOHORT_CUDA_CLUSTER_SCOPE

}  // namespace kohort::Impl

#endif
