// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/error.hpp>
#include <kohort/backend/cuda/launch_log.hpp>

#include <cuda_runtime.h>

#include <string>
#include <string_view>

namespace kohort::Impl {

/// "cudaErrorLaunchFailure (unspecified launch failure)"
inline std::string error_text(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")";
}

/// Whether `error` tells of a kernel that ran, not of the call that returned it. The context is
/// lost then: every later call returns the same.
inline bool is_from_an_earlier_kernel(cudaError_t error) {
  switch (error) {
    case cudaErrorAssert:
    case cudaErrorContained:
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

inline std::string_view error_hint(cudaError_t error) {
  switch (error) {
    case cudaErrorLaunchFailure:
      return "a team that exits while its peers read its memory gives this: run the kernel on the "
             "simulator";
    case cudaErrorIllegalAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorMisalignedAddress:
      return "an access outside the kernel's memory: compute-sanitizer names the thread and the "
             "line";
    case cudaErrorAssert:
      return "an assert() of the kernel failed: its text stands above in standard error";
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
      return "the stream is being captured into a graph: a fence, a copy and a reduction into a "
             "host scalar wait for results, which a capture can't; use a Buffer for the result";
    case cudaErrorMemoryAllocation:
      return "less memory is free than was asked for";
    default:
      return "the CUDA Runtime API's page of error codes says more";
  }
}

inline std::string launched_text(std::vector<std::string> const& launches, std::size_t dropped) {
  if (launches.empty()) return "nothing since the last wait";
  std::string text;
  if (dropped > 0) text = std::to_string(dropped) + " more, then ";
  for (std::size_t i = 0; i < launches.size(); ++i) {
    text += (i == 0 ? "\"" : ", \"") + launches[i] + "\"";
  }
  return launches.size() > 1 ? text + ", oldest first" : text;
}

/// @param doing   such as `fence "after the sweep"`
/// @param device  such as `Cuda (NVIDIA H200)`
[[noreturn]] inline void throw_device_error(std::string const& doing, std::string const& device,
                                            cudaError_t error, LaunchLog const& log) {
  std::size_t dropped = 0;
  std::vector<std::string> const launches = log.labels(dropped);
  std::string text = "kohort: " + doing + " failed on " + device;
  text += "\n  error       " + error_text(error);
  text += "\n  launched    " + launched_text(launches, dropped);
  text += "\n  hint        " + std::string(error_hint(error));
  throw DeviceError(text, cudaGetErrorName(error), launches);
}

/// For calls that belong to no target yet.
inline void require_success(cudaError_t error, std::string const& doing) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError("kohort: " + doing + " failed\n  error       " + error_text(error),
                    cudaGetErrorName(error), {});
}

}  // namespace kohort::Impl
