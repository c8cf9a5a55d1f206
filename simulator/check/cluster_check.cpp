// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster_check.hpp"

#include "../engine/launch_state.hpp"
#include "../engine/state.hpp"

#include <stdexcept>

namespace kohort::simulator {

thread_local ClusterCheck* running_check = nullptr;

void ClusterCheck::begin(LaunchCheck& launch, int worker) {
  launch_ = &launch;
  launch.note_group(static_cast<std::uint32_t>(cluster_.index), cluster_.group);
  worker_ = worker;
  is_observed_ = false;
  for (Observer const* observer : cluster_.launch->observers())
    is_observed_ |= observer->wants_memory();
  ignored_ = ignored_barrier();
  faults_.clear();
  running_index_ = &cluster_.scheduler.running_index();
  fences_.clear();
  scratch_uses_.clear();
  first_in_launch_ = launch.first_segment();
  launch_number_ = launch.number();
  first_in_scratch_ = order_.begin(static_cast<std::uint32_t>(cluster_.index), cluster_.size,
                                   cluster_.team_threads, source_)
                          ? order_.thread(0).segment
                          : 0;
  scratch_ = reinterpret_cast<std::uintptr_t>(cluster_.arena.begin()) - region.base;
  scratch_bytes_ = cluster_.arena.bytes();
  last_object_bytes_ = 0;
  watches_lifetime_ = cluster_.ends_teams_early && cluster_.size > 1;
  threads_left_.assign(static_cast<std::size_t>(cluster_.size), cluster_.team_threads);
  if (watches_lifetime_)
    peer_accesses_.assign(cluster_.threads.size() * static_cast<std::size_t>(cluster_.size) * 2,
                          {});
}

void ClusterCheck::tell(std::uintptr_t offset, std::size_t bytes, bool writes) const {
  if (is_scratch(offset)) return;
  for (Observer* observer : cluster_.launch->observers())
    observer->memory_accessed(cluster_.current(),
                              reinterpret_cast<void const*>(region.base + offset), bytes, writes);
}

void ClusterCheck::join_software_cluster(int number) {
  launch_->note_software_cluster(static_cast<std::uint32_t>(cluster_.index), number);
}

void ClusterCheck::end() {
  scratch_histories_.dissolve(0);
  scratch_releases_.clear();
  barriers_.tell();
  if (order_.ran_out())
    throw std::runtime_error(
        "kohort: check mode ran out of segments (67 million stretches of 32 threads between two "
        "synchronisations); check a smaller problem");
  if (faults_.empty()) return;
  if (cluster_.finding == nullptr) cluster_.finding = faults_.finding(cluster_);
}

bool ClusterCheck::orders(Site site, BarrierKind kind) {
  barriers_.note(site, kind);
  return ignored_.line == 0 || !same_site(site, ignored_);
}

void ClusterCheck::team_barrier_completed(int team, Site site) {
  if (orders(site, BarrierKind::team)) order_.team_barrier(team, site_of(site));
}

void ClusterCheck::cluster_arrived(int thread, bool publishes_writes, Site site) {
  Publishes const publishes = !orders(site, BarrierKind::cluster) ? Publishes::nothing
                              : publishes_writes                  ? Publishes::everything
                                                                  : Publishes::reads;
  order_.cluster_arrived(thread, publishes, site_of(site));
}

void ClusterCheck::cluster_barrier_completed() { order_.cluster_completed(); }

void ClusterCheck::cluster_waited(int thread) { order_.cluster_waited(thread); }

void ClusterCheck::met(std::vector<int> const& threads, BarrierKind kind, Site site) {
  if (orders(site, kind)) order_.met(threads, site_of(site));
}

int ClusterCheck::team_of(std::uintptr_t offset) const {
  return cluster_.arena.team_of(reinterpret_cast<void const*>(region.base + offset));
}

char const* ClusterCheck::id_of_race(std::uintptr_t offset) const {
  if (!is_scratch(offset)) return "race-global";
  return cluster_.arena.is_mapped(offset - scratch_) ? "race-cluster-scratch" : "race-team-scratch";
}

void ClusterCheck::add(AccessFault fault) {
  if (fault.peer >= 0)
    fault.peer_site = segments[order_.thread(fault.peer * cluster_.team_threads).segment].site;
  faults_.add(fault);
  // Which of two clusters comes first depends on the workers: only in their own order it is told
  // alike again.
  if (fault.has_earlier &&
      segments[fault.earlier.segment].cluster != static_cast<std::uint32_t>(cluster_.index))
    cluster_.launch->note_communication();
  if (!cluster_.observed) return;
  AccessFaultEvent event;
  event.id = fault.id;
  event.address = reinterpret_cast<void const*>(fault.address);
  event.writes = writes(fault.later.kind);
  event.is_atomic = is_atomic(fault.later.kind);
  if (fault.has_earlier) {
    event.earlier_cluster = static_cast<int>(segments[fault.earlier.segment].cluster);
    event.earlier_team = segments[fault.earlier.segment].team;
    event.earlier_thread = fault.earlier.thread();
  }
  event.team = segments[fault.later.segment].team;
  event.thread = fault.later.thread();
  event.peer = fault.peer;
  for (Observer* observer : cluster_.launch->observers())
    observer->access_fault(cluster_.current(), event);
}

void ClusterCheck::report(char const* id, std::uintptr_t offset, std::uint32_t bytes,
                          ThreadOrder const& me, AccessKind kind, SiteId site, int peer) {
  AccessFault fault;
  fault.id = id;
  fault.address = region.base + offset;
  fault.bytes = bytes;
  fault.later = {me.segment, me.lane, kind, AtomicScope::system, site};
  fault.peer = peer;
  add(fault);
}

void ClusterCheck::access_range(std::uintptr_t offset, std::size_t bytes, bool writes,
                                SiteId site) {
  ThreadOrder const me = running();
  bool const scratch = is_scratch(offset);
  if (scratch && watches_lifetime_)
    touch_peer(offset, me, writes ? AccessKind::write : AccessKind::read, site);
  if (!writes) check_initialised_if_poison(offset, bytes, site, me);
  for (std::uintptr_t at = offset; at < offset + bytes;) {
    std::uintptr_t const end = std::min((at & ~std::uintptr_t{3}) + 4, offset + bytes);
    auto const mask = ((1U << (end - at)) - 1U) << (at & 3U);
    if (!scratch) launch_->lock(at >> 2U);
    if (writes && !scratch) note_page<true>(at >> 2U);
    if (!writes && !scratch) note_page<false>(at >> 2U);
    if (writes) {
      touch<true>(at >> 2U, mask, me, site, scratch);
    } else {
      touch<false>(at >> 2U, mask, me, site, scratch);
    }
    if (!scratch) launch_->unlock(at >> 2U);
    at = end;
  }
}

}  // namespace kohort::simulator
