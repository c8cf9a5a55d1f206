// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/finding.hpp>

namespace kohort {

/// What a launch on the simulator throws when the kernel is at fault.
using Finding = simulator::Finding;

}  // namespace kohort
