// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

/// KOHORT_NO_UNROLL: before a loop at the kernel's edge, where unrolling costs registers that the
/// hot loop then lacks. Beside KOHORT_UNROLL of the library.
#if defined(__CUDA_ARCH__)
#define KOHORT_NO_UNROLL _Pragma("unroll 1")
#else
#define KOHORT_NO_UNROLL
#endif
