// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transfer_faults.hpp"

#include "../engine/launch_state.hpp"
#include "../engine/switching.hpp"
#include "cluster_check.hpp"
#include "scratch_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kohort::simulator {
namespace {

std::string name(ThreadState const& thread) {
  return fmt::format("team {} thread {}", thread.team->rank, thread.rank);
}

/// As faults.cpp's: nothing that owns memory may live in the caller's frame.
[[noreturn]] void abandon(ThreadState& self) {
  switch_to_worker(cluster_of(self), self, RunResult::faulted);
  __builtin_unreachable();
}

/// Frees a text that lives on in a frame which nobody unwinds.
void empty(std::string& text) { std::string().swap(text); }

void record(ThreadState& self, Report const& report) {
  cluster_of(self).finding = report.finding();
}

char const* verb(TransferKind kind) {
  switch (kind) {
    case TransferKind::load:
      return "copy_async to scratch";
    case TransferKind::store:
      return "copy_async from scratch";
    case TransferKind::push_value:
    case TransferKind::push:
      return "push_async";
    case TransferKind::tile_load:
      return "tile_load";
    case TransferKind::tile_store:
      return "tile_store_async";
    default:
      return "tile_add_async";
  }
}

std::string barrier_name(ThreadState const& self, void const* barrier) {
  return scratch_place(cluster_of(self), barrier, self.team->rank);
}

}  // namespace

std::string scratch_place(ClusterState const& cluster, void const* address, int accessor) {
  if (!cluster.arena.contains(address)) return "memory that is no scratch";
  return name_of_scratch(cluster, static_cast<std::byte const*>(address), accessor);
}

std::string state_text(PhasedBarrier const& barrier) {
  std::string text =
      fmt::format("phase {}, {} of {} arrivals", barrier.phase, barrier.arrived, barrier.arrivals);
  if (barrier.expected != 0 || barrier.brought != 0)
    text += fmt::format(", {} of {} B came", barrier.brought, barrier.expected);
  return text;
}

void report_uninitialised_barrier(ThreadState& self, void const* barrier,
                                  PhasedBarrier const* state, char const* operation, Site site) {
  {
    Report report(cluster_of(self), "transfer-barrier-uninitialised");
    report.row(name(self), operation, place(site), barrier_name(self, barrier));
    if (state != nullptr) {
      report.row("barrier", "initialised", place(state->init));
      report.why(
          "nothing orders the barrier's initialisation before this use: neither a barrier that "
          "both "
          "passed after fence_barrier_init(), nor a release and acquire");
    }
    record(self, report);
  }
  abandon(self);
}

void report_overwritten_barrier(ThreadState& self, void const* barrier, PhasedBarrier const& state,
                                char const* operation, Site site) {
  {
    ClusterState& cluster = cluster_of(self);
    if (cluster.check != nullptr) cluster.finding = cluster.check->found();
    if (cluster.finding == nullptr)
      record(
          self,
          Report(cluster_of(self), "transfer-barrier-uninitialised")
              .row(name(self), operation, place(site), barrier_name(self, barrier))
              .row("barrier", "initialised", place(state.init))
              .why("something has written over the barrier since: its 8 bytes are the hardware's")
              .mend("keep ordinary writes and copies off it: see what lies before it in scratch"));
  }
  abandon(self);
}

void report_used_barrier(ThreadState& self, void const* barrier, PhasedBarrier const& state,
                         Site site) {
  record(self,
         Report(cluster_of(self), "transfer-barrier-overflow")
             .row(name(self), "init_barrier", place(site), barrier_name(self, barrier))
             .row("barrier", "", place(state.init), state_text(state))
             .why("threads wait for the barrier's phase, or it counts arrivals or bytes already")
             .mend("ready a barrier once, and wait for its phase before its place is used again"));
  abandon(self);
}

void report_remote_barrier(ThreadState& self, void const* barrier, char const* operation,
                           Site site) {
  record(self, Report(cluster_of(self), "transfer-barrier-remote")
                   .row(name(self), operation, place(site), barrier_name(self, barrier)));
  abandon(self);
}

void report_barrier_count(ThreadState& self, int arrivals, Site site) {
  record(
      self,
      Report(cluster_of(self), "transfer-barrier-overflow")
          .row(name(self), fmt::format("init_barrier for {} arrivals", arrivals), place(site))
          .why("a phase has 1 to 1048575 arrivals")
          .mend("count the threads that arrive in a phase; a TilePipeline's are those of a team of "
                "256 threads or more, a multiple of 128"));
  abandon(self);
}

void report_barrier_overflow(ThreadState& self, void const* barrier, PhasedBarrier const& state,
                             Site site) {
  record(self,
         Report(cluster_of(self), "transfer-barrier-overflow")
             .row("barrier", barrier_name(self, barrier), place(state.init), state_text(state))
             .row("the latest arrival", "", place(state.last_arrival))
             .row(name(self) + " arrives", "", place(site)));
  abandon(self);
}

void report_stale_phase(ThreadState& self, void const* barrier, PhasedBarrier const& state,
                        long long wanted, bool waits_twice, Site site) {
  {
    Report report(cluster_of(self), "transfer-phase");
    std::string const phase =
        wanted < 0 ? "the phase before the first" : fmt::format("phase {}", wanted);
    report.row(name(self) + " waits for", barrier_name(self, barrier), place(site),
               waits_twice ? phase + ", and did before"
                           : fmt::format("{}, and has not seen phase {}", phase, wanted - 1));
    report.row("barrier", "", place(state.init), state_text(state));
    if (!waits_twice)
      report.why(
          "a phase's parity is that of the one before last: who has not waited for the one "
          "between, "
          "and knows of nobody who has, can't tell which of the two has passed");
    record(self, report);
  }
  abandon(self);
}

void report_waiter_index(Thread& thread, int index, Site site) {
  ThreadState& self = state_of(thread);
  record(self, Report(cluster_of(self), "transfer-phase")
                   .row(name(self), fmt::format("waits at index {}", index), place(site))
                   .why("a Waiter remembers the phases of 32 barriers, 0 to 31")
                   .mend("take a second Waiter for more barriers"));
  abandon(self);
}

void report_too_many_bytes(ThreadState& self, void const* barrier, PhasedBarrier const& state,
                           long long bytes, Site site) {
  record(self,
         Report(cluster_of(self), "transfer-bytes")
             .row(name(self), fmt::format("{} B more", bytes), place(site))
             .row("barrier", barrier_name(self, barrier), place(state.init), state_text(state))
             .why("a phase expects less than 2^20 B, and never less than nothing")
             .mend("split the stage, or use two barriers"));
  abandon(self);
}

void report_transfer_mask(ThreadState& self, std::uint32_t ranks, Site site) {
  ClusterState const& cluster = cluster_of(self);
  record(self,
         Report(cluster, "transfer-mask")
             .row(name(self), fmt::format("tile_load_multicast to ranks {:#b}", ranks), place(site),
                  fmt::format("the cluster has ranks 0 to {}", cluster.size - 1)));
  abandon(self);
}

void report_transfer_alignment(ThreadState& self, std::string what, std::size_t alignment,
                               Site site) {
  record(self, Report(cluster_of(self), "transfer-alignment")
                   .row(name(self), what, place(site),
                        fmt::format("has to be a multiple of {} B", alignment)));
  empty(what);
  abandon(self);
}

void report_box_before_tensor(ThreadState& self, int dimension, int at, Site site) {
  record(self,
         Report(cluster_of(self), "transfer-alignment")
             .row(name(self),
                  fmt::format("a stored box's first element {} in dimension {}", at, dimension),
                  place(site), "has to be 0 or more: only loads begin before the tensor"));
  abandon(self);
}

void report_transfer_scratch(ThreadState& self, std::string what, char const* expected, Site site) {
  record(self,
         Report(cluster_of(self), "transfer-scratch").row(name(self), what, place(site), expected));
  empty(what);
  abandon(self);
}

void report_surplus_bytes(ThreadState& self, void const* barrier, PhasedBarrier const& state,
                          std::uint32_t bytes) {
  record(self,
         Report(cluster_of(self), "transfer-bytes")
             .row(fmt::format("team {} has returned", self.team->rank), "", "",
                  fmt::format("{} B are on their way", bytes))
             .row("barrier", barrier_name(self, barrier), place(state.init), state_text(state)));
  abandon(self);
}

void report_in_flight_at_exit(ThreadState& self, Transfer const& transfer) {
  ClusterState& cluster = cluster_of(self);
  void const* const scratch = transfer.stores() ? transfer.source : transfer.destination;
  record(self, Report(cluster, "transfer-in-flight-at-exit")
                   .row(fmt::format("team {} has returned", self.team->rank))
                   .row(name(cluster.thread(transfer.issuer)) + " began", verb(transfer.kind),
                        place(transfer.site),
                        fmt::format("{} B, {}", transfer.bytes,
                                    scratch_place(cluster, scratch, self.team->rank))));
  abandon(self);
}

void report_stores_at_exit(ThreadState& self, ThreadState const& issuer, StoreQueue const& stores) {
  record(self, Report(cluster_of(self), "transfer-in-flight-at-exit")
                   .row(fmt::format("team {} has returned", self.team->rank))
                   .row(name(issuer) + " began", "a store from scratch", place(stores.last),
                        fmt::format("{} of its stores were not waited for",
                                    stores.issued - stores.waited_for)));
  abandon(self);
}

void report_partial_subgroup(ThreadState& self, int existing, Site site) {
  record(self, Report(cluster_of(self), "subgroup-divergent")
                   .row(name(self), "a subgroup's product", place(site),
                        fmt::format("its subgroup has {} threads of the 32 it needs", existing))
                   .why("each of 32 threads brings and keeps its part of a product")
                   .mend("use a team size that is a multiple of 32"));
  abandon(self);
}

void report_divergent_warpgroup(ThreadState& self, std::string what, Site site) {
  record(self, Report(cluster_of(self), "warpgroup-divergent")
                   .row(name(self), "a matrix operation", place(site), what));
  empty(what);
  abandon(self);
}

void diagnose_surplus_bytes(ClusterState& cluster, void const* barrier,
                            PhasedBarrier const& state) {
  cluster.finding = Report(cluster, "transfer-bytes")
                        .row("the cluster has ended", "", "", scratch_place(cluster, barrier, -1))
                        .row("barrier", "", place(state.init), state_text(state))
                        .finding();
}

void add_transfer_barrier_rows(Report& report, ClusterState const& cluster) {
  if (cluster.transfers == nullptr) return;
  std::vector<std::pair<void const*, PhasedBarrier const*>> waited;
  for (auto const& [address, barrier] : cluster.transfers->barriers)
    if (!barrier.waiting.empty()) waited.emplace_back(address, &barrier);
  std::sort(waited.begin(), waited.end());
  for (auto const& [address, barrier] : waited)
    report.row(fmt::format("team {}'s phased barrier", barrier->team),
               scratch_place(cluster, address, barrier->team), place(barrier->init),
               state_text(*barrier));
}

bool waits_for_bytes(ClusterState const& cluster) {
  if (cluster.transfers == nullptr) return false;
  return std::any_of(cluster.transfers->barriers.begin(), cluster.transfers->barriers.end(),
                     [](auto const& entry) {
                       PhasedBarrier const& barrier = entry.second;
                       return !barrier.waiting.empty() && barrier.arrived == barrier.arrivals &&
                              barrier.expected != barrier.brought;
                     });
}

}  // namespace kohort::simulator
