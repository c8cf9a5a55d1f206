// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/device_code.hpp>
#include <kohort/memory_order.hpp>

namespace kohort::Impl {

/// Fences by scope. LLVM's memory model for gfx942 and gfx950 knows workgroup, agent and system
/// (LLVM, User Guide for AMDGPU Backend, "Memory Model gfx942"); an XCD lies between the first two.
/// Its compute units share an L2, so what one of them wrote is there once its stores are counted as
/// done, and another finds it if its own vector L1 holds no older line.
///
/// That is outside LLVM's guarantees: it rests on stores being counted when they reach the L2, and
/// on buffer_inv with sc0 invalidating the vector L1 whatever the mode. KOHORT_HIP_CONSERVATIVE
/// takes the compiler's fences of agent scope instead, which write the whole L2 back (published:
/// about 115 ns) and invalidate (137 to 317 ns).
struct HipFences {
  template <Scope Where>
  static KOHORT_FUNCTION void release() {
    if constexpr (Where == Scope::team) {
      KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");)
    } else if constexpr (Where == Scope::cluster && hip_fences_within_xcd) {
      // What the compiler must not move across, and what the hardware must have done.
      KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
                             asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::
                                              : "memory");)
    } else if constexpr (Where == Scope::system) {
      KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_fence(__ATOMIC_RELEASE, "");)
    } else {
      KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");)
    }
  }
  template <Scope Where>
  static KOHORT_FUNCTION void acquire() {
    if constexpr (Where == Scope::team) {
      KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");)
    } else if constexpr (Where == Scope::cluster && hip_fences_within_xcd) {
      KOHORT_HIP_DEVICE_BODY(asm volatile("s_waitcnt vmcnt(0)\n\tbuffer_inv sc0" ::
                                              : "memory");
                             __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");)
    } else if constexpr (Where == Scope::system) {
      KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");)
    } else {
      KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");)
    }
  }
  template <Scope Where>
  static KOHORT_FUNCTION void full() {
    release<Where>();
    acquire<Where>();
  }
};

}  // namespace kohort::Impl
