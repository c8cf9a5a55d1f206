// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

/// The body of a host-device function that only a device runs. A user's host-device lambda is
/// compiled for the host too, so the function must exist there; nothing ever calls it.
#if defined(__CUDA_ARCH__)
#define KOHORT_CUDA_DEVICE_BODY(...) __VA_ARGS__
#else
#define KOHORT_CUDA_DEVICE_BODY(...) __builtin_unreachable();
#endif

namespace kohort::Impl {

/// Whether kernels of clusters are compiled for software clusters too: on request
/// (KOHORT_EMULATED_CLUSTERS, the same in all units of a program), and where an architecture of the
/// build has no others.
#if defined(KOHORT_EMULATED_CLUSTERS)
inline constexpr bool cuda_compiles_emulated = true;
#elif defined(__CUDA_ARCH_LIST__)
inline constexpr bool cuda_compiles_emulated = [] {
  for (int architecture : {__CUDA_ARCH_LIST__})
    if (architecture < 900) return true;
  return false;
}();
#else
inline constexpr bool cuda_compiles_emulated = false;
#endif

/// Clusters exist from compute capability 9.0 on. Older architectures compile kernels of single
/// teams; a kernel for clusters is compiled there too and never launched.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
inline constexpr bool cuda_has_clusters = true;
#define KOHORT_CUDA_CLUSTER_DIMS(...) __cluster_dims__(__VA_ARGS__)
#else
inline constexpr bool cuda_has_clusters = false;
#define KOHORT_CUDA_CLUSTER_DIMS(...)
#endif

}  // namespace kohort::Impl
