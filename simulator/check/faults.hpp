// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../engine/state.hpp"

#include <exception>

/// What ends a cluster. Each report_ function is called by the thread at fault, in its fiber, and
/// does not return: the cluster's fibers are abandoned where they stand.
namespace kohort::simulator {

[[noreturn]] void report_partial_team_barrier(ThreadState& self);
[[noreturn]] void report_mismatched_team_barrier(ThreadState& self, Site site);
[[noreturn]] void report_named_barrier_arguments(ThreadState& self, int id, int subgroups,
                                                 Site site);
[[noreturn]] void report_named_barrier_count(ThreadState& self, int id, int subgroups, Site site);
[[noreturn]] void report_double_arrive(ThreadState& self, Site site);
[[noreturn]] void report_wait_without_arrive(ThreadState& self, Site site);
[[noreturn]] void report_token_dropped(ThreadState& self, Site site);
[[noreturn]] void report_unequal_cluster_barriers(ThreadState& self);
[[noreturn]] void report_mismatched_cluster_barrier(ThreadState& self, Site site);
[[noreturn]] void report_mismatched_exchange(ThreadState& self, Rendezvous const& meeting,
                                             Exchange const& request, Site site);
[[noreturn]] void report_shuffle_source(ThreadState& self, ThreadState const& lane, int existing);
[[noreturn]] void report_peer_rank(ThreadState& self, int rank, int size, Site site);
[[noreturn]] void report_exception(ThreadState& self, std::exception_ptr thrown);
[[noreturn]] void report_overrun_canary(ThreadState& self);

/// Called by the worker: no fiber of `cluster` can run and none spins.
void diagnose_deadlock(ClusterState& cluster);
/// Called by the worker: `cluster` spins, and nobody on the device goes on.
void diagnose_spin(ClusterState& cluster);

/// In engine/barriers.cpp: what a thread's end may bring about, and what the last arrival does.
void thread_returned(ThreadState& self);
void complete_cluster_barrier(ClusterState& cluster);

}  // namespace kohort::simulator
