// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/session.hpp>

namespace kohort::cli {

template <>
class Session<Cuda> {
 public:
  static constexpr char const* target_name = "cuda";
  static constexpr bool first_launch_is_slow = true;  // the driver loads the module then

  explicit Session(Arguments const&) {}

  Cuda const& target() const { return target_; }
  std::string device() const { return properties(target_).device; }
  /// A GPU counts nothing; the simulator does.
  Counts counts() const { return {}; }

 private:
  Cuda target_;
};

}  // namespace kohort::cli
