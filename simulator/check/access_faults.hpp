// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cells.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kohort::simulator {

struct ClusterState;
class Finding;

/// One side of a fault: an access and who made it.
struct FaultyAccess {
  SegmentId segment = 0;
  std::uint32_t lane = 0;
  AccessKind kind = AccessKind::read;
  AtomicScope scope = AtomicScope::system;
  SiteId site = unknown_site;
  int thread() const;  ///< in its team
};

/// A fault of accesses, as a detector saw it. `earlier` counts for faults of two sides only.
struct AccessFault {
  char const* id = "";
  std::uintptr_t address = 0;
  std::uint32_t bytes = 0;
  FaultyAccess earlier;
  FaultyAccess later;
  bool has_earlier = false;
  int peer = -1;                    ///< of lifetime faults: the team whose memory it is
  SiteId peer_site = unknown_site;  ///< and its last synchronisation
};

/// What the detectors found in one cluster. Faults of the same kind from the same lines are one.
class AccessFaults {
 public:
  void clear() { found_.clear(); }
  bool empty() const { return found_.empty(); }
  void add(AccessFault const& fault);

  /// The first as a report, with the others counted in it.
  std::unique_ptr<Finding> finding(ClusterState const& cluster) const;

 private:
  struct Counted {
    AccessFault fault;
    long long count = 1;
  };
  /// Those of the same source lines as one, without reads that a race explains.
  std::vector<Counted> by_lines() const;

  std::vector<Counted> found_;
};

}  // namespace kohort::simulator
