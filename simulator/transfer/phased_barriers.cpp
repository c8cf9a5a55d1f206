// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../check/faults.hpp"
#include "../check/transfer_faults.hpp"
#include "../engine/launch_state.hpp"
#include "../engine/switching.hpp"
#include "transfer_table.hpp"

#include <cstring>

namespace kohort::simulator {
namespace {

/// What the 8 bytes hold for whoever looks: "barrier", backwards as a hexadecimal number.
constexpr std::uint64_t barrier_pattern = 0x0072656972726162;

bool is_own(ThreadState const& self, void const* barrier) {
  Arena const& arena = cluster_of(self).arena;
  return arena.contains(barrier) && arena.team_of(barrier) == self.team->rank;
}

PhasedBarrier& initialised(ThreadState& self, void const* barrier, char const* operation,
                           Site site) {
  PhasedBarrier* const found = transfers_of(cluster_of(self)).find(barrier);
  if (found == nullptr) report_uninitialised_barrier(self, barrier, operation, site);
  return *found;
}

/// A barrier of the team's own, as every operation but a remote arrival wants it.
PhasedBarrier& own_barrier(ThreadState& self, void const* barrier, char const* operation,
                           Site site) {
  if (cluster_of(self).arena.contains(barrier) && !is_own(self, barrier))
    report_remote_barrier(self, barrier, operation, site);
  return initialised(self, barrier, operation, site);
}

void complete_if_over(ClusterState& cluster, PhasedBarrier& barrier) {
  if (!barrier.is_over()) return;
  barrier.begin_next_phase();
  ++cluster.progress;
  for (int const thread : barrier.waiting) cluster.scheduler.make_ready(thread);
  barrier.waiting.clear();
}

void count_arrival(ThreadState& self, void const* address, PhasedBarrier& barrier, Site site) {
  // Who arrives for a phase knows that the one before is over, and that is what a wait tells: an
  // arrival for a phase that began unseen was meant for the one before.
  bool const was_unseen = barrier.arrived == 0 && !barrier.was_waited_for;
  if (barrier.arrived == barrier.arrivals || was_unseen)
    report_barrier_overflow(self, address, barrier, site);
  ++barrier.arrived;
  barrier.last_arrival = site;
  complete_if_over(cluster_of(self), barrier);
}

void count_expected(ThreadState& self, void const* address, PhasedBarrier& barrier, int bytes,
                    Site site) {
  if (bytes < 0 || barrier.expected + bytes > PhasedBarrier::most_bytes)
    report_too_many_bytes(self, address, barrier, bytes, site);
  barrier.expected += bytes;
}

}  // namespace

TransferTable& transfers_of(ClusterState& cluster) {
  if (cluster.transfers == nullptr) cluster.transfers = std::make_unique<TransferTable>();
  return *cluster.transfers;
}

void bring_bytes(ClusterState& cluster, PhasedBarrier& barrier, std::uint32_t bytes) {
  barrier.brought += bytes;
  complete_if_over(cluster, barrier);
}

void init_transfer_barrier(Thread& thread, void* barrier, int arrivals, Site site) {
  ThreadState& self = state_of(thread);
  if (!is_own(self, barrier))
    report_transfer_scratch(self, "init_barrier", "a phased barrier lies in its team's scratch",
                            site);
  if (reinterpret_cast<std::uintptr_t>(barrier) % 8 != 0)
    report_transfer_alignment(self, "a phased barrier's address", 8, site);
  if (arrivals < 1 || arrivals > PhasedBarrier::most_bytes)
    report_barrier_count(self, arrivals, site);
  PhasedBarrier& state = transfers_of(cluster_of(self)).barriers[barrier];
  state = PhasedBarrier{};
  state.team = self.team->rank;
  state.arrivals = arrivals;
  state.init = site;
  std::memcpy(barrier, &barrier_pattern, sizeof barrier_pattern);
}

void fence_transfer_barrier_init(Thread&, Site) {}

void arrive_at_transfer_barrier(Thread& thread, void* barrier, Site site) {
  ThreadState& self = state_of(thread);
  preempt(cluster_of(self), self);
  count_arrival(self, barrier, own_barrier(self, barrier, "arrive", site), site);
}

void arrive_at_peers_transfer_barrier(Thread& thread, void* barrier, int rank, bool, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  if (rank < 0 || rank >= cluster.size) report_peer_rank(self, rank, site);
  if (!is_own(self, barrier))
    report_transfer_scratch(self, "arrive", "a barrier is named as the calling team's own", site);
  preempt(cluster, self);
  void* const twin = map_peer(thread, barrier, rank, site);
  count_arrival(self, twin, initialised(self, twin, "arrive", site), site);
}

void expect_bytes(Thread& thread, void* barrier, int bytes, bool arrives, Site site) {
  ThreadState& self = state_of(thread);
  char const* const operation = arrives ? "arrive_expecting" : "expect_bytes";
  preempt(cluster_of(self), self);
  PhasedBarrier& state = own_barrier(self, barrier, operation, site);
  count_expected(self, barrier, state, bytes, site);
  if (arrives) {
    count_arrival(self, barrier, state, site);
  } else {
    complete_if_over(cluster_of(self), state);
  }
}

void wait_for_transfer_barrier(Thread& thread, void* barrier, std::uint32_t parity, AtomicScope,
                               Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  preempt(cluster, self);
  PhasedBarrier& state = own_barrier(self, barrier, "wait", site);
  ++cluster.worker->counts.phased_waits;
  if (state.waited.empty()) state.waited.resize(static_cast<std::size_t>(self.team->threads));
  PhasedBarrier::Waited& mine = state.waited[static_cast<std::size_t>(self.rank)];
  if (state.has_passed(parity)) {
    // The same line waits for one phase after the other. Another line may well wait for a phase
    // that this thread has seen: it may have a Waiter of its own.
    if (mine.phase == state.phase - 1 && same_site(mine.site, site))
      report_stale_phase(self, barrier, state, site);
    mine = {state.phase - 1, site};
    state.was_waited_for = true;
    return;
  }
  mine = {state.phase, site};
  state.waiting.push_back(self.index);
  self.site = site;
  self.sent = barrier;
  self.argument = static_cast<int>(state.phase);
  block(cluster, self, Waiting::transfer_barrier);
}

void fence_before_transfer(Thread&, Site) {}

}  // namespace kohort::simulator
