// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/atomics.hpp>
#include <kohort/backend/cuda/atomic_builtins.hpp>
#include <kohort/backend/cuda/device_code.hpp>

#include <type_traits>

// The device pass alone: elsewhere nobody asks for AtomicOperations<Cuda>.
#if defined(__CUDA_ARCH__)

namespace kohort::Impl {

/// The integer of T's size and signedness that CUDA's atomic functions take.
template <class T>
using AtomicInteger =
    std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 4, int, long long>,
                       std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>;

/// The bits of T, for operations that move a value or don't care about its sign.
template <class T>
using AtomicBits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

/// What fetch_add operates on: two's complement needs no signed addition.
template <class T>
using AtomicAddend = std::conditional_t<std::is_floating_point_v<T>, T, AtomicBits<T>>;

/// The relaxed operations go through CUDA's atomic functions: the compiler knows those, so it
/// infers the address space (a global add becomes one RED, a shared one ATOMS) and combines a
/// warp's adds to one address. The builtins with orders are opaque to it (nvcc 13.0).
template <>
struct AtomicOperations<Cuda> {
  template <Scope Where, MemoryOrder Order>
  static constexpr bool is_plain = Order == MemoryOrder::relaxed&& Where != Scope::system;

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T load(T const* address) {
    if constexpr (is_plain<Where, Order>) {
      return *static_cast<T const volatile*>(address);
    } else {
      return from_bits<T>(AtomicBuiltins<Where, Order>::load(bits(const_cast<T*>(address))));
    }
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ void store(T* address, T value) {
    if constexpr (is_plain<Where, Order>) {
      *static_cast<T volatile*>(address) = value;
    } else {
      AtomicBuiltins<Where, Order>::store(bits(address), to_bits(value));
    }
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T exchange(T* address, T value) {
    if constexpr (is_plain<Where, Order>) {
      return from_bits<T>(atomicExch(bits(address), to_bits(value)));
    } else {
      return from_bits<T>(AtomicBuiltins<Where, Order>::exchange(bits(address), to_bits(value)));
    }
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T compare_exchange(T* address, T expected, T desired) {
    return from_bits<T>(
        exchange_bits<Where, Order>(bits(address), to_bits(expected), to_bits(desired)));
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T fetch_add(T* address, T value) {
    auto* const cell = reinterpret_cast<AtomicAddend<T>*>(address);
    auto const addend = static_cast<AtomicAddend<T>>(value);
    if constexpr (is_plain<Where, Order>) {
      return static_cast<T>(atomicAdd(cell, addend));
    } else {
      return static_cast<T>(AtomicBuiltins<Where, Order>::fetch_add(cell, addend));
    }
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T fetch_min(T* address, T value) {
    if (std::is_floating_point_v<T> || hardware_loses_updates(address)) {
      return by_compare_exchange<Where, Order>(
          address, [value](T old) { return value < old ? value : old; });
    }
    if constexpr (std::is_integral_v<T>) {
      auto* const cell = reinterpret_cast<AtomicInteger<T>*>(address);
      auto const bound = static_cast<AtomicInteger<T>>(value);
      if constexpr (is_plain<Where, Order>) {
        return static_cast<T>(atomicMin(cell, bound));
      } else {
        return static_cast<T>(AtomicBuiltins<Where, Order>::fetch_min(cell, bound));
      }
    }
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T fetch_max(T* address, T value) {
    if (std::is_floating_point_v<T> || hardware_loses_updates(address)) {
      return by_compare_exchange<Where, Order>(
          address, [value](T old) { return old < value ? value : old; });
    }
    if constexpr (std::is_integral_v<T>) {
      auto* const cell = reinterpret_cast<AtomicInteger<T>*>(address);
      auto const bound = static_cast<AtomicInteger<T>>(value);
      if constexpr (is_plain<Where, Order>) {
        return static_cast<T>(atomicMax(cell, bound));
      } else {
        return static_cast<T>(AtomicBuiltins<Where, Order>::fetch_max(cell, bound));
      }
    }
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T fetch_and(T* address, T value) {
    if (hardware_loses_updates(address)) {
      return by_compare_exchange<Where, Order>(
          address, [value](T old) { return static_cast<T>(old & value); });
    }
    if constexpr (is_plain<Where, Order>) {
      return static_cast<T>(atomicAnd(bits(address), to_bits(value)));
    } else {
      return static_cast<T>(AtomicBuiltins<Where, Order>::fetch_and(bits(address), to_bits(value)));
    }
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T fetch_or(T* address, T value) {
    if (hardware_loses_updates(address)) {
      return by_compare_exchange<Where, Order>(
          address, [value](T old) { return static_cast<T>(old | value); });
    }
    if constexpr (is_plain<Where, Order>) {
      return static_cast<T>(atomicOr(bits(address), to_bits(value)));
    } else {
      return static_cast<T>(AtomicBuiltins<Where, Order>::fetch_or(bits(address), to_bits(value)));
    }
  }

  template <Scope Where, MemoryOrder Order, class T>
  static __device__ __forceinline__ T fetch_xor(T* address, T value) {
    if (hardware_loses_updates(address)) {
      return by_compare_exchange<Where, Order>(
          address, [value](T old) { return static_cast<T>(old ^ value); });
    }
    if constexpr (is_plain<Where, Order>) {
      return static_cast<T>(atomicXor(bits(address), to_bits(value)));
    } else {
      return static_cast<T>(AtomicBuiltins<Where, Order>::fetch_xor(bits(address), to_bits(value)));
    }
  }

 private:
  template <class T>
  static __device__ __forceinline__ AtomicBits<T>* bits(T* address) {
    return reinterpret_cast<AtomicBits<T>*>(address);
  }
  template <class T>
  static __device__ __forceinline__ AtomicBits<T> to_bits(T value) {
    return __builtin_bit_cast(AtomicBits<T>, value);
  }
  template <class T>
  static __device__ __forceinline__ T from_bits(AtomicBits<T> value) {
    return __builtin_bit_cast(T, value);
  }

  /// 64-bit min, max, and, or and xor through a mapped address lose updates on an H200 (measured
  /// with nvcc 13.0: of 8 teams on one cell, 64 threads that each set or cleared a bit of their own
  /// left bits out, and the maximum of 2048 threads came out too small; add, exchange,
  /// compare-exchange and the floating types were right, and so were all of 32 bits).
  template <class T>
  static __device__ __forceinline__ bool hardware_loses_updates([[maybe_unused]] T const* address) {
#if __CUDA_ARCH__ >= 900
    if constexpr (sizeof(T) == 8) return __isClusterShared(address) != 0;
#endif
    return false;
  }

  /// @return what stood there; equal to `expected` if `desired` was stored
  template <Scope Where, MemoryOrder Order, class Bits>
  static __device__ __forceinline__ Bits exchange_bits(Bits* cell, Bits expected, Bits desired) {
    if constexpr (is_plain<Where, Order>) {
      return atomicCAS(cell, expected, desired);
    } else {
      AtomicBuiltins<Where, Order>::compare_exchange(cell, &expected, desired);
      return expected;
    }
  }

  /// A relaxed operation that would change nothing needs no store: it stands in the cell's order
  /// right behind the value that it read.
  template <Scope Where, MemoryOrder Order, class T, class Operation>
  static __device__ __forceinline__ T by_compare_exchange(T* address, Operation operation) {
    AtomicBits<T> expected = to_bits(load<Where, MemoryOrder::relaxed>(address));
    for (;;) {
      AtomicBits<T> const desired = to_bits(operation(from_bits<T>(expected)));
      if (Order == MemoryOrder::relaxed && desired == expected) break;
      AtomicBits<T> const found = exchange_bits<Where, Order>(bits(address), expected, desired);
      if (found == expected) break;
      expected = found;
    }
    return from_bits<T>(expected);
  }
};

}  // namespace kohort::Impl

#endif
