// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/launch_request.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace kohort::Impl {

/// @throws std::invalid_argument that lists the modes; `source` says where the text is from
inline ClusterMode parse_cluster_mode(std::string const& text, std::string const& source) {
  if (text == "automatic") return ClusterMode::automatic;
  if (text == "native") return ClusterMode::native;
  if (text == "emulated") return ClusterMode::emulated;
  throw std::invalid_argument("kohort: " + source + " is \"" + text +
                              "\": automatic, native and emulated are what it can be");
}

/// What ClusterMode::automatic is to mean in this process: KOHORT_CLUSTER_MODE, or automatic. So a
/// program, or a whole test suite, runs in emulated clusters without a change.
/// @throws std::invalid_argument
inline ClusterMode cluster_mode_of_environment() {
  char const* const value = std::getenv("KOHORT_CLUSTER_MODE");
  if (value == nullptr || *value == '\0') return ClusterMode::automatic;
  return parse_cluster_mode(value, "KOHORT_CLUSTER_MODE");
}

/// How a launch makes its clusters; never automatic.
inline ClusterMode resolved_mode(ClusterMode asked, ClusterMode of_device) {
  return asked == ClusterMode::automatic ? of_device : asked;
}

}  // namespace kohort::Impl
