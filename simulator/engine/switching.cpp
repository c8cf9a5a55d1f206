// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "switching.hpp"

#include "../check/faults.hpp"

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
  if (cluster.observed) notify_started(cluster, self);
  try {
    cluster.launch->call(self);
  } catch (...) {
    report_exception(self, std::current_exception());
  }
  self.waiting = Waiting::returned;
  --cluster.live;
  ++cluster.progress;
  TeamState& team = cluster.team_of(self);
  ++team.returned;
  if (team.arrived > 0 || cluster.observed || cluster.ends_teams_early) [[unlikely]]
    thread_returned(self);
}

/// The fiber ended and its stack is free: goes to `next`, or to the worker.
[[noreturn]] void leave_for_good(ClusterState& cluster, ThreadState* next) {
  Context target = cluster.main;
  Stack const* stack = &cluster.worker->native_stack;
  if (next == nullptr) {
    cluster.result = cluster.live == 0 ? RunResult::finished : RunResult::stuck;
  } else {
    cluster.current = next;
    ++cluster.switches;
    prefetch_stacks_after(*next);
    target = next->context;
    stack = &next->stack;
  }
  switch_context(&cluster.discarded, target, cluster.exceptions, *stack, true);
  __builtin_unreachable();
}

}  // namespace

/// Threads that end without having been switched away from leave their stack to the next one that
/// has not started, so a team without barriers never switches.
void fiber_main() noexcept {
  ClusterState& cluster = *running_cluster();
  entered_fresh_stack();
  ThreadState* self = cluster.current;
  for (;;) {
    run_thread(cluster, *self);
    int next_index = self->index + 1;
    if (!cluster.scheduler.advance_sweep(self->index)) {
      cluster.scheduler.block(self->index);
      next_index = cluster.scheduler.pick();
      if (next_index < 0) next_index = retry_spinning(cluster);
    }
    ThreadState* const next = next_index < 0 ? nullptr : &cluster.thread(next_index);
    if (next != nullptr && next->context == nullptr) {
      next->stack = std::exchange(self->stack, Stack{});
      next->context = started;
      cluster.current = self = next;
      continue;
    }
    if (!canary_is_intact(self->stack)) report_overrun_canary(*self);
    leave_for_good(cluster, next);
  }
}

ClusterState* running_cluster() noexcept { return running; }
void set_running_cluster(ClusterState* cluster) noexcept { running = cluster; }

Thread* current_thread() noexcept {
  ClusterState* const cluster = running_cluster();
  return cluster == nullptr ? nullptr : cluster->current;
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
  __builtin_prefetch((&thread)[switches_ahead].stack.top - 64, 1);
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
  return cluster.scheduler.pick();
}

void block_and_search(ClusterState& cluster, ThreadState& self) {
  cluster.scheduler.block(self.index);
  int next = cluster.scheduler.pick();
  if (next < 0) next = retry_spinning(cluster);
  if (next < 0) {
    switch_to_worker(cluster, self, RunResult::stuck);
  } else if (next != self.index) {
    switch_to(cluster, self, cluster.thread(next));
  }
}

void run_fibers(ClusterState& cluster) {
  int const next = cluster.scheduler.pick();
  if (next < 0) {
    cluster.result = cluster.live == 0 ? RunResult::finished : RunResult::stuck;
    return;
  }
  set_running_cluster(&cluster);
  ThreadState& thread = cluster.thread(next);
  if (thread.context == nullptr) prepare_fiber(cluster, thread);
  cluster.current = &thread;
  switch_context(&cluster.main, thread.context, cluster.exceptions, thread.stack);
  set_running_cluster(nullptr);
}

}  // namespace kohort::simulator
