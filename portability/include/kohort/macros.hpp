// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// KOHORT_FUNCTION marks what a kernel may call: host-device under a device compiler, and always
/// inlined, because a call that takes a member costs a stack frame and turns its loads generic.
/// KOHORT_LAMBDA is its lambda twin; KOHORT_CLASS_LAMBDA also copies `*this`.
#if defined(__CUDACC__)
#define KOHORT_FUNCTION __host__ __device__ __forceinline__
#define KOHORT_LAMBDA [=] __host__ __device__
#define KOHORT_CLASS_LAMBDA [ =, *this ] __host__ __device__
#elif defined(__HIPCC__)
#define KOHORT_FUNCTION __host__ __device__ inline __attribute__((always_inline))
#define KOHORT_LAMBDA [=] __host__ __device__
#define KOHORT_CLASS_LAMBDA [ =, *this ] __host__ __device__
#else
#define KOHORT_FUNCTION inline __attribute__((always_inline))
#define KOHORT_LAMBDA [=]
#define KOHORT_CLASS_LAMBDA [ =, *this ]
#endif

/// KOHORT_UNROLL: before a loop of constant length that must be unrolled, because its arrays live
/// in registers. KOHORT_NO_UNROLL: before a loop at the kernel's edge, where unrolling costs
/// registers that the hot loop then lacks, or one that seldom goes round. nvcc's pragma is unknown
/// to g++, which reads the same source for the host.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define KOHORT_UNROLL _Pragma("unroll")
#define KOHORT_NO_UNROLL _Pragma("unroll 1")
#else
#define KOHORT_UNROLL
#define KOHORT_NO_UNROLL
#endif
