// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "switching.hpp"

#include "../check/cluster_check.hpp"
#include "../check/faults.hpp"
#include "../transfer/transfer_table.hpp"

#include <utility>

namespace kohort::simulator {
namespace {

/// The initial-exec model spares a call at each look; the library's few bytes of it fit even when
/// it is loaded late.
__attribute__((tls_model("initial-exec"))) thread_local ClusterState* running = nullptr;

/// The context of a thread that runs on a stack it took over: not null, and never jumped to,
/// because leaving the thread stores the real one.
Context const started = reinterpret_cast<Context>(&running);

void notify_started(ClusterState& cluster, ThreadState& thread) {
  for (Observer* observer : cluster.launch->observers()) observer->thread_started(thread);
}

/// Runs one simulated thread to its end, and reports what it threw.
void run_thread(ClusterState& cluster, ThreadState& self) {
  self.waiting = Waiting::nothing;
  if (cluster.observed) notify_started(cluster, self);
  std::exception_ptr thrown;
  try {
    cluster.launch->call(self);
  } catch (...) {
    thrown = std::current_exception();
  }
  // Not in the catch block: this frame is left for good, and the exception would be with it.
  if (thrown != nullptr) [[unlikely]]
    report_exception(self, std::move(thrown));
  self.waiting = Waiting::returned;
  --cluster.live;
  ++cluster.progress;
  TeamState& team = cluster.team_of(self);
  ++team.returned;
  if (team.arrived > 0 || cluster.observed || cluster.ends_teams_early ||
      cluster.transfers != nullptr) [[unlikely]]
    thread_returned(self);
}

/// The thread of this fiber has returned and none starts: goes to `next`, or to the worker. Comes
/// back when a thread of the worker's next cluster begins on this fiber, which belongs to no one
/// till then.
void leave(ClusterState& cluster, ThreadState* self, ThreadState* next) {
  if (next != nullptr) {
    prefetch_stacks_after(*next);
    switch_context(&self->context, next->context, cluster.exceptions, next->stack);
    return;
  }
  cluster.result = cluster.live == 0 ? RunResult::finished : RunResult::stuck;
  // Where the next cluster begins it finds the fiber: so one is enough for clusters without waits.
  ThreadState* const home = &cluster.thread(cluster.first_thread);
  if (home->stack.bottom == nullptr) {
    std::swap(home->stack, self->stack);
    self->context = nullptr;
    self = home;
  }
  switch_context(&self->context, cluster.main, cluster.exceptions, cluster.worker->native_stack);
}

/// The thread of this fiber has returned: goes on with the next one that starts, on the same stack,
/// so a team without barriers never switches; or to one that waited.
/// @return the thread to run next on this stack
ThreadState* after_return(ClusterState& cluster, ThreadState* self) {
  if (!canary_is_intact(self->stack)) report_overrun_canary(*self);
  int next_index = self->index + 1;
  bool const sweeps = cluster.scheduler.advance_sweep(self->index);
  if (!sweeps) {
    cluster.scheduler.block(self->index);
    next_index = pick_thread(cluster);
    if (next_index < 0) next_index = retry_spinning(cluster);
  }
  ThreadState* const next = next_index < 0 ? nullptr : &cluster.thread(next_index);
  if (next != nullptr && next->waiting == Waiting::not_started) {
    if (sweeps) ++cluster.swept_starts;
    // A fiber that an earlier cluster left with that thread stays behind with this one.
    std::swap(next->stack, self->stack);
    self->context = next->context;
    next->context = started;
    return next;
  }
  if (!sweeps && next != nullptr) ++cluster.other_switches;
  leave(cluster, self, next);
  return &cluster.current();
}

}  // namespace

void fiber_main() noexcept {
  ClusterState& cluster = *running_cluster();
  entered_fresh_stack();
  ThreadState* self = &cluster.current();
  for (;;) {
    run_thread(cluster, *self);
    self = after_return(cluster, self);
  }
}

ClusterState* running_cluster() noexcept { return running; }
void set_running_cluster(ClusterState* cluster) noexcept { running = cluster; }

Thread* current_thread() noexcept {
  ClusterState* const cluster = running_cluster();
  return cluster == nullptr ? nullptr : &cluster->current();
}

void prepare_fiber(ClusterState& cluster, ThreadState& thread) {
  if (thread.stack.bottom == nullptr) {
    std::vector<Stack>& free = cluster.worker->free_stacks;
    if (free.empty()) cluster.launch->stacks().take(free, 256);
    thread.stack = free.back();
    free.pop_back();
    plant_canary(thread.stack);
  }
  thread.context = fresh_context(thread.stack);
  prefetch_line((&thread)[switches_ahead].stack.top, -64);
}

void switch_to_worker(ClusterState& cluster, ThreadState& self, RunResult result) {
  cluster.result = result;
  switch_context(&self.context, cluster.main, cluster.exceptions, cluster.worker->native_stack);
}

void wake_spinning(ClusterState& cluster) {
  // Few poll and many wait for them: the search ends with the last that polls.
  for (ThreadState& thread : cluster.threads) {
    if (cluster.spinning == 0) return;
    if (thread.waiting != Waiting::spin) continue;
    cluster.scheduler.make_ready(thread.index);
    --cluster.spinning;
  }
}

int retry_spinning(ClusterState& cluster) {
  if (cluster.spinning == 0 || cluster.progress == cluster.progress_at_last_retry) return -1;
  cluster.progress_at_last_retry = cluster.progress;
  wake_spinning(cluster);
  return pick_thread(cluster);
}

int thread_after_agents(ClusterState& cluster, int picked) {
  while (picked >= cluster.scheduler.first_agent()) {
    complete_transfer(cluster, picked);
    picked = cluster.scheduler.pick();
  }
  return picked;
}

void block_and_search(ClusterState& cluster, ThreadState& self) {
  cluster.scheduler.block(self.index);
  int next = pick_thread(cluster);
  if (next < 0) next = retry_spinning(cluster);
  if (next < 0) {
    switch_to_worker(cluster, self, RunResult::stuck);
  } else if (next != self.index) {
    switch_outside_sweep(cluster, self, cluster.thread(next));
  }
}

void run_fibers(ClusterState& cluster) {
  int const next = pick_thread(cluster);
  if (next < 0) {
    cluster.result = cluster.live == 0 ? RunResult::finished : RunResult::stuck;
    return;
  }
  set_running_cluster(&cluster);
  running_check = cluster.check;
  ThreadState& thread = cluster.thread(next);
  if (thread.waiting == Waiting::not_started &&
      cluster.live == static_cast<int>(cluster.threads.size()))
    cluster.first_thread = next;
  if (thread.context == nullptr) prepare_fiber(cluster, thread);
  switch_context(&cluster.main, thread.context, cluster.exceptions, thread.stack);
  running_check = nullptr;
  set_running_cluster(nullptr);
}

}  // namespace kohort::simulator
