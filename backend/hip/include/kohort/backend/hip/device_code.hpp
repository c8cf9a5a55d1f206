// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

#include <hip/hip_runtime.h>

/// The body of a host-device function that only a device runs: the host pass compiles the function
/// too, and never calls it.
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define KOHORT_HIP_DEVICE_BODY(...) __VA_ARGS__
#else
#define KOHORT_HIP_DEVICE_BODY(...) __builtin_unreachable();
#endif

namespace kohort::Impl {

/// Whether barriers within an XCD keep to it (fences.hpp). Off with KOHORT_HIP_CONSERVATIVE: then
/// they use the compiler's own fences of agent scope, which write the L2 back.
#if defined(KOHORT_HIP_CONSERVATIVE)
inline constexpr bool hip_fences_within_xcd = false;
#else
inline constexpr bool hip_fences_within_xcd = true;
#endif

}  // namespace kohort::Impl
