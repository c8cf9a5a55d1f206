// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "faults.hpp"

#include "../engine/switching.hpp"
#include "../report/report.hpp"
#include "who_waits.hpp"

#include <fmt/format.h>

#include <utility>

namespace kohort::simulator {
namespace {

void record(ThreadState& self, Report const& report, std::exception_ptr cause = nullptr) {
  cluster_of(self).finding = report.finding(std::move(cause));
}

/// Leaves the cluster for good: the worker drops its fibers and carries the finding on. Nothing
/// that owns memory may live in the caller's frame, which nobody unwinds.
[[noreturn]] void abandon(ThreadState& self) {
  switch_to_worker(cluster_of(self), self, RunResult::faulted);
  __builtin_unreachable();
}

std::string name(ThreadState const& thread) {
  return fmt::format("team {} thread {}", thread.team->rank, thread.rank);
}

char const* name(ClusterBarrierKind kind) {
  switch (kind) {
    case ClusterBarrierKind::entry:
      return "the launcher's entry barrier";
    case ClusterBarrierKind::inner:
      return "cluster_barrier";
    default:
      return "the launcher's closing barrier";
  }
}

char const* name(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::barrier:
      return "barrier";
    case ExchangeKind::ballot:
      return "ballot";
    default:
      return "shuffle";
  }
}

}  // namespace

void report_partial_team_barrier(ThreadState& self) {
  {
    Report report(cluster_of(self), "team-barrier-divergent");
    add_waiting_rows(report, cluster_of(self), self.team->rank);
    record(self, report);
  }
  abandon(self);
}

void report_mismatched_team_barrier(ThreadState& self, Site site) {
  ClusterState& cluster = cluster_of(self);
  TeamState const& team = cluster.team_of(self);
  record(self, Report(cluster, "team-barrier-mismatch")
                   .row(fmt::format("{} of {} threads of team {} wait at", team.arrived,
                                    team.threads, team.rank),
                        "team_barrier", place(team.site))
                   .row(name(self) + " comes to", "team_barrier", place(site)));
  abandon(self);
}

void report_named_barrier_arguments(ThreadState& self, int id, int subgroups, Site site) {
  record(self,
         Report(cluster_of(self), "named-barrier")
             .row(name(self), fmt::format("named_barrier({}, {})", id, subgroups), place(site),
                  fmt::format("the team has {} threads in subgroups of {}", self.team->threads,
                              self.team->subgroup_lanes)));
  abandon(self);
}

void report_named_barrier_count(ThreadState& self, int id, int subgroups, Site site) {
  ClusterState& cluster = cluster_of(self);
  NamedBarrier const& barrier = cluster.team_of(self).named[static_cast<std::size_t>(id)];
  record(self,
         Report(cluster, "named-barrier")
             .row(fmt::format("{} threads of team {} wait at", barrier.arrived, self.team->rank),
                  fmt::format("named_barrier({}) for {} threads", id, barrier.expected),
                  place(barrier.site))
             .row(name(self) + " comes to", fmt::format("named_barrier({}, {})", id, subgroups),
                  place(site)));
  abandon(self);
}

void report_double_arrive(ThreadState& self, Site site) {
  record(self, Report(cluster_of(self), "cluster-barrier-double-arrive")
                   .row(name(self) + " arrived", name(self.cluster_barrier_kind), place(self.site))
                   .row("and arrives again", "", place(site)));
  abandon(self);
}

void report_wait_without_arrive(ThreadState& self, Site site) {
  record(
      self,
      Report(cluster_of(self), "arrive-token-spent").row(name(self), "cluster_wait", place(site)));
  abandon(self);
}

void report_token_dropped(ThreadState& self, Site site) {
  record(self, Report(cluster_of(self), "arrive-token-dropped")
                   .row(name(self), "cluster_arrive", place(site)));
  abandon(self);
}

void report_unequal_cluster_barriers(ThreadState& self) {
  ClusterState& cluster = cluster_of(self);
  ThreadState const& first = cluster.thread(cluster.barrier_first);
  auto const row = [](Report& report, ThreadState const& thread, char const* verb) {
    report.row(name(thread) + verb, name(thread.cluster_barrier_kind),
               thread.cluster_barrier_kind == ClusterBarrierKind::inner ? place(thread.site) : "",
               fmt::format("after {} cluster barriers of the kernel",
                           thread.cluster_arrivals -
                               (thread.cluster_barrier_kind == ClusterBarrierKind::inner ? 1 : 0)));
  };
  {
    Report report(cluster, "cluster-barrier-unequal");
    row(report, first, " waits at");
    row(report, self, " comes to");
    record(self, report);
  }
  abandon(self);
}

void report_mismatched_cluster_barrier(ThreadState& self, Site site) {
  ClusterState& cluster = cluster_of(self);
  record(self, Report(cluster, "cluster-barrier-mismatch")
                   .row(fmt::format("threads of team {} arrived at", self.team->rank),
                        "cluster_barrier", place(cluster.team_of(self).cluster_site))
                   .row(name(self) + " comes to", "cluster_barrier", place(site)));
  abandon(self);
}

void report_mismatched_exchange(ThreadState& self, Rendezvous const& meeting,
                                Exchange const& request, Site site) {
  record(self,
         Report(cluster_of(self), "subgroup-divergent")
             .row(fmt::format("{} lanes of team {} wait at", meeting.arrived, self.team->rank),
                  fmt::format("{} of {} lanes, {} B", name(meeting.kind), meeting.lanes,
                              meeting.bytes),
                  place(meeting.site))
             .row(name(self) + " comes to",
                  fmt::format("{} of {} lanes, {} B", name(request.kind), request.lanes,
                              request.bytes),
                  place(site)));
  abandon(self);
}

void report_shuffle_source(ThreadState& self, ThreadState const& lane, int existing) {
  record(self, Report(cluster_of(self), "shuffle-source")
                   .row(name(lane), "shuffle",
                        place(lane.waiting == Waiting::exchange ? lane.site : self.site),
                        fmt::format("its tile has {} lanes of the {} it needs", existing,
                                    lane.team->subgroup_lanes)));
  abandon(self);
}

void report_peer_rank(Thread& thread, int rank, int size, Site site) {
  report_peer_rank(state_of(thread), rank, size, site);
}

void report_peer_rank(ThreadState& self, int rank, int size, Site site) {
  record(self, Report(cluster_of(self), "peer-rank")
                   .row(name(self), fmt::format("peer(…, {})", rank), place(site),
                        fmt::format("the cluster has {} teams", size)));
  abandon(self);
}

void report_exception(ThreadState& self, std::exception_ptr thrown) {
  {
    std::string what = "an exception that is no std::exception";
    try {
      std::rethrow_exception(thrown);
    } catch (std::exception const& exception) {
      what = exception.what();
    } catch (...) {
    }
    record(self, Report(cluster_of(self), "kernel-exception").row(name(self), "threw", what),
           std::exchange(thrown, nullptr));
  }
  abandon(self);
}

void report_overrun_canary(ThreadState& self) {
  record(self, Report(cluster_of(self), "stack-overflow")
                   .row(name(self), fmt::format("stack of {} B", self.stack.bytes())));
  abandon(self);
}

}  // namespace kohort::simulator
