// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/launch_state.hpp"
#include "../report/report.hpp"
#include "faults.hpp"
#include "transfer_faults.hpp"
#include "who_waits.hpp"

#include <fmt/format.h>

namespace kohort::simulator {
namespace {

bool has_returned(ThreadState const& thread) {
  return thread.waiting == Waiting::returned ||
         (thread.waiting == Waiting::cluster_barrier &&
          thread.cluster_barrier_kind == ClusterBarrierKind::closing);
}

/// The team of which part waits at the team barrier while part waits elsewhere, or -1.
int team_with_divergent_barrier(ClusterState const& cluster) {
  for (TeamState const& team : cluster.teams)
    if (team.arrived > 0) return team.rank;
  return -1;
}

/// Whether the cluster barrier misses threads that have gone, rather than threads that wait.
bool misses_only_the_gone(ClusterState const& cluster) {
  if (cluster.barrier_arrived == 0) return false;
  for (ThreadState const& thread : cluster.threads) {
    // A thread may still owe the wait of an earlier phase, such as the entry guard's.
    bool const arrived = (thread.owes_cluster_wait || thread.waiting == Waiting::cluster_barrier) &&
                         thread.cluster_phase == cluster.barrier_phase;
    if (!arrived && !has_returned(thread)) return false;
  }
  return true;
}

bool some_wait_for(ClusterState const& cluster, Waiting reason) {
  for (ThreadState const& thread : cluster.threads)
    if (thread.waiting == reason) return true;
  return false;
}

std::string_view id_of_deadlock(ClusterState const& cluster) {
  // Nobody's arrival is missing there: whoever else waits, it is not for them.
  if (waits_for_bytes(cluster)) return "transfer-bytes";
  if (some_wait_for(cluster, Waiting::exchange)) return "subgroup-divergent";
  if (some_wait_for(cluster, Waiting::product)) return "warpgroup-divergent";
  if (team_with_divergent_barrier(cluster) >= 0) return "team-barrier-divergent";
  if (misses_only_the_gone(cluster)) return "cluster-barrier-divergent";
  return "deadlock";
}

}  // namespace

void diagnose_deadlock(ClusterState& cluster) {
  std::string_view const id = id_of_deadlock(cluster);
  Report report(cluster, id);
  add_waiting_rows(report, cluster, -1);
  if (cluster.barrier_arrived > 0)
    report.row(fmt::format("cluster barrier: {} of {} threads have arrived",
                           cluster.barrier_arrived, cluster.barrier_expected));
  add_transfer_barrier_rows(report, cluster);
  if (id == "team-barrier-divergent")
    report.why(
        "a team barrier needs every thread of the team, and those that wait elsewhere can't "
        "come: the kernel stands still");
  if (id == "subgroup-divergent" && some_wait_for(cluster, Waiting::transfer_barrier))
    report
        .why(
            "lanes of a tile stand at a subgroup operation, and others wait for a phased barrier: "
            "either they went different ways, or the phase lacks what its row says")
        .mend(
            "if another part of the kernel should have arrived there, mend that; otherwise call "
            "subgroup operations where all lanes of the tile are converged");
  cluster.finding = report.finding();
}

void diagnose_spin(ClusterState& cluster) {
  LaunchState& launch = *cluster.launch;
  bool const waits_for_room = launch.waits_for_room();
  Report report(cluster, waits_for_room ? "cluster-not-resident" : "spin-without-progress");
  add_waiting_rows(report, cluster, -1);
  if (waits_for_room) {
    long long const limit = launch.resident_limit();
    report.row(fmt::format("{} of {} clusters are resident at once on {}; {} have not started",
                           limit, launch.plan().size(), launch.options().profile->name,
                           launch.plan().size() - launch.started()));
  }
  cluster.finding = report.finding();
}

}  // namespace kohort::simulator
