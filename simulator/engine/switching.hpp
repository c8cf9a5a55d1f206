// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch_state.hpp"
#include "state.hpp"

namespace kohort::simulator {

/// Runs ready fibers of `cluster` until all have returned, none can run, or a fault was reported.
void run_fibers(ClusterState& cluster);

/// Gives a thread that has not started a stack, and a context that begins it.
void prepare_fiber(ClusterState& cluster, ThreadState& thread);

/// Fetches the cache line `offset` bytes from `address`, which may be null or anywhere.
/// Always inlined: GCC 12 takes a function that only prefetches for one without effect.
__attribute__((always_inline)) inline void prefetch_line(void const* address, int offset) {
  auto const line = reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(offset);
  __builtin_prefetch(reinterpret_cast<void const*>(line), 1);
}

/// A switch is a few nanoseconds, a stack that left the first cache a few more: under the common
/// schedule the threads that come next are known, so their stacks are on their way meanwhile. Of 45
/// ns for each switch of 1024 fibers this left 10 (docs/decisions/0003-fiber-switch.md).
__attribute__((always_inline)) inline void prefetch_stacks_after(ThreadState const& next) {
  prefetch_line((&next)[switches_ahead].context, 0);
  prefetch_line((&next)[switches_ahead].context, 64);
}

/// Goes from the running fiber straight to `next`, which the scheduler named.
__attribute__((always_inline)) inline void switch_to(ClusterState& cluster, ThreadState& self,
                                                     ThreadState& next) {
  if (next.context == nullptr) [[unlikely]]
    prepare_fiber(cluster, next);
  prefetch_stacks_after(next);
  switch_context(&self.context, next.context, cluster.exceptions, next.stack);
}

/// No fiber can run: back to the worker, which knows what to do about it.
void switch_to_worker(ClusterState& cluster, ThreadState& self, RunResult result);

/// Takes every spinning thread of a cluster without ready ones back among those.
void wake_spinning(ClusterState& cluster);

/// Takes spinning threads back among the ready ones when something may have changed for them.
/// @return the next thread to run, or -1
int retry_spinning(ClusterState& cluster);

/// The rest of block(): another than the neighbour, spinning threads to retry, or nobody to run.
void block_and_search(ClusterState& cluster, ThreadState& self);

/// The running thread waits until it is made ready again: another one runs. It leaves no note of
/// the reason: a thread that has none and is not ready waits at a team barrier, the most frequent
/// wait.
__attribute__((always_inline)) inline void block_at_team_barrier(ClusterState& cluster,
                                                                 ThreadState& self) {
  if (cluster.scheduler.advance_sweep(self.index)) [[likely]] {
    switch_to(cluster, self, (&self)[1]);
  } else {
    block_and_search(cluster, self);
  }
}

/// The same for any other reason.
__attribute__((always_inline)) inline void block(ClusterState& cluster, ThreadState& self,
                                                 Waiting reason) {
  self.waiting = reason;
  block_at_team_barrier(cluster, self);
  self.waiting = Waiting::nothing;
}

/// switch_to() that no sweep of the scheduler counts.
inline void switch_outside_sweep(ClusterState& cluster, ThreadState& self, ThreadState& next) {
  ++cluster.other_switches;
  switch_to(cluster, self, next);
}

/// Completes what agents have to do until a thread is `picked`. @return the thread, or -1
int thread_after_agents(ClusterState& cluster, int picked);

/// The thread that the schedule chooses, or -1.
inline int pick_thread(ClusterState& cluster) {
  int const picked = cluster.scheduler.pick();
  if (picked < cluster.scheduler.first_agent()) [[likely]]
    return picked;
  return thread_after_agents(cluster, picked);
}

/// Others became ready: lets the schedule choose who goes on.
inline void reschedule(ClusterState& cluster, ThreadState& self) {
  int const next = pick_thread(cluster);
  if (next != self.index) switch_outside_sweep(cluster, self, cluster.thread(next));
}

/// A decision point of the schedules that have more of them than waits.
inline void preempt(ClusterState& cluster, ThreadState& self) {
  if (!cluster.scheduler.preempts()) return;
  int const next = thread_after_agents(cluster, cluster.scheduler.pick_at_atomic(self.index));
  if (next != self.index) switch_outside_sweep(cluster, self, cluster.thread(next));
}

}  // namespace kohort::simulator
