// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/cluster.hpp>
#include <kohort/backend/emulated/seat.hpp>

namespace kohort::Impl {

/// What a persistent team does: finds its cluster, does tasks with it until there are none, leaves.
template <class Target>
struct EmulatedRun {
  /// @param thread    a handle that belongs to no cluster yet
  /// @param run_task  called as run_task(EmulatedCluster<Target>&) by every thread for each task
  template <class Thread, class RunTask>
  static KOHORT_FUNCTION void run(Thread const& thread, EmulatedLaunch const& launch,
                                  bool is_manual, RunTask const& run_task) {
    Seat const seat = Seating<Target>::take(thread, launch);
    int leaving = 1;
    if (seat.cluster >= 0) {
      EmulatedPlatform<Target>::seated(thread, seat);
      EmulatedCluster<Target> cluster(launch, seat, is_manual);
      while (cluster.has_task()) {
        run_task(cluster);
        cluster.go_on(thread, site());
      }
      thread.team_barrier(site());
      if (thread.team_rank() == 0) leaving = cluster.leave(site()) ? launch.size : 0;
    }
    if (thread.team_rank() == 0 && leaving > 0) leave(launch, leaving);
  }

 private:
  static constexpr KOHORT_FUNCTION CallSite site() { return {"an emulated cluster's end", 0}; }

  /// Counts teams out of the launch: a whole cluster's at once, or one that stood aside. The last
  /// clears what the launch has used besides the clusters' lines.
  static KOHORT_FUNCTION void leave(EmulatedLaunch const& launch, int teams) {
    bool const used_counters = launch.keys > 1 || launch.handout != TaskHandout::fixed;
    if (!used_counters) return;
    LaunchLine& line = launch.launch_line();
    unsigned const before = atomic_fetch_add<Scope::device, MemoryOrder::acquire_release>(
        &line.gone, static_cast<unsigned>(teams), site());
    if (before + static_cast<unsigned>(teams) != static_cast<unsigned>(launch.workers)) return;
    for (int key = 0; key < launch.keys; ++key) {
      atomic_store(&launch.domain_line(key).joined, 0u, site());
      atomic_store(&launch.domain_line(key).head, 0u, site());
    }
    atomic_store(&line.joined, 0u, site());
    atomic_store(&line.head, 0u, site());
    atomic_store(&line.gone, 0u, site());
  }
};

}  // namespace kohort::Impl
