// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace kohort::simulator {

using SegmentId = std::uint32_t;

/// Threads that keep step share a segment: 32 neighbours of a team at most, whatever the device's
/// subgroups are, so that a set of them is a word.
inline constexpr int group_lanes = 32;

/// A stretch of a thread's run without a synchronisation of its own, shared by the threads of its
/// group that have passed the same ones. Every access is stamped with its segment and its lane;
/// what the segment says of the synchronisations passed is how an access is found to be ordered.
struct Segment {
  std::uint32_t cluster = 0;
  std::uint16_t team = 0;
  std::uint16_t group = 0;     ///< of the team
  std::uint32_t arrivals = 0;  ///< at the cluster barrier so far, of either kind
  std::uint32_t barriers = 0;  ///< of the team, passed so far
  std::uint32_t ticks = 1;     ///< more by one with each synchronisation: rises along a thread
  std::uint32_t site = 0;      ///< of the last one, in check/sites.hpp; 0: none yet
};

/// Numbers fit 26 bits of a shadow word.
inline constexpr SegmentId most_segments = SegmentId{1} << 26U;

/// Every segment of the process by number, which only rise. 1.6 GB of addresses, of which a page is
/// memory once it is used.
extern Segment* segments;

/// Gives out segment numbers to one worker.
class SegmentSource {
 public:
  /// @return 0 when the numbers are used up
  SegmentId make(Segment const& segment);

 private:
  SegmentId next_ = 0;
  SegmentId end_ = 0;
};

/// The number of a segment before all launches.
inline constexpr SegmentId forgotten_segment = 1;

/// The lowest number that segments from now on have. `may_start_over`: with an empty shadow, when
/// few numbers are left.
SegmentId next_segment(bool may_start_over);

}  // namespace kohort::simulator
