// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/profile.hpp>
#include <string>

namespace kohort::simulator {

/// A picture of the device for a terminal: its SM groups as bars of one block an SM, and for each
/// cluster size how many clusters are resident at once and which part of the SMs they use.
///
/// @param columns  width to keep within; fewer than 60 are taken as 60
/// @return UTF-8 lines, each ended by a newline. Groups of equal size are drawn once with their
///         count from three on; a group too wide for the line is drawn to a scale that is stated.
std::string draw_group_map(DeviceProfile const& profile, int columns);

}  // namespace kohort::simulator
