// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "segments.hpp"

#include <cstdint>

/// What is under way besides a cluster's threads (a copy, a product) has a place in the order of
/// its own: a lane of a group that no thread is in. Only who waited for it knows of it: its segment
/// lies behind every barrier that a thread will ever pass.
namespace kohort::simulator {

/// Groups of a team from here on are of agents.
inline constexpr std::uint16_t first_agent_group = 64;

inline bool is_agent(std::uint16_t group) { return group >= first_agent_group; }
inline bool is_agent(Segment const& segment) { return is_agent(segment.group); }

inline constexpr std::uint32_t behind_all_barriers = std::uint32_t{1} << 31U;

/// The thread of the segment's team that began the agent.
inline int issuer_of(Segment const& agent) {
  return static_cast<int>(agent.arrivals & ~behind_all_barriers);
}

/// One agent's work. A lane is used again when who begins the next one knows the last to be done:
/// so to know of one is to know of all before.
struct Agent {
  SegmentId segment = 0;
  std::uint32_t lane = 0;
};

}  // namespace kohort::simulator
