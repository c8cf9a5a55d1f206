// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../engine/state.hpp"
#include "../report/report.hpp"
#include "../transfer/transfer_table.hpp"

#include <string>

/// Faults of phased barriers, copies and products. As in faults.hpp, each report_ function is
/// called by the thread at fault and does not return; a text that one takes by value is emptied
/// before, because nobody unwinds the caller's frame.
namespace kohort::simulator {

/// `state`: the barrier is one, but the thread can't know; null: it is none.
[[noreturn]] void report_uninitialised_barrier(ThreadState& self, void const* barrier,
                                               PhasedBarrier const* state, char const* operation,
                                               Site site);
/// The 8 bytes no longer hold what init wrote.
[[noreturn]] void report_overwritten_barrier(ThreadState& self, void const* barrier,
                                             PhasedBarrier const& state, char const* operation,
                                             Site site);
/// Initialised again in the midst of a phase.
[[noreturn]] void report_used_barrier(ThreadState& self, void const* barrier,
                                      PhasedBarrier const& state, Site site);
/// `operation`: of a thread of another team than the barrier's.
[[noreturn]] void report_remote_barrier(ThreadState& self, void const* barrier,
                                        char const* operation, Site site);
[[noreturn]] void report_barrier_count(ThreadState& self, int arrivals, Site site);
/// One arrival more than the phase counts, or for a phase that began unseen.
[[noreturn]] void report_barrier_overflow(ThreadState& self, void const* barrier,
                                          PhasedBarrier const& state, Site site);
/// A wait for `wanted`, which the line waited for before, or which may be a phase too late.
[[noreturn]] void report_stale_phase(ThreadState& self, void const* barrier,
                                     PhasedBarrier const& state, long long wanted, bool waits_twice,
                                     Site site);
[[noreturn]] void report_too_many_bytes(ThreadState& self, void const* barrier,
                                        PhasedBarrier const& state, long long bytes, Site site);
[[noreturn]] void report_transfer_mask(ThreadState& self, std::uint32_t ranks, Site site);
/// `what` is no multiple of `alignment`.
[[noreturn]] void report_transfer_alignment(ThreadState& self, std::string what,
                                            std::size_t alignment, Site site);
/// A box that is stored begins before the tensor.
[[noreturn]] void report_box_before_tensor(ThreadState& self, int dimension, int at, Site site);
/// `what` is not where it has to be.
[[noreturn]] void report_transfer_scratch(ThreadState& self, std::string what, char const* expected,
                                          Site site);
/// A copy still brings `bytes` that nobody expects.
[[noreturn]] void report_surplus_bytes(ThreadState& self, void const* barrier,
                                       PhasedBarrier const& state, std::uint32_t bytes);
[[noreturn]] void report_in_flight_at_exit(ThreadState& self, Transfer const& transfer);
[[noreturn]] void report_stores_at_exit(ThreadState& self, ThreadState const& issuer,
                                        StoreQueue const& stores);
/// A product of a subgroup that has `existing` threads.
[[noreturn]] void report_partial_subgroup(ThreadState& self, int existing, Site site);
/// `what` of a warpgroup that does not meet in one product.
[[noreturn]] void report_divergent_warpgroup(ThreadState& self, std::string what, Site site);

/// Called by the worker: the finding of a cluster that ended.
void diagnose_surplus_bytes(ClusterState& cluster, void const* barrier, PhasedBarrier const& state);

/// "cluster_scratch [1]" or "cluster_scratch byte 16 of 64", "team 1's " in front of a peer's.
std::string scratch_place(ClusterState const& cluster, void const* address, int accessor);
/// "phase 3, 0 of 1 arrivals, 16384 of 32768 B came".
std::string state_text(PhasedBarrier const& barrier);
/// A row for each barrier that threads wait at.
void add_transfer_barrier_rows(Report& report, ClusterState const& cluster);
/// Whether threads wait for a phase of which all arrivals came, but not the bytes.
bool waits_for_bytes(ClusterState const& cluster);

}  // namespace kohort::simulator
