// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/fences.hpp>
#include <kohort/backend/hip/registers.hpp>

namespace kohort::Impl {

/// Barriers of a part of a workgroup, which gfx9 has none of: a word in LDS each, of `ids`, zero
/// when the kernel begins (kernel.hpp). Wavefronts that have come, and from bit 16 on meetings that
/// are over: who comes last makes the next meeting begin at none, of whatever count that is. One
/// word more is a copy engine's (copy_engine.hpp).
struct HipNamedBarriers {
  static constexpr int ids = 16;

  static KOHORT_FUNCTION unsigned* words() {
    KOHORT_HIP_DEVICE_BODY(__shared__ unsigned arrived[ids + 1]; return arrived;)
  }
  static KOHORT_FUNCTION void clear() {
    KOHORT_HIP_DEVICE_BODY(if (HipRegisters::thread() <= ids) words()[HipRegisters::thread()] = 0;)
  }
  /// Called by `wavefronts` whole wavefronts.
  static KOHORT_FUNCTION void meet([[maybe_unused]] int id, [[maybe_unused]] int wavefronts) {
    KOHORT_HIP_DEVICE_BODY(
        HipFences::release<Scope::team>(); __builtin_amdgcn_wave_barrier();
        auto const count = static_cast<unsigned>(wavefronts);
        if (HipRegisters::thread() % HipRegisters::wavefront == 0) {
          unsigned* const word = words() + id;
          unsigned const before =
              __hip_atomic_fetch_add(word, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
          if ((before & 0xffffu) + 1u == count) {
            __hip_atomic_fetch_add(word, 0x10000u - count, __ATOMIC_RELAXED,
                                   __HIP_MEMORY_SCOPE_WORKGROUP);
          } else {
            while (__hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP) >> 16 ==
                   before >> 16)
              __builtin_amdgcn_s_sleep(0);
          }
        } __builtin_amdgcn_wave_barrier();
        HipFences::acquire<Scope::team>();)
  }
};

}  // namespace kohort::Impl
