// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// KOHORT_UNROLL: before a loop of constant length that must be unrolled, because its arrays live
/// in registers. KOHORT_NO_UNROLL: before a loop at the kernel's edge, where unrolling costs
/// registers that the hot loop then lacks. nvcc's pragma is unknown to g++, which reads the same
/// source for the host.
#if defined(__CUDA_ARCH__)
#define KOHORT_UNROLL _Pragma("unroll")
#define KOHORT_NO_UNROLL _Pragma("unroll 1")
#else
#define KOHORT_UNROLL
#define KOHORT_NO_UNROLL
#endif
