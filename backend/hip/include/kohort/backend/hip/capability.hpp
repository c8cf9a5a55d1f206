// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/target.hpp>
#include <kohort/properties.hpp>

namespace kohort::Impl {

/// As the driver and the probe of the XCDs answered once; a domain is an XCD.
template <>
struct Capability<Hip> {
  static DeviceProperties of(Hip const& target) { return state_of(target).emulated_properties; }
};

}  // namespace kohort::Impl
