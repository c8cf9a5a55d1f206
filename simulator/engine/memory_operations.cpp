// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../check/cluster_check.hpp"
#include "../check/faults.hpp"
#include "switching.hpp"

#include <atomic>
#include <stdexcept>

namespace kohort::simulator {
namespace {

/// Atomics in a row that change nothing before a thread counts as spinning and lets others run. In
/// mode check each costs twenty times as much, so the patience is less.
constexpr int idle_atomics_before_yield = 64;
constexpr int checked_atomics_before_yield = 16;

void count_atomic(ClusterState& cluster, ThreadState& self, void const* address) {
  LaunchCounts& counts = cluster.worker->counts;
  if (!cluster.arena.contains(address)) {
    ++counts.global_atomics;
    if (counts.global_atomics == 1) cluster.launch->note_communication();
  } else if (cluster.arena.team_of(address) == self.team->rank) {
    ++counts.team_atomics;
  } else {
    ++counts.remote_atomics;
  }
}

void spin(ClusterState& cluster, ThreadState& self) {
  ++cluster.spinning;
  block(cluster, self, Waiting::spin);
}

}  // namespace

void before_atomic(Thread& thread, void const* address, AtomicAccess access, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  self.site = site;
  count_atomic(cluster, self, address);
  if (cluster.observed) [[unlikely]]
    for (Observer* observer : cluster.launch->observers())
      observer->atomic_accessed(self, address, site);
  if (cluster.scheduler.preempts()) {
    preempt(cluster, self);
    self.site = site;
  }
  if (cluster.check != nullptr) [[unlikely]] {
    self.atomic_address = address;
    self.atomic_access = access;
    cluster.check->before_atomic(address, access, site_of(site));
  }
}

void after_atomic(Thread& thread, bool wrote, bool changed) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  if (cluster.check != nullptr) [[unlikely]]
    cluster.check->after_atomic(self.atomic_address, self.atomic_access, wrote, site_of(self.site));
  if (changed) {
    self.idle_atomics = 0;
    ++cluster.progress;
  } else if (++self.idle_atomics > (cluster.check == nullptr ? idle_atomics_before_yield
                                                             : checked_atomics_before_yield)) {
    spin(cluster, self);
  }
}

void fence(Thread& thread, AtomicScope scope, Site site) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  if (cluster.check != nullptr) cluster.check->fence(scope, site_of(site));
}

void join_software_cluster(Thread& thread, int number) {
  ClusterState& cluster = cluster_of(state_of(thread));
  if (cluster.check != nullptr) cluster.check->join_software_cluster(number);
}

void note_copy(Thread& thread, void const* address, std::size_t bytes, bool writes) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  if (!cluster.observed || cluster.check != nullptr) return;
  for (Observer* observer : cluster.launch->observers())
    observer->memory_accessed(self, address, bytes, writes);
}

void no_software_cluster() {
  throw std::logic_error("kohort: no domain of the profile could complete a cluster");
}

void* map_peer(Thread& thread, void* mine, int rank, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  if (rank < 0 || rank >= cluster.size) report_peer_rank(self, rank, cluster.size, site);
  std::ptrdiff_t const blocks = rank - self.team->rank;
  return static_cast<std::byte*>(mine) +
         blocks * static_cast<std::ptrdiff_t>(cluster.arena.stride());
}

void arrive_token_dropped(Thread& thread, Site site) {
  report_token_dropped(state_of(thread), site);
}

void arrive_token_spent_twice(Thread& thread, Site site) {
  report_wait_without_arrive(state_of(thread), site);
}

}  // namespace kohort::simulator
