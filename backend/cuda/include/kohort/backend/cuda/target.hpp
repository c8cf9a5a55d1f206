// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device.hpp>
#include <kohort/backend/cuda/emulated_workspace.hpp>
#include <kohort/backend/cuda/launch_log.hpp>
#include <kohort/backend/cuda/reduce_workspace.hpp>
#include <kohort/backend/cuda/report.hpp>
#include <kohort/backend/emulated/plan.hpp>
#include <kohort/impl/cluster_mode.hpp>
#include <kohort/targets.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kohort {
namespace Impl {

template <>
inline constexpr bool backend_is_available<Cuda> = true;

/// What the copies of one Cuda handle share.
struct CudaState {
  CudaState(int device_number, cudaStream_t queue, bool owned)
      : device(device_number),
        stream(queue),
        owns_stream(owned),
        facts(device_facts(device)),
        cluster_mode(resolved_mode(cluster_mode_of_environment(),
                                   facts.properties.largest_nonportable_cluster > 1
                                       ? ClusterMode::native
                                       : ClusterMode::emulated)),
        emulated_properties(
            Impl::emulated_properties(facts.properties, facts.properties.sm_count)) {}
  CudaState(CudaState const&) = delete;
  CudaState& operator=(CudaState const&) = delete;
  ~CudaState() {
    cudaStreamSynchronize(stream);
    workspace.free_all();
    emulated.free_all();
    if (owns_stream) cudaStreamDestroy(stream);
  }

  int device;
  cudaStream_t stream;
  bool owns_stream;
  DeviceFacts const& facts;
  ClusterMode cluster_mode;              ///< what automatic stands for
  DeviceProperties emulated_properties;  ///< the device as emulated launches have it
  LaunchLog log;
  ReduceWorkspace workspace;
  EmulatedWorkspace emulated;

  DeviceProperties const& properties_in(ClusterMode mode) const {
    return mode == ClusterMode::emulated ? emulated_properties : facts.properties;
  }
};

/// "Cuda (NVIDIA H200)"
inline std::string device_text(CudaState const& state) {
  return "Cuda (" + state.facts.properties.device + ")";
}

[[noreturn]] inline void throw_device_error(std::string const& doing, CudaState const& state,
                                            cudaError_t error) {
  cudaGetLastError();
  throw_device_error(doing, device_text(state), error, state.log);
}

/// An error if the stream is being captured. Asked before anything that waits: the driver would
/// refuse the wait as well, and break the capture.
inline cudaError_t require_no_capture(CudaState const& state) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaError_t const error = cudaStreamIsCapturing(state.stream, &status);
  if (error != cudaSuccess || status == cudaStreamCaptureStatusNone) return error;
  return cudaErrorStreamCaptureUnsupported;
}

/// Waits for the stream.
inline cudaError_t wait_for(CudaState const& state) {
  cudaError_t const error = require_no_capture(state);
  return error == cudaSuccess ? cudaStreamSynchronize(state.stream) : error;
}

CudaState& state_of(Cuda const& target);

}  // namespace Impl

/// A GPU and a stream on it. Copies are handles to the same stream.
///
/// Kernels of one Cuda run in the order in which they were launched. Several host threads may
/// launch into one; parallel_reduce() into a host scalar lets one thread in at a time. Its
/// reductions share a workspace, so a graph that captured one must not run while this Cuda's
/// stream, or another launch of that graph, runs a reduction too: give the graph a Cuda of its own.
class Cuda {
 public:
  /// Owns a new stream on the current device. @throws DeviceError if there is no device.
  Cuda() : state_(with_new_stream()) {}

  /// Borrows `stream`, which must outlive the last copy. 0 is the current device's legacy stream.
  explicit Cuda(cudaStream_t stream)
      : state_(std::make_shared<Impl::CudaState>(device_of(stream), stream, false)) {}

  /// The same where the caller knows the stream's device: nothing is asked of the stream, which may
  /// be under capture.
  Cuda(cudaStream_t stream, int device)
      : state_(std::make_shared<Impl::CudaState>(device, stream, false)) {}

  /// What ClusterMode::automatic means for launches on this target from now on; automatic stands
  /// for what the device has. KOHORT_CLUSTER_MODE is its twin in the environment.
  void set_cluster_mode(ClusterMode mode) const {
    bool const has_native = state_->facts.properties.largest_nonportable_cluster > 1;
    state_->cluster_mode =
        Impl::resolved_mode(mode, has_native ? ClusterMode::native : ClusterMode::emulated);
  }

  /// Keeps the teams of each emulated cluster within one domain: `domain_of_sm` has the number of
  /// each SM's, from 0 on. Hardware clusters know nothing of it. Without it the device is one
  /// domain.
  /// @throws std::invalid_argument for a number that is missing, or a wrong count of SMs
  void divide_into_domains(std::vector<int> const& domain_of_sm) const {
    Impl::DeviceGuard const guard(state_->device);
    state_->emulated.divide(domain_of_sm, state_->facts.properties.sm_count);
    std::vector<int> const& domains = state_->emulated.domains();
    state_->emulated_properties = Impl::emulated_properties(
        state_->facts.properties, *std::max_element(domains.begin(), domains.end()));
  }

  cudaStream_t stream() const { return state_->stream; }
  int device() const { return state_->device; }

  /// Waits for everything launched so far.
  /// @throws DeviceError if a kernel failed, or the stream is being captured; it names `label` and
  /// what was launched since the last
  ///         fence. The process's context is lost then, as CUDA has it.
  void fence(std::string_view label = "") const {
    if (cudaError_t const error = Impl::wait_for(*state_); error != cudaSuccess) {
      Impl::throw_device_error(label.empty() ? "a fence" : "fence \"" + std::string(label) + "\"",
                               *state_, error);
    }
    state_->log.clear();
  }

 private:
  friend Impl::CudaState& Impl::state_of(Cuda const& target);

  static int current_device() {
    int device = 0;
    Impl::require_success(cudaGetDevice(&device), "asking for the current CUDA device");
    return device;
  }
  static int device_of(cudaStream_t stream) {
    if (stream == nullptr) return current_device();
    int device = 0;
    Impl::require_success(cudaStreamGetDevice(stream, &device), "asking for a stream's device");
    return device;
  }
  static std::shared_ptr<Impl::CudaState> with_new_stream() {
    int const device = current_device();
    cudaStream_t stream = nullptr;
    Impl::require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                          "creating a CUDA stream");
    return std::make_shared<Impl::CudaState>(device, stream, true);
  }

  std::shared_ptr<Impl::CudaState> state_;
};

namespace Impl {

inline CudaState& state_of(Cuda const& target) { return *target.state_; }

}  // namespace Impl
}  // namespace kohort
