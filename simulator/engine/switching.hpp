// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch_state.hpp"
#include "state.hpp"

namespace kohort::simulator {

/// Runs ready fibers of `cluster` until all have returned, none can run, or a fault was reported.
void run_fibers(ClusterState& cluster);

/// Gives a thread that has not started a stack, and a context that begins it.
void prepare_fiber(ClusterState& cluster, ThreadState& thread);

/// Goes from the running fiber straight to `next`.
inline void switch_to(ClusterState& cluster, ThreadState& self, ThreadState& next) {
  if (next.context == nullptr) [[unlikely]] prepare_fiber(cluster, next);
  cluster.current = &next;
  ++cluster.switches;
  Transfer const from = switch_context(next.context, &self.context, cluster.worker->exceptions,
                                       next.stack.bounds());
  *static_cast<Context*>(from.data) = from.fctx;
}

/// No fiber can run: back to the worker, which knows what to do about it.
void switch_to_worker(ClusterState& cluster, ThreadState& self, RunResult result);

/// Takes spinning threads back among the ready ones when something may have changed for them.
/// @return the next thread to run, or -1
int retry_spinning(ClusterState& cluster);

/// The running thread waits: another one runs until it is made ready again.
inline void block(ClusterState& cluster, ThreadState& self, Waiting reason) {
  self.waiting = reason;
  cluster.scheduler.block(self.index);
  int next = cluster.scheduler.pick();
  if (next < 0) [[unlikely]] next = retry_spinning(cluster);
  if (next < 0) [[unlikely]] {
    switch_to_worker(cluster, self, RunResult::stuck);
  } else if (next != self.index) {
    switch_to(cluster, self, cluster.thread(next));
  }
  self.waiting = Waiting::nothing;
}

/// Others became ready: lets the schedule choose who goes on.
inline void reschedule(ClusterState& cluster, ThreadState& self) {
  int const next = cluster.scheduler.pick();
  if (next != self.index) switch_to(cluster, self, cluster.thread(next));
}

}  // namespace kohort::simulator
