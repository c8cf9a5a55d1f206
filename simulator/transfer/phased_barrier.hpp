// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/operations.hpp>
#include <kohort/simulator/thread.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kohort::simulator {

struct PhaseOrder;

/// What an mbarrier keeps in its 8 bytes, and what a report wants to know besides.
struct PhasedBarrier {
  /// Of a thread of its team: the last phase that it waited for, and where.
  struct Waited {
    long long phase = before_any;
    Site site;
  };
  /// A thread of the cluster that waits.
  struct Waiting {
    int thread = 0;
    AtomicScope scope = AtomicScope::team;
  };
  static constexpr long long before_any = -2;  ///< -1 is what a producer waits for first
  /// Hardware counts to this.
  static constexpr long long most_bytes = (1LL << 20) - 1;

  int team = 0;      ///< whose memory it is in
  int arrivals = 0;  ///< a phase
  int arrived = 0;   ///< in this phase
  long long phase = 0;
  long long expected = 0;  ///< bytes, in this phase
  long long brought = 0;
  bool was_waited_for = true;  ///< the phase before this one, by anybody
  Site init;
  Site last_arrival;
  std::vector<Waiting> waiting;
  std::vector<Waited> waited;         ///< by rank in the team; empty until somebody waited
  std::shared_ptr<PhaseOrder> order;  ///< in check mode

  bool is_over() const { return arrived == arrivals && expected == brought; }
  bool has_passed(std::uint32_t parity) const {
    return (static_cast<std::uint32_t>(phase) & 1U) != parity;
  }
  void begin_next_phase() {
    ++phase;
    arrived = 0;
    expected = brought = 0;
    was_waited_for = !waiting.empty();
  }
};

}  // namespace kohort::simulator
