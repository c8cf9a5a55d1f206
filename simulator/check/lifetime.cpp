// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/state.hpp"
#include "cluster_check.hpp"

/// Under ManualLifetime nobody guards a peer's memory: an access must follow the peer's start, and
/// the peer's end must follow it. The launcher's guards see to both otherwise.
namespace kohort::simulator {

void ClusterCheck::touch_peer(std::uintptr_t offset, ThreadOrder const& me, AccessKind kind,
                              SiteId site) {
  int const owner = team_of(offset);
  if (owner == me.team()) return;
  bool const has_ended = threads_left_[static_cast<std::size_t>(owner)] == 0;
  if (has_ended) {
    report("peer-ended", offset, 1, me, kind, site, owner);
  } else if (!me.knowledge->own.knows_of(owner)) {
    report("peer-not-started", offset, 1, me, kind, site, owner);
  }
  peer_access(cluster_.scheduler.running(), owner, writes(kind)) = {me.segment, site, offset};
}

/// The last thread of a team returns: its memory goes. Every access of a peer must have happened
/// before the return of one of its threads, since the memory stays for as long as one is there.
void ClusterCheck::end_team(int team) {
  for (int accessor = 0; accessor < static_cast<int>(cluster_.threads.size()); ++accessor) {
    ThreadOrder const by = order_.thread(accessor);
    for (bool const writes : {false, true}) {
      PeerAccess const& last = peer_access(accessor, team, writes);
      if (last.segment == 0 || is_known_in(team, last.segment, by.lane, writes)) continue;
      AccessFault fault;
      fault.id = "peer-ended";
      fault.address = region.base + last.offset;
      fault.bytes = 1;
      fault.later = {last.segment, by.lane, writes ? AccessKind::write : AccessKind::read,
                     AtomicScope::system, last.site};
      fault.peer = team;
      add(fault);
    }
  }
}

bool ClusterCheck::is_known_in(int team, SegmentId segment, std::uint32_t lane, bool writes) const {
  int const first = team * cluster_.team_threads;
  for (int i = first; i < first + cluster_.team_threads; ++i) {
    ThreadOrder const owner = order_.thread(i);
    if (writes ? order_.knows(owner, segment, lane) : order_.knows_read(owner, segment, lane))
      return true;
  }
  return false;
}

void ClusterCheck::thread_returned(int thread) {
  int const team = order_.thread(thread).team();
  int& left = threads_left_[static_cast<std::size_t>(team)];
  if (--left == 0 && watches_lifetime_) end_team(team);
}

}  // namespace kohort::simulator
