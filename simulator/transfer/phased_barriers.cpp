// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../check/cluster_check.hpp"
#include "../check/faults.hpp"
#include "../check/transfer_faults.hpp"
#include "../engine/launch_state.hpp"
#include "../engine/switching.hpp"
#include "transfer_table.hpp"

#include <cstring>

namespace kohort::simulator {
namespace {

bool holds_pattern(void const* barrier) {
  return std::memcmp(barrier, &barrier_pattern, sizeof barrier_pattern) == 0;
}

bool is_own(ThreadState const& self, void const* barrier) {
  Arena const& arena = cluster_of(self).arena;
  return arena.contains(barrier) && arena.team_of(barrier) == self.team->rank;
}

PhasedBarrier& initialised(ThreadState& self, void const* barrier, char const* operation,
                           Site site) {
  PhasedBarrier* const found = transfers_of(cluster_of(self)).find(barrier);
  ClusterCheck const* const check = cluster_of(self).check;
  if (found == nullptr || (check != nullptr && !check->knows_init(*found)))
    report_uninitialised_barrier(self, barrier, found, operation, site);
  require_untouched(self, barrier, *found, operation, site);
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
  if (cluster.check != nullptr) cluster.check->phase_completed(barrier);
  for (PhasedBarrier::Waiting const& waiting : barrier.waiting) {
    if (cluster.check != nullptr) cluster.check->waited(barrier, waiting.thread, waiting.scope);
    cluster.scheduler.make_ready(waiting.thread);
  }
  barrier.waiting.clear();
}

void count_arrival(ThreadState& self, void const* address, PhasedBarrier& barrier, Arrival arrival,
                   Site site) {
  ClusterState& cluster = cluster_of(self);
  // Who arrives for a phase knows that the one before is over, and that is what a wait tells: an
  // arrival for a phase that began unseen was meant for the one before.
  bool const was_unseen =
      (barrier.arrived == 0 && !barrier.was_waited_for) ||
      (cluster.check != nullptr && !cluster.check->knows_a_wait(barrier, barrier.phase - 1));
  if (barrier.arrived == barrier.arrivals || was_unseen)
    report_barrier_overflow(self, address, barrier, site);
  if (cluster.check != nullptr) {
    cluster.check->barrier_changed(address, site);
    cluster.check->arrived(barrier, arrival, site);
  }
  ++barrier.arrived;
  barrier.last_arrival = site;
  complete_if_over(cluster, barrier);
}

void count_expected(ThreadState& self, void const* address, PhasedBarrier& barrier, int bytes,
                    Site site) {
  if (bytes < 0 || barrier.expected + bytes > PhasedBarrier::most_bytes)
    report_too_many_bytes(self, address, barrier, bytes, site);
  barrier.expected += bytes;
}

/// A parity says which of two phases is meant. So who waits for one knows of the one before that it
/// is over, and does not wait for one twice.
void require_next_phase(ThreadState& self, void const* address, PhasedBarrier const& barrier,
                        PhasedBarrier::Waited const& last, long long wanted, Site site) {
  // Another line may well wait for a phase that this thread has seen: it may have a Waiter of its
  // own.
  bool const waits_twice = wanted == last.phase && same_site(last.site, site);
  ClusterCheck const* const check = cluster_of(self).check;
  bool const skips =
      check != nullptr && wanted > last.phase + 1 && !check->knows_a_wait(barrier, wanted - 1);
  if (waits_twice || skips) report_stale_phase(self, address, barrier, wanted, waits_twice, site);
}

}  // namespace

void require_untouched(ThreadState& self, void const* barrier, PhasedBarrier const& state,
                       char const* operation, Site site) {
  if (holds_pattern(barrier)) return;
  // Where nothing orders the writing and this use, the race says more.
  if (ClusterCheck* const check = cluster_of(self).check) check->barrier_changed(barrier, site);
  report_overwritten_barrier(self, barrier, state, operation, site);
}

TransferTable& transfers_of(ClusterState& cluster) {
  if (cluster.transfers == nullptr) cluster.transfers = std::make_unique<TransferTable>();
  return *cluster.transfers;
}

void bring_bytes(ClusterState& cluster, PhasedBarrier& barrier, Transfer const& transfer) {
  barrier.brought += transfer.bytes;
  if (cluster.check != nullptr) cluster.check->bytes_came(barrier, transfer);
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
  bool const is_in_use =
      !state.waiting.empty() || state.arrived != 0 || state.expected != state.brought;
  if (is_in_use && holds_pattern(barrier)) report_used_barrier(self, barrier, state, site);
  state = PhasedBarrier{};
  state.team = self.team->rank;
  state.arrivals = arrivals;
  state.init = site;
  if (ClusterCheck* const check = cluster_of(self).check)
    check->barrier_initialised(state, barrier, site);
  std::memcpy(barrier, &barrier_pattern, sizeof barrier_pattern);
}

void fence_transfer_barrier_init(Thread& thread, Site) {
  if (ClusterCheck* const check = cluster_of(state_of(thread)).check) check->barrier_inits_fenced();
}

void arrive_at_transfer_barrier(Thread& thread, void* barrier, Site site) {
  ThreadState& self = state_of(thread);
  preempt(cluster_of(self), self);
  count_arrival(self, barrier, own_barrier(self, barrier, "arrive", site), Arrival::local, site);
}

void arrive_at_peers_transfer_barrier(Thread& thread, void* barrier, int rank,
                                      bool publishes_writes, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  if (rank < 0 || rank >= cluster.size) report_peer_rank(self, rank, cluster.size, site);
  if (!is_own(self, barrier))
    report_transfer_scratch(self, "arrive", "a barrier is named as the calling team's own", site);
  if (rank != self.team->rank) require_mapped(self, "a barrier", barrier, site);
  preempt(cluster, self);
  void* const twin = map_peer(thread, barrier, rank, site);
  Arrival const arrival = !publishes_writes         ? Arrival::relaxed
                          : rank == self.team->rank ? Arrival::local
                                                    : Arrival::released;
  count_arrival(self, twin, initialised(self, twin, "arrive", site), arrival, site);
}

void expect_bytes(Thread& thread, void* barrier, int bytes, bool arrives, Site site) {
  ThreadState& self = state_of(thread);
  char const* const operation = arrives ? "arrive_expecting" : "expect_bytes";
  preempt(cluster_of(self), self);
  PhasedBarrier& state = own_barrier(self, barrier, operation, site);
  count_expected(self, barrier, state, bytes, site);
  if (arrives) {
    count_arrival(self, barrier, state, Arrival::local, site);
  } else {
    complete_if_over(cluster_of(self), state);
  }
}

void wait_for_transfer_barrier(Thread& thread, void* barrier, std::uint32_t parity,
                               AtomicScope scope, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  preempt(cluster, self);
  PhasedBarrier& state = own_barrier(self, barrier, "wait", site);
  ++cluster.worker->counts.phased_waits;
  if (state.waited.empty()) state.waited.resize(static_cast<std::size_t>(self.team->threads));
  PhasedBarrier::Waited& mine = state.waited[static_cast<std::size_t>(self.rank)];
  long long const wanted = state.has_passed(parity) ? state.phase - 1 : state.phase;
  require_next_phase(self, barrier, state, mine, wanted, site);
  mine = {wanted, site};
  if (wanted < state.phase) {
    state.was_waited_for = true;
    if (cluster.check != nullptr) cluster.check->waited(state, self.index, scope);
    return;
  }
  state.waiting.push_back({self.index, scope});
  self.site = site;
  self.sent = barrier;
  self.argument = static_cast<int>(state.phase);
  block(cluster, self, Waiting::transfer_barrier);
}

void fence_before_transfer(Thread& thread, Site site) {
  if (ClusterCheck* const check = cluster_of(state_of(thread)).check)
    check->fenced_for_transfers(site);
}

}  // namespace kohort::simulator
