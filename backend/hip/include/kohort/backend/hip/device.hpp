// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/registers.hpp>
#include <kohort/device_error.hpp>
#include <kohort/impl/growing_memory.hpp>
#include <kohort/properties.hpp>

#include <hip/hip_runtime.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace kohort::Impl {

inline void require_hip(hipError_t error, std::string const& doing) {
  if (error == hipSuccess) return;
  (void)hipGetLastError();
  throw DeviceError("kohort: " + doing + " failed\n  error       " + hipGetErrorName(error) + " (" +
                        hipGetErrorString(error) + ")",
                    hipGetErrorName(error), {});
}

struct HipOwnMemory {
  static void* allocate(std::size_t bytes, std::string const& doing) {
    void* memory = nullptr;
    require_hip(hipMalloc(&memory, bytes), doing);
    return memory;
  }
  static void clear(void* memory, std::size_t bytes, std::string const& doing) {
    require_hip(hipMemset(memory, 0, bytes), doing);
    require_hip(hipDeviceSynchronize(), doing);
  }
  static void release(void* memory) noexcept { (void)hipFree(memory); }
};
using HipGrowingMemory = GrowingMemory<HipOwnMemory>;

/// Makes `device` current while it lives.
class HipDeviceGuard {
 public:
  explicit HipDeviceGuard(int device) {
    require_hip(hipGetDevice(&previous_), "asking for the current HIP device");
    if (previous_ != device)
      require_hip(hipSetDevice(device), "selecting HIP device " + std::to_string(device));
  }
  ~HipDeviceGuard() { (void)hipSetDevice(previous_); }
  HipDeviceGuard(HipDeviceGuard const&) = delete;
  HipDeviceGuard& operator=(HipDeviceGuard const&) = delete;

 private:
  int previous_ = 0;
};

/// Writes down the XCD of every workgroup.
template <class = void>
__global__ void xcd_probe_kernel(int* xcd_of_team) {
  if (HipRegisters::thread() == 0) xcd_of_team[HipRegisters::index(0)] = HipRegisters::xcd();
}

/// How many XCDs the device has as this process sees it, partitioned or whole: asked of the
/// hardware, by workgroups enough that each XCD gets several, however they are dealt out.
inline int count_xcds(int sm_count) {
  int const teams = 16 * sm_count;
  auto* const memory = static_cast<int*>(
      HipOwnMemory::allocate(teams * sizeof(int), "allocating the probe of the XCDs"));
  xcd_probe_kernel<><<<teams, HipRegisters::wavefront>>>(memory);
  std::vector<int> xcds(teams);
  hipError_t const error =
      hipMemcpy(xcds.data(), memory, teams * sizeof(int), hipMemcpyDeviceToHost);
  HipOwnMemory::release(memory);
  require_hip(error, "probing the XCDs");
  return static_cast<int>(std::set<int>(xcds.begin(), xcds.end()).size());
}

/// What is asked of a device once.
struct HipFacts {
  DeviceProperties properties;  ///< its clusters are the emulated ones
  std::string architecture;     ///< such as "gfx950:sramecc+:xnack-"
  int xcds = 1;
};

inline HipFacts ask_hip_device(int device) {
  HipDeviceGuard const guard(device);
  hipDeviceProp_t asked;
  require_hip(hipGetDeviceProperties(&asked, device), "asking for the device's properties");
  HipFacts facts;
  facts.architecture = asked.gcnArchName;
  facts.xcds = count_xcds(asked.multiProcessorCount);
  DeviceProperties& properties = facts.properties;
  properties.target = "Hip";
  properties.device = asked.name;
  properties.sm_count = asked.multiProcessorCount;
  properties.domains.assign(facts.xcds, asked.multiProcessorCount / facts.xcds);
  properties.l2_caches = facts.xcds;
  properties.subgroup_size = asked.warpSize;
  properties.max_team_size = asked.maxThreadsPerBlock;
  properties.max_threads_per_sm = asked.maxThreadsPerMultiProcessor;
  properties.max_teams_per_sm = asked.maxThreadsPerMultiProcessor / asked.warpSize;
  properties.max_team_scratch_bytes = static_cast<long long>(asked.sharedMemPerBlock);
  properties.scratch_bytes_per_sm = static_cast<long long>(asked.sharedMemPerBlock);
  return facts;
}

inline HipFacts const& hip_facts(int device) {
  constexpr int most = 64;
  static std::array<std::once_flag, most> asked;
  static std::array<HipFacts, most> facts;
  if (device < 0 || device >= most)
    throw std::out_of_range("kohort: HIP device " + std::to_string(device) +
                            ": the tables hold devices 0 to 63");
  std::call_once(asked[device], [device] { facts[device] = ask_hip_device(device); });
  return facts[device];
}

}  // namespace kohort::Impl
