// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/state.hpp"
#include "cluster_check.hpp"

/// Under ManualLifetime nobody guards a peer's memory: an access must follow the peer's start, and
/// the peer's end must follow it. The launcher's guards see to both otherwise.
namespace kohort::simulator {

void ClusterCheck::touch_peer(std::uintptr_t offset, ThreadOrder const& me, bool writes,
                              SiteId site) {
  int const owner = team_of(offset);
  if (owner == me.team) return;
  AccessKind const kind = writes ? AccessKind::write : AccessKind::read;
  bool const has_ended = threads_left_[static_cast<std::size_t>(owner)] == 0;
  if (has_ended) {
    report("peer-ended", offset, 1, me, kind, site, owner);
  } else if (!me.knowledge->own.knows_of(owner)) {
    report("peer-not-started", offset, 1, me, kind, site, owner);
  }
  std::size_t const index = static_cast<std::size_t>(cluster_.size) *
                                static_cast<std::size_t>(cluster_.current().index) +
                            static_cast<std::size_t>(owner);
  peer_accesses_[index] = {me.segment, site, offset, kind};
}

/// The last thread of a team returns: its memory goes. Every access of a peer must have happened
/// before the return of one of its threads, since the memory stays for as long as one is there.
void ClusterCheck::end_team(int team) {
  std::size_t const teams = static_cast<std::size_t>(cluster_.size);
  std::size_t const first = static_cast<std::size_t>(team * cluster_.team_threads);
  for (std::size_t accessor = 0; accessor < cluster_.threads.size(); ++accessor) {
    PeerAccess const& last = peer_accesses_[accessor * teams + static_cast<std::size_t>(team)];
    if (last.segment == 0) continue;
    ThreadOrder const& by = order_.thread(static_cast<int>(accessor));
    bool is_known = false;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(cluster_.team_threads); ++i) {
      ThreadOrder const& owner = order_.thread(static_cast<int>(i));
      is_known |= order_.knows(owner, last.segment, by.lane);
      if (is_known) break;
    }
    if (!is_known) {
      AccessFault fault;
      fault.id = "peer-ended";
      fault.address = region.base + last.offset;
      fault.bytes = 1;
      fault.later = {last.segment, by.lane, last.kind, AtomicScope::system, last.site};
      fault.peer = team;
      faults_.add(fault);
    }
  }
}

void ClusterCheck::thread_returned(int thread) {
  int const team = order_.thread(thread).team;
  int& left = threads_left_[static_cast<std::size_t>(team)];
  if (--left == 0 && watches_lifetime_) end_team(team);
}

}  // namespace kohort::simulator
