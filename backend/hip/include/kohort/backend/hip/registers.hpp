// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/device_code.hpp>

namespace kohort::Impl {

/// Where a work-item and its workgroup are.
struct HipRegisters {
  static constexpr int wavefront = 64;

  static KOHORT_FUNCTION int thread() {
    KOHORT_HIP_DEVICE_BODY(unsigned const rank = __builtin_amdgcn_workitem_id_x();
                           __builtin_assume(rank < 1024); return static_cast<int>(rank);)
  }
  static KOHORT_FUNCTION int threads() {
    KOHORT_HIP_DEVICE_BODY(return static_cast<int>(blockDim.x);)
  }
  static KOHORT_FUNCTION int index([[maybe_unused]] int dimension) {
    KOHORT_HIP_DEVICE_BODY(return static_cast<int>(dimension == 0   ? blockIdx.x
                                                   : dimension == 1 ? blockIdx.y
                                                                    : blockIdx.z);)
  }
  static KOHORT_FUNCTION int extent([[maybe_unused]] int dimension) {
    KOHORT_HIP_DEVICE_BODY(return static_cast<int>(dimension == 0   ? gridDim.x
                                                   : dimension == 1 ? gridDim.y
                                                                    : gridDim.z);)
  }

  /// The XCD that the workgroup runs on, as the hardware tells: a key and no more, of 4 bits (AMD
  /// Instinct CDNA 3 Instruction Set Architecture guide, hardware registers: XCC_ID). Never
  /// reckoned from the workgroup's number: the first one's XCD differs from launch to launch.
  static constexpr int xcd_keys = 16;
  static KOHORT_FUNCTION int xcd() {
    KOHORT_HIP_DEVICE_BODY(int id; asm volatile("s_getreg_b32 %0, hwreg(HW_REG_XCC_ID, 0, 4)"
                                                : "=s"(id));
                           return id;)
  }
  /// The compute unit within its XCD, with shader array and engine: a key for reports (the same
  /// guide, HW_ID, bits 8 to 15).
  static KOHORT_FUNCTION int unit() {
    KOHORT_HIP_DEVICE_BODY(int id; asm volatile("s_getreg_b32 %0, hwreg(HW_REG_HW_ID, 8, 8)"
                                                : "=s"(id));
                           return id | xcd() << 8;)
  }
};

}  // namespace kohort::Impl
