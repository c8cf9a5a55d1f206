// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/plan.hpp>
#include <kohort/backend/hip/device.hpp>
#include <kohort/targets.hpp>

#include <hip/hip_runtime.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kohort {
namespace Impl {

template <>
inline constexpr bool backend_is_available<Hip> = true;

/// What the copies of one Hip handle share.
struct HipState {
  HipState(int device_number, hipStream_t queue, bool owned)
      : device(device_number),
        stream(queue),
        owns_stream(owned),
        facts(hip_facts(device)),
        emulated_properties(Impl::emulated_properties(
            facts.properties,
            *std::max_element(facts.properties.domains.begin(), facts.properties.domains.end()))) {}
  HipState(HipState const&) = delete;
  HipState& operator=(HipState const&) = delete;
  ~HipState() {
    (void)hipStreamSynchronize(stream);
    arena.free_all();
    control.free_all();
    seats.free_all();
    partials.free_all();
    ticket.free_all();
    if (owns_stream) (void)hipStreamDestroy(stream);
  }

  int device;
  hipStream_t stream;
  bool owns_stream;
  HipFacts const& facts;
  DeviceProperties emulated_properties;
  HipGrowingMemory arena{"the cluster scratch of emulated clusters", false};
  HipGrowingMemory control{"the barriers of emulated clusters", true};
  HipGrowingMemory seats{"the seats of emulated clusters", false};
  HipGrowingMemory partials{"a reduction's partials", false};
  HipGrowingMemory ticket{"a reduction's ticket", true};
};

inline std::string device_text(HipState const& state) {
  return "Hip (" + state.facts.properties.device + ")";
}

HipState& state_of(Hip const& target);

}  // namespace Impl

/// An AMD GPU, or a partition of one, and a stream on it. Copies are handles to the same stream;
/// kernels of one run in the order in which they were launched.
class Hip {
 public:
  /// Owns a new stream on the current device. @throws DeviceError if there is no device.
  Hip() : state_(with_new_stream()) {}
  /// Borrows `stream` on the current device; it must outlive the last copy.
  explicit Hip(hipStream_t stream)
      : state_(std::make_shared<Impl::HipState>(current_device(), stream, false)) {}

  hipStream_t stream() const { return state_->stream; }
  int device() const { return state_->device; }

  /// Waits for everything launched so far. @throws DeviceError if a kernel failed
  void fence(std::string_view label = "") const {
    Impl::require_hip(
        hipStreamSynchronize(state_->stream),
        label.empty() ? "a fence on " + Impl::device_text(*state_)
                      : "fence \"" + std::string(label) + "\" on " + Impl::device_text(*state_));
  }

 private:
  friend Impl::HipState& Impl::state_of(Hip const& target);

  static int current_device() {
    int device = 0;
    Impl::require_hip(hipGetDevice(&device), "asking for the current HIP device");
    return device;
  }
  static std::shared_ptr<Impl::HipState> with_new_stream() {
    int const device = current_device();
    hipStream_t stream = nullptr;
    Impl::require_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking),
                      "creating a HIP stream");
    return std::make_shared<Impl::HipState>(device, stream, true);
  }

  std::shared_ptr<Impl::HipState> state_;
};

namespace Impl {

inline HipState& state_of(Hip const& target) { return *target.state_; }

}  // namespace Impl
}  // namespace kohort
