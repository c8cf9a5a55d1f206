// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kohort {

/// A failure that the device or its driver reported: a fence found that a kernel died, a copy or
/// an allocation went wrong. Names what was being done, the driver's error, and what was launched
/// since the last wait that succeeded.
class DeviceError : public std::runtime_error {
 public:
  DeviceError(std::string const& text, std::string error, std::vector<std::string> launches)
      : std::runtime_error(text), error_(std::move(error)), launches_(std::move(launches)) {}

  /// The driver's name of the error, such as "cudaErrorLaunchFailure".
  std::string const& error() const { return error_; }
  /// Labels, oldest first; one of them is the culprit.
  std::vector<std::string> const& launches() const { return launches_; }

 private:
  std::string error_;
  std::vector<std::string> launches_;
};

}  // namespace kohort
