// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../check/cluster_check.hpp"
#include "../check/crash.hpp"
#include "../check/faults.hpp"
#include "../matrix/warpgroup.hpp"
#include "../transfer/transfer_table.hpp"
#include "launch_state.hpp"
#include "switching.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace kohort::simulator {
namespace {

Stack native_stack() {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  void* bottom = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &bottom, &bytes);
  pthread_attr_destroy(&attributes);
  auto* const lowest = static_cast<std::byte*>(bottom);
  return {lowest, lowest + bytes, true};
}

void begin_team(ClusterState& cluster, LaunchShape const& shape, ClusterPlan const& plan,
                int rank) {
  TeamState& team = cluster.teams[static_cast<std::size_t>(rank)];
  team.cluster = &cluster;
  team.rank = rank;
  int const index[3] = {rank % plan.extents[0], rank / plan.extents[0] % plan.extents[1],
                        rank / plan.extents[0] / plan.extents[1]};
  for (int d = 0; d < 3; ++d) {
    team.league_index[d] = plan.origin[d] + index[d];
    team.league_extents[d] = shape.league[d];
  }
  team.league_rank =
      team.league_index[0] +
      shape.league[0] * (team.league_index[1] + shape.league[1] * team.league_index[2]);
  team.threads = shape.threads;
  team.first = rank * shape.threads;
  team.arrived = team.returned = team.ordinary_below = 0;
  team.barriers = 0;
  team.cluster_site_phase = ~0U;
  for (int id = 1; id <= team.highest_named; ++id)
    team.named[static_cast<std::size_t>(id)] = NamedBarrier{};
  team.highest_named = 0;
  team.scratch = cluster.arena.block(rank);
  team.team_collectives = cluster.arena.team_collectives(rank);
  team.cluster_collectives = cluster.arena.cluster_collectives(rank);
}

/// Sets up threads that no cluster of this launch used before.
void name_threads(ClusterState& cluster, int team_threads) {
  int index = 0;
  for (TeamState& team : cluster.teams) {
    for (int rank = 0; rank < team_threads; ++rank, ++index) {
      ThreadState& thread = cluster.thread(index);
      thread.team = &team;
      thread.rank = rank;
      thread.index = index;
    }
  }
}

void begin_threads(ClusterState& cluster) {
  for (ThreadState& thread : cluster.threads) {
    thread.waiting = Waiting::not_started;
    thread.owes_cluster_wait = false;
    if (thread.stack.bottom == nullptr) thread.context = nullptr;
    thread.idle_atomics = 0;
    thread.cluster_arrivals = 0;
  }
}

std::vector<TeamPlace> places_of(ClusterState& cluster, LaunchState const& launch) {
  std::vector<TeamPlace> places;
  for (int rank = 0; rank < cluster.size; ++rank)
    places.push_back(launch.placement().place(cluster.slot, rank));
  return places;
}

}  // namespace

void begin_cluster(ClusterState& cluster, LaunchState& launch, Worker& worker, long long index,
                   int slot) {
  LaunchShape const& shape = launch.shape();
  ClusterPlan const plan = launch.plan().cluster(index);
  cluster.launch = &launch;
  cluster.worker = &worker;
  cluster.exceptions = worker.exceptions;
  cluster.observed = launch.observed();
  cluster.ends_teams_early = shape.manual_lifetime;
  cluster.slot = slot;
  cluster.index = static_cast<int>(index);
  cluster.size = plan.extents[0] * plan.extents[1] * plan.extents[2];
  for (int d = 0; d < 3; ++d) {
    cluster.extents[d] = plan.extents[d];
    cluster.origin[d] = plan.origin[d];
  }
  cluster.team_threads = shape.threads;
  cluster.live = cluster.barrier_expected = cluster.size * shape.threads;
  cluster.barrier_arrived = 0;
  cluster.barrier_phase = 0;
  cluster.inner_barriers = cluster.guard_barriers = 0;
  cluster.progress = cluster.other_switches = cluster.swept_starts = 0;
  cluster.spinning = 0;
  cluster.progress_at_last_retry = ~std::uint64_t{0};
  cluster.finding.reset();
  cluster.transfers.reset();
  cluster.warpgroups.reset();
  if (cluster.threads.size() != static_cast<std::size_t>(cluster.live)) {
    worker.take_stacks(cluster);
    cluster.teams.resize(static_cast<std::size_t>(cluster.size));
    cluster.thread_storage.resize(static_cast<std::size_t>(cluster.live + switches_ahead + 1));
    cluster.threads = {cluster.thread_storage.data(), static_cast<std::size_t>(cluster.live)};
    name_threads(cluster, shape.threads);
  }
  cluster.arena.resize(cluster.size, shape);
  for (int rank = 0; rank < cluster.size; ++rank) begin_team(cluster, shape, plan, rank);
  std::vector<TeamPlace> const places = places_of(cluster, launch);
  cluster.group = places.front().group;
  for (TeamState& team : cluster.teams) {
    team.sm = places[static_cast<std::size_t>(team.rank)].sm;
    team.subgroup_lanes = launch.options().profile->subgroup_size;
  }
  begin_threads(cluster);
  if (launch.check() != nullptr) {
    if (!cluster.owned_check) cluster.owned_check = std::make_unique<ClusterCheck>(cluster);
    cluster.check = cluster.owned_check.get();
    cluster.check->begin(*launch.check(), worker.number);
  }
  cluster.scheduler.reset(launch.options().schedule, cluster.index, cluster.size, shape.threads);
  for (Observer* observer : launch.observers()) observer->cluster_started(cluster, slot, places);
}

void Worker::run() {
  exceptions = exception_state();
  native_stack = simulator::native_stack();
  CrashGuard const crash_guard;
  WatchedWorker watched_worker;
  watched = &watched_worker;
  launch->worker_came(number);
  for (;;) {
    if (start_one()) continue;
    if (!stuck.empty()) {
      resume_one();
      continue;
    }
    if (!launch->more_may_start()) break;
    // Every slot is taken by the others' clusters: this worker can't be who goes on.
    launch->worker_left(number);
    std::this_thread::yield();
    launch->worker_came(number);
  }
  launch->worker_left(number);
  for (auto& cluster : spare_clusters) take_stacks(*cluster);
  launch->stacks().give_back(free_stacks);
  launch->add(counts);
}

bool Worker::start_one() {
  LaunchState::Start const start = launch->try_start();
  if (start.index < 0) return false;
  std::unique_ptr<ClusterState> cluster;
  if (spare_clusters.empty()) {
    cluster = std::make_unique<ClusterState>();
  } else {
    cluster = std::move(spare_clusters.back());
    spare_clusters.pop_back();
  }
  begin_cluster(*cluster, *launch, *this, start.index, start.slot);
  run_slice(std::move(cluster));
  return true;
}

void Worker::run_slice(std::unique_ptr<ClusterState> cluster) {
  std::uint64_t const before = cluster->progress;
  watched->runs(cluster.get());
  run_fibers(*cluster);
  watched->runs(nullptr);
  if (cluster->progress != before) launch->add_progress(cluster->progress - before);
  if (cluster->result == RunResult::stuck && cluster->spinning > 0) {
    launch->change_stuck_clusters(1);
    stuck.push_back(std::move(cluster));
    return;
  }
  if (cluster->result == RunResult::stuck) diagnose_deadlock(*cluster);
  if (cluster->result == RunResult::finished) check_bytes_at_end(*cluster);
  finish(std::move(cluster));
}

void Worker::resume_one() {
  if (launch->is_stopping()) {
    // When all gave up, the lowest cluster of any worker is the one to tell of.
    if (launch->has_given_up()) {
      give_up();
    } else {
      discard_stuck();
    }
    return;
  }
  std::uint64_t const progress = launch->progress();
  if (progress != progress_seen_) {
    progress_seen_ = progress;
    sweeps_ = 0;
    resumed_in_sweep_ = 0;
  }
  if (++resumed_in_sweep_ > stuck.size()) {
    resumed_in_sweep_ = 0;
    if (++sweeps_ >= LaunchState::sweeps_before_giving_up &&
        launch->nobody_goes_on(number, progress, sweeps_)) {
      give_up();
      return;
    }
    // Who could go on may wait for this core.
    std::this_thread::yield();
  }
  std::unique_ptr<ClusterState> cluster = std::move(stuck.front());
  stuck.pop_front();
  launch->change_stuck_clusters(-1);
  wake_spinning(*cluster);
  run_slice(std::move(cluster));
}

/// Every worker's clusters spin in vain: the one with the lowest index tells of it.
void Worker::give_up() {
  launch->give_up();
  auto const lowest = std::min_element(
      stuck.begin(), stuck.end(), [](auto const& a, auto const& b) { return a->index < b->index; });
  diagnose_spin(**lowest);
  launch->faulted(**lowest);
  discard_stuck();
}

void Worker::discard_stuck() {
  while (!stuck.empty()) {
    std::unique_ptr<ClusterState> cluster = std::move(stuck.front());
    stuck.pop_front();
    launch->change_stuck_clusters(-1);
    finish(std::move(cluster));
  }
}

void Worker::finish(std::unique_ptr<ClusterState> cluster) {
  if (cluster->check != nullptr) cluster->check->end();
  bool const has_ended = cluster->live == 0;
  OnFault const on_fault = launch->options().on_fault;
  if (cluster->finding && has_ended && on_fault != OnFault::throws) {
    launch->log(*cluster->finding);
    if (on_fault == OnFault::aborts) std::abort();
  } else if (cluster->finding) {
    launch->faulted(*cluster);
  }
  counts.clusters += 1;
  counts.teams += cluster->size;
  counts.threads += static_cast<long long>(cluster->threads.size());
  counts.cluster_barriers = std::max(counts.cluster_barriers, cluster->inner_barriers);
  counts.guard_barriers = std::max(counts.guard_barriers, cluster->guard_barriers);
  counts.switches += static_cast<long long>(cluster->switches());
  for (TeamState const& team : cluster->teams) {
    counts.team_barriers = std::max(counts.team_barriers, team.barriers);
    if (launch->shape().scratch_bytes > 0)
      counts.scratch_bytes_used = std::max(
          counts.scratch_bytes_used, static_cast<long long>(cluster->arena.bytes_used(team.rank)));
  }
  for (Observer* observer : launch->observers())
    observer->cluster_ended(*cluster, cluster->switches() + cluster->threads.size());
  launch->ended(*cluster);
  if (cluster->live == 0) {
    spare_clusters.push_back(std::move(cluster));
  } else {
    // Its fibers were abandoned where they stood. Nothing on their stacks is unwound, because an
    // exception meant for that could be swallowed by the kernel's own catch (...).
    take_stacks(*cluster);
  }
}

void Worker::take_stacks(ClusterState& cluster) {
  for (ThreadState& thread : cluster.threads) {
    if (thread.stack.bottom == nullptr) continue;
    forget_frames(thread.stack, thread.context);
    free_stacks.push_back(thread.stack);
    thread.stack = Stack{};
    thread.context = nullptr;
  }
}

}  // namespace kohort::simulator
