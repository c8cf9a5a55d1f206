// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/report.hpp>
#include <kohort/properties.hpp>

#include <cuda_runtime.h>

#include <array>
#include <mutex>

namespace kohort::Impl {

/// Devices of one process that the per-device tables have room for.
inline constexpr int max_devices = 64;

/// CUDA's limit without an opt-in, on every device that has clusters (CUDA C++ Programming Guide,
/// "Thread Block Clusters").
inline constexpr int largest_portable_cluster = 8;
/// Shared memory that a block has without an opt-in, in bytes.
inline constexpr int plain_shared_bytes = 48 * 1024;

/// Where there is one device, it is everybody's current one, and a launch need not ask.
inline bool has_several_devices() {
  static bool const several = [] {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 1;
  }();
  return several;
}

/// Makes `device` current while it lives.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) {
    if (!has_several_devices()) return;
    cudaGetDevice(&previous_);
    if (previous_ != device) {
      require_success(cudaSetDevice(device), "selecting CUDA device " + std::to_string(device));
      changed_ = true;
    }
  }
  ~DeviceGuard() {
    if (changed_) cudaSetDevice(previous_);
  }
  DeviceGuard(DeviceGuard const&) = delete;
  DeviceGuard& operator=(DeviceGuard const&) = delete;

 private:
  int previous_ = 0;
  bool changed_ = false;
};

/// Lets this thread allocate and set attributes although a stream is being captured; neither
/// becomes part of the graph.
class OutsideCapture {
 public:
  OutsideCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~OutsideCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  OutsideCapture(OutsideCapture const&) = delete;
  OutsideCapture& operator=(OutsideCapture const&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// What is asked of a device once.
struct DeviceFacts {
  DeviceProperties properties;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  bool takes_preferred_cluster = false;
};

/// An empty kernel that stands in for one whose cluster can't be varied.
template <class = void>
__global__ void occupancy_probe_kernel() {}

/// The largest cluster with the opt-in, as the driver answers for an empty kernel.
inline int ask_largest_cluster() {
  void const* const kernel = reinterpret_cast<void const*>(&occupancy_probe_kernel<>);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(64);
  config.blockDim = dim3(32);
  int largest = 1;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (cudaOccupancyMaxPotentialClusterSize(&largest, kernel, &config) != cudaSuccess) largest = 1;
  cudaGetLastError();
  return largest;
}

inline DeviceFacts ask_device(int device) {
  OutsideCapture const outside;
  DeviceGuard const guard(device);
  cudaDeviceProp asked;
  require_success(cudaGetDeviceProperties(&asked, device), "asking for the device's properties");
  int has_clusters = 0;
  cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device);

  DeviceFacts facts;
  facts.compute_capability_major = asked.major;
  facts.compute_capability_minor = asked.minor;
  facts.takes_preferred_cluster = has_clusters && asked.major >= 10;
  DeviceProperties& properties = facts.properties;
  properties.target = "Cuda";
  properties.device = asked.name;
  properties.sm_count = asked.multiProcessorCount;
  properties.subgroup_size = asked.warpSize;
  properties.max_team_size = asked.maxThreadsPerBlock;
  properties.max_threads_per_sm = asked.maxThreadsPerMultiProcessor;
  properties.max_teams_per_sm = asked.maxBlocksPerMultiProcessor;
  properties.max_team_scratch_bytes = static_cast<long long>(asked.sharedMemPerBlockOptin);
  properties.scratch_bytes_per_sm = static_cast<long long>(asked.sharedMemPerMultiprocessor);
  properties.largest_portable_cluster = has_clusters ? largest_portable_cluster : 1;
  properties.largest_nonportable_cluster = has_clusters ? ask_largest_cluster() : 1;
  properties.has_dsmem = has_clusters;
  properties.has_multicast = has_clusters;
  properties.has_work_queue = has_clusters && asked.major >= 10;
  // tcgen05 exists in the 10.x and 11.x families; 12.x has clusters without it (PTX ISA, tcgen05).
  properties.has_pair_mma = asked.major == 10 || asked.major == 11;
  return facts;
}

/// Asked once a device, on first use.
inline DeviceFacts const& device_facts(int device) {
  static std::array<std::once_flag, max_devices> asked;
  static std::array<DeviceFacts, max_devices> facts;
  if (device < 0 || device >= max_devices)
    throw std::out_of_range("kohort: CUDA device " + std::to_string(device) +
                            ": the tables hold devices 0 to " + std::to_string(max_devices - 1));
  std::call_once(asked[device], [device] { facts[device] = ask_device(device); });
  return facts[device];
}

}  // namespace kohort::Impl
