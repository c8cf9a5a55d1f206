// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/kernel_family.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace kohort::Impl {

/// Asks once what a kernel needs of its own. Fails where the program has no code for the device.
inline cudaError_t get_to_know(Kernel const& kernel, KernelOnDevice& on) {
  cudaFuncAttributes attributes = {};
  cudaError_t const error = cudaFuncGetAttributes(&attributes, kernel.function);
  if (error != cudaSuccess) return error;
  on.static_shared_bytes = static_cast<int>(attributes.sharedSizeBytes);
  on.max_threads = attributes.maxThreadsPerBlock;
  on.done.fetch_or(KernelOnDevice::known, std::memory_order_release);
  return cudaSuccess;
}

/// The steps that a launch with these numbers needs.
inline unsigned needed_steps(KernelOnDevice const& on, long long scratch_bytes, bool nonportable) {
  unsigned steps = KernelOnDevice::known;
  if (scratch_bytes + on.static_shared_bytes > plain_shared_bytes)
    steps |= KernelOnDevice::large_scratch;
  if (nonportable) steps |= KernelOnDevice::nonportable;
  return steps;
}

inline cudaError_t prepare_first(Kernel const& kernel, int device, long long scratch_bytes,
                                 bool nonportable) {
  OutsideCapture const outside;
  std::lock_guard const lock(kernel.state->mutex);
  KernelOnDevice& on = kernel.on(device);
  if (!(on.done & KernelOnDevice::known)) {
    if (cudaError_t const error = get_to_know(kernel, on); error != cudaSuccess) return error;
  }
  unsigned const missing = needed_steps(on, scratch_bytes, nonportable) & ~on.done.load();
  if (missing & KernelOnDevice::large_scratch) {
    // All that the device has, so that no later launch raises it again. Left alone as long as no
    // launch needs it: a kernel that asks for little is then launched as a plain one is.
    int const most = static_cast<int>(device_facts(device).properties.max_team_scratch_bytes) -
                     on.static_shared_bytes;
    cudaError_t const error =
        cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error != cudaSuccess) return error;
  }
  if (missing & KernelOnDevice::nonportable) {
    cudaError_t const error =
        cudaFuncSetAttribute(kernel.function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error != cudaSuccess) return error;
  }
  on.done.fetch_or(missing, std::memory_order_release);
  return cudaSuccess;
}

/// Sets what the kernel needs for such launches. After the first, one load and a comparison.
inline cudaError_t prepare(Kernel const& kernel, int device, long long scratch_bytes,
                           bool nonportable) {
  KernelOnDevice const& on = kernel.on(device);
  unsigned const done = on.done.load(std::memory_order_acquire);
  if (done & KernelOnDevice::known) {
    unsigned const needed = needed_steps(on, scratch_bytes, nonportable);
    if ((done & needed) == needed) return cudaSuccess;
  }
  return prepare_first(kernel, device, scratch_bytes, nonportable);
}

}  // namespace kohort::Impl
