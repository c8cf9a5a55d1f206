// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device_code.hpp>

#include <cstdint>

/// The body of a function that needs compute capability 9.0.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define KOHORT_CUDA_HOPPER_BODY(...) __VA_ARGS__
#elif defined(__CUDA_ARCH__)
#define KOHORT_CUDA_HOPPER_BODY(...) __trap();
#else
#define KOHORT_CUDA_HOPPER_BODY(...) __builtin_unreachable();
#endif

namespace kohort::Impl {

/// Where an object lies in the block's shared memory.
KOHORT_FUNCTION std::uint32_t shared_address([[maybe_unused]] void const* object) {
  KOHORT_CUDA_DEVICE_BODY(return static_cast<std::uint32_t>(__cvta_generic_to_shared(object));)
}

/// Where its twin in block `rank` of the cluster lies.
KOHORT_FUNCTION std::uint32_t peer_address([[maybe_unused]] void const* object,
                                           [[maybe_unused]] int rank) {
  KOHORT_CUDA_HOPPER_BODY(std::uint32_t address = 0; asm("mapa.shared::cluster.u32 %0, %1, %2;"
                                                         : "=r"(address)
                                                         : "r"(shared_address(object)), "r"(rank));
                          return address;)
}

/// mbarriers (PTX ISA, "Parallel synchronization and communication instructions: mbarrier"), by
/// their shared addresses.
struct PhasedBarrier {
  static KOHORT_FUNCTION void init([[maybe_unused]] std::uint32_t barrier,
                                   [[maybe_unused]] int arrivals) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                     : "memory");)
  }
  static KOHORT_FUNCTION void fence_init() {
    KOHORT_CUDA_HOPPER_BODY(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");)
  }
  static KOHORT_FUNCTION void arrive([[maybe_unused]] std::uint32_t barrier) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(barrier)
                     : "memory");)
  }
  static KOHORT_FUNCTION void arrive_at([[maybe_unused]] std::uint32_t barrier) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
                     : "memory");)
  }
  static KOHORT_FUNCTION void arrive_relaxed_at([[maybe_unused]] std::uint32_t barrier) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
                     : "memory");)
  }
  static KOHORT_FUNCTION void expect([[maybe_unused]] std::uint32_t barrier,
                                     [[maybe_unused]] int bytes) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier),
                     "r"(bytes)
                     : "memory");)
  }
  static KOHORT_FUNCTION void arrive_expecting([[maybe_unused]] std::uint32_t barrier,
                                               [[maybe_unused]] int bytes) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile(
            "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
            "r"(bytes)
            : "memory");)
  }
  /// Returns once the phase of that parity is over. The hardware suspends the thread meanwhile.
  template <bool AtClusterScope>
  static KOHORT_FUNCTION void wait([[maybe_unused]] std::uint32_t barrier,
                                   [[maybe_unused]] std::uint32_t parity) {
    if constexpr (AtClusterScope) {
      KOHORT_CUDA_HOPPER_BODY(
          asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                       "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
                       "@!done bra AGAIN;\n}" ::"r"(barrier),
                       "r"(parity)
                       : "memory");)
    } else {
      KOHORT_CUDA_HOPPER_BODY(
          asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                       "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
                       "@!done bra AGAIN;\n}" ::"r"(barrier),
                       "r"(parity)
                       : "memory");)
    }
  }
};

}  // namespace kohort::Impl
