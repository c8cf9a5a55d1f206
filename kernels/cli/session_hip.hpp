// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/session.hpp>

namespace kohort::cli {

template <>
class Session<Hip> {
 public:
  static constexpr char const* target_name = "hip";
  static constexpr bool first_launch_is_slow = true;  // the runtime loads the code object then
  static constexpr bool has_device_clock = false;     // no AMD device has run this yet: no timings

  explicit Session(Arguments const&) {}

  Hip const& target() const { return target_; }
  std::string device() const { return properties(target_).device; }
  Counts counts() const { return {}; }

 private:
  Hip target_;
};

}  // namespace kohort::cli
