// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/session.hpp>
#include <kernels/cli/stream_clock.hpp>

namespace kohort::cli {

template <>
class Session<Cuda> {
 public:
  static constexpr char const* target_name = "cuda";
  static constexpr bool first_launch_is_slow = true;  // the driver loads the module then
  static constexpr bool has_device_clock = true;

  explicit Session(Arguments const&) {}

  Cuda const& target() const { return target_; }
  std::string device() const { return properties(target_).device; }
  /// A GPU counts nothing; the simulator does.
  Counts counts() const { return {}; }
  std::vector<double> median_seconds(std::vector<std::function<void()>> const& calls) const {
    return StreamClock(target_).medians(calls);
  }

 private:
  Cuda target_;
};

}  // namespace kohort::cli
