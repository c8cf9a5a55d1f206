// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "who_waits.hpp"

#include "transfer_faults.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace kohort::simulator {
namespace {

/// What a thread is doing, as far as a report tells threads apart.
struct Place {
  std::string verb;
  std::string what;
  std::string where;
  friend auto operator<=>(Place const&, Place const&) = default;
};

bool closes(ThreadState const& thread) {
  return thread.waiting == Waiting::cluster_barrier &&
         thread.cluster_barrier_kind == ClusterBarrierKind::closing;
}

Place place_of(ClusterState const& cluster, ThreadState const& thread) {
  auto const& team = cluster.teams[static_cast<std::size_t>(thread.team->rank)];
  if (closes(thread)) return {"have returned", "", ""};
  switch (thread.waiting) {
    case Waiting::returned:
      return {"have returned", "", ""};
    case Waiting::team_barrier:
      return {"wait at", "team_barrier", place(team.site)};
    case Waiting::named_barrier:
      return {"wait at", fmt::format("named_barrier({})", thread.named_barrier),
              place(thread.site)};
    case Waiting::cluster_barrier:
      return {"wait at", fmt::format("cluster_barrier #{}", cluster.inner_barriers),
              place(thread.site)};
    case Waiting::exchange:
      return {"wait at", "a subgroup operation", place(thread.site)};
    case Waiting::transfer_barrier:
      return {"wait at",
              fmt::format("phase {} of {}", thread.argument,
                          scratch_place(cluster, thread.sent, thread.team->rank)),
              place(thread.site)};
    case Waiting::stores:
      return {"wait for", "their stores", place(thread.site)};
    case Waiting::product:
      return {"wait at", "a matrix operation", place(thread.site)};
    case Waiting::spin:
      return {"poll", "memory by atomics", place(thread.site)};
    case Waiting::not_started:
      return {"have not started", "", ""};
    case Waiting::nothing:
      break;
  }
  if (cluster.scheduler.is_ready(thread.index)) return {"are running", "", ""};
  return {"wait at", "team_barrier", place(team.site)};
}

void add_team_rows(Report& report, ClusterState const& cluster, TeamState const& team) {
  std::map<Place, std::vector<int>> groups;
  for (int i = 0; i < team.threads; ++i) {
    ThreadState const& thread = cluster.threads[static_cast<std::size_t>(team.first + i)];
    groups[place_of(cluster, thread)].push_back(thread.rank);
  }
  for (auto const& [where, threads] : groups)
    report.row(fmt::format("team {}: {} of {} threads {}", team.rank, threads.size(), team.threads,
                           where.verb),
               where.what, where.where, "threads " + ranges(threads));
}

}  // namespace

void add_waiting_rows(Report& report, ClusterState const& cluster, int team) {
  for (TeamState const& one : cluster.teams)
    if (team < 0 || one.rank == team) add_team_rows(report, cluster, one);
}

}  // namespace kohort::simulator
