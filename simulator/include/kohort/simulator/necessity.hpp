// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kohort::simulator {

enum class BarrierKind : std::uint8_t { team, subgroup, named, cluster };
char const* to_string(BarrierKind kind);

/// A barrier of a kernel in its source. A split one is where it arrives.
struct BarrierSite {
  std::string file;
  int line = 0;
  BarrierKind kind = BarrierKind::team;
};

/// The barriers that launches in mode check came to since the last call, by file and line.
std::vector<BarrierSite> take_barrier_sites();

/// While it lives, the barriers at `site` order no accesses for launches in mode check: threads
/// still wait for each other. Process-wide, one at a time.
class IgnoredBarrier {
 public:
  explicit IgnoredBarrier(BarrierSite const& site);
  ~IgnoredBarrier();
  IgnoredBarrier(IgnoredBarrier const&) = delete;
  IgnoredBarrier& operator=(IgnoredBarrier const&) = delete;
};

}  // namespace kohort::simulator
