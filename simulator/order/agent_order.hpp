// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agents.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kohort::simulator {

/// The lanes that the agents of one team have, each with the last that used it.
class AgentLanes {
 public:
  /// A lane of which `is_done(lane, last)` says that its last agent is, or another one.
  template <class IsDone>
  std::size_t free_lane(IsDone const& is_done) {
    // Most agents end in order. A few that never do must not be asked about each time.
    constexpr std::size_t most_asked = 64;
    std::size_t const asked = last_.size() < most_asked ? last_.size() : most_asked;
    for (std::size_t i = 0; i < asked; ++i) {
      next_ = (next_ + 1) % last_.size();
      if (!is_reserved_[next_] && is_done(next_, last_[next_])) return next_;
    }
    return add(false);
  }
  /// A lane that is nobody else's: its user begins agents that end in order.
  std::size_t reserve() { return add(true); }

  void use(std::size_t lane, SegmentId segment) { last_[lane] = segment; }
  SegmentId last(std::size_t lane) const { return last_[lane]; }

  static std::uint16_t group_of(std::size_t lane) {
    return static_cast<std::uint16_t>(first_agent_group + lane / group_lanes);
  }
  static std::uint32_t in_group(std::size_t lane) {
    return static_cast<std::uint32_t>(lane % group_lanes);
  }

 private:
  std::size_t add(bool is_reserved) {
    last_.push_back(0);
    is_reserved_.push_back(is_reserved);
    return next_ = last_.size() - 1;
  }

  std::vector<SegmentId> last_;
  std::vector<bool> is_reserved_;
  std::size_t next_ = 0;
};

}  // namespace kohort::simulator
