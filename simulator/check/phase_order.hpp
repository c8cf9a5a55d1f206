// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../order/agents.hpp"
#include "../order/knowledge.hpp"

#include <vector>

namespace kohort::simulator {

/// What the order of events has to do with a phased barrier.
struct PhaseOrder {
  /// Where a thread was in its run as it did something.
  struct Event {
    SegmentId segment = 0;
    std::uint32_t lane = 0;
  };

  /// What a phase collects, for a wait at team scope and for one at cluster scope. Arrivals of
  /// phases long over count as well: each is an operation on the same 8 bytes.
  struct Collected {
    KnowledgeHandle of_team;
    KnowledgeHandle of_cluster;
  };

  int initialiser = 0;  ///< thread of the cluster
  Event init;
  bool is_init_fenced = false;  ///< a relaxed arrival hands it on
  Collected filling;
  Collected complete;
  std::vector<Event> waits;          ///< for the phase before the one that fills
  std::vector<Event> earlier_waits;  ///< for the one before that
};

/// Of both what either says.
inline void join_into(KnowledgeHandle& all, KnowledgeHandle const& more) {
  if (!more) return;
  if (!all) {
    all = more;
  } else {
    all.own().join(*more.get());
  }
}

}  // namespace kohort::simulator
