// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../check/cluster_check.hpp"
#include "../check/faults.hpp"
#include "../transfer/transfer_table.hpp"
#include "switching.hpp"

namespace kohort::simulator {
namespace {

void complete_team_barrier(ClusterState& cluster, TeamState& team) {
  team.arrived = team.ordinary_below = 0;
  ++team.barriers;
  ++cluster.progress;
  if (cluster.check != nullptr) [[unlikely]]
    cluster.check->team_barrier_completed(team.rank, team.site);
  if (cluster.observed) [[unlikely]]
    for (Observer* observer : cluster.launch->observers()) observer->team_barrier_completed(team);
  cluster.scheduler.make_range_ready(team.first, team.first + team.threads);
}

void notify_team_arrival(ClusterState& cluster, ThreadState& self, Site site) {
  for (Observer* observer : cluster.launch->observers()) observer->team_barrier_arrived(self, site);
}

/// Everything but an arrival in the middle: the first, the last, those that somebody watches, and
/// the faults.
__attribute__((noinline)) void special_team_arrival(ThreadState& self, Site site) {
  ClusterState& cluster = cluster_of(self);
  TeamState& team = cluster.team_of(self);
  if (cluster.observed) notify_team_arrival(cluster, self, site);
  if (team.arrived == 0) {
    team.site = site;
    team.ordinary_below = cluster.observed ? 0 : team.threads - team.returned - 1;
  } else if (!same_site(team.site, site)) {
    report_mismatched_team_barrier(self, site);
  }
  if (++team.arrived == team.threads) {
    complete_team_barrier(cluster, team);
    reschedule(cluster, self);
    return;
  }
  if (team.arrived + team.returned == team.threads) {
    self.site = site;
    self.waiting = Waiting::team_barrier;
    report_partial_team_barrier(self);
  }
  block_at_team_barrier(cluster, self);
}

}  // namespace

void team_barrier(Thread& thread, Site site) {
  ThreadState& self = state_of(thread);
  TeamState& team = static_cast<TeamState&>(*self.team);
  ClusterState& cluster = static_cast<ClusterState&>(*team.cluster);
  if (team.arrived < team.ordinary_below && team.site.line == site.line &&
      team.site.file == site.file) [[likely]] {
    ++team.arrived;
    block_at_team_barrier(cluster, self);
    return;
  }
  special_team_arrival(self, site);
}

void thread_returned(ThreadState& self) {
  ClusterState& cluster = cluster_of(self);
  TeamState& team = cluster.team_of(self);
  if (cluster.observed)
    for (Observer* observer : cluster.launch->observers()) observer->thread_returned(self);
  if (cluster.check != nullptr) cluster.check->thread_returned(self.index);
  if (team.arrived > 0) {
    team.ordinary_below = 0;
    if (team.arrived + team.returned == team.threads) report_partial_team_barrier(self);
  }
  if (cluster.transfers != nullptr && team.returned == team.threads) check_transfers_at_exit(self);
  if (cluster.ends_teams_early && team.returned == team.threads && cluster.live > 0) {
    // The hardware waits for threads that have not exited only.
    cluster.barrier_expected -= team.threads;
    if (cluster.barrier_arrived > 0 && cluster.barrier_arrived == cluster.barrier_expected)
      complete_cluster_barrier(cluster);
  }
}

/// Everybody who waits at the team's barrier `id` meets `last` here. Who is ready already was let
/// go by an earlier meeting, and has not run since.
static void check_meeting(ClusterState& cluster, ThreadState const& last, int id, Site site) {
  TeamState const& team = cluster.team_of(last);
  std::vector<int> threads{last.index};
  for (int i = team.first; i < team.first + team.threads; ++i) {
    ThreadState const& other = cluster.thread(i);
    if (other.waiting == Waiting::named_barrier && other.named_barrier == id &&
        !cluster.scheduler.is_ready(i))
      threads.push_back(i);
  }
  cluster.check->met(threads, BarrierKind::named, site);
}

namespace {

void meet_at(ThreadState& self, int id, int subgroups, Site site) {
  ClusterState& cluster = cluster_of(self);
  TeamState& team = cluster.team_of(self);
  int const threads = subgroups * team.subgroup_lanes;
  NamedBarrier& barrier = team.named[static_cast<std::size_t>(id)];
  team.highest_named = std::max(team.highest_named, id);
  if (barrier.arrived == 0) {
    barrier.site = site;
    barrier.expected = std::min(threads, team.threads);
  } else if (barrier.expected != std::min(threads, team.threads)) {
    report_named_barrier_count(self, id, subgroups, site);
  }
  self.site = site;
  self.named_barrier = static_cast<std::uint8_t>(id);
  self.waiting = Waiting::named_barrier;
  if (++barrier.arrived < barrier.expected) {
    block(cluster, self, Waiting::named_barrier);
    return;
  }
  barrier.arrived = 0;
  ++cluster.progress;
  if (cluster.check != nullptr) check_meeting(cluster, self, id, site);
  self.waiting = Waiting::nothing;
  for (int i = team.first; i < team.first + team.threads; ++i) {
    ThreadState& other = cluster.thread(i);
    if (other.waiting == Waiting::named_barrier && other.named_barrier == id)
      cluster.scheduler.make_ready(i);
  }
  reschedule(cluster, self);
}

}  // namespace

void named_barrier(Thread& thread, int id, int subgroups, Site site) {
  ThreadState& self = state_of(thread);
  TeamState const& team = cluster_of(self).team_of(self);
  int const threads = subgroups * team.subgroup_lanes;
  if (id < 1 || id > 7 || subgroups < 1 || threads > team.threads + team.subgroup_lanes - 1)
    report_named_barrier_arguments(self, id, subgroups, site);
  meet_at(self, id, subgroups, site);
}

void warpgroup_barrier(Thread& thread, Site site) {
  ThreadState& self = state_of(thread);
  meet_at(self, 8 + self.rank / 128, 128 / self.team->subgroup_lanes, site);
}

void complete_cluster_barrier(ClusterState& cluster) {
  if (cluster.barrier_kind == ClusterBarrierKind::inner) {
    ++cluster.inner_barriers;
  } else {
    ++cluster.guard_barriers;
  }
  if (cluster.check != nullptr) [[unlikely]]
    cluster.check->cluster_barrier_completed();
  cluster.barrier_arrived = 0;
  ++cluster.barrier_phase;
  ++cluster.progress;
  if (cluster.observed)
    for (Observer* observer : cluster.launch->observers())
      observer->cluster_barrier_completed(cluster);
  for (ThreadState& thread : cluster.threads) {
    if (thread.waiting == Waiting::cluster_barrier) cluster.scheduler.make_ready(thread.index);
  }
}

void cluster_arrive(Thread& thread, ClusterBarrierKind kind, bool publishes_writes, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  TeamState& team = cluster.team_of(self);
  if (cluster.observed) [[unlikely]]
    for (Observer* observer : cluster.launch->observers())
      observer->cluster_barrier_arrived(self, kind, site);
  if (self.owes_cluster_wait) report_double_arrive(self, site);
  self.site = site;
  self.cluster_barrier_kind = kind;
  self.owes_cluster_wait = true;
  self.cluster_phase = cluster.barrier_phase;
  if (kind == ClusterBarrierKind::inner) ++self.cluster_arrivals;
  if (cluster.barrier_arrived == 0) {
    cluster.barrier_kind = kind;
    cluster.barrier_first = self.index;
  } else if (cluster.barrier_kind != kind) {
    report_unequal_cluster_barriers(self);
  }
  if (team.cluster_site_phase != cluster.barrier_phase) {
    team.cluster_site_phase = cluster.barrier_phase;
    team.cluster_site = site;
  } else if (!same_site(team.cluster_site, site)) {
    report_mismatched_cluster_barrier(self, site);
  }
  if (cluster.check != nullptr) [[unlikely]]
    cluster.check->cluster_arrived(self.index, publishes_writes, site);
  if (++cluster.barrier_arrived == cluster.barrier_expected) complete_cluster_barrier(cluster);
}

void cluster_wait(Thread& thread, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  if (!self.owes_cluster_wait) report_wait_without_arrive(self, site);
  self.owes_cluster_wait = false;
  if (self.cluster_phase != cluster.barrier_phase) {
    // Complete already: the wait is a decision point all the same.
    reschedule(cluster, self);
  } else {
    block(cluster, self, Waiting::cluster_barrier);
  }
  if (cluster.check != nullptr) [[unlikely]]
    cluster.check->cluster_waited(self.index);
}

}  // namespace kohort::simulator
