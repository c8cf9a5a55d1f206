// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/simulator/observer.hpp>

#include "report.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <vector>

namespace kohort::simulator {

Observer::~Observer() = default;

/// One text a cluster, each written by the worker that runs the cluster.
struct EventLog::State {
  std::string head;
  std::vector<std::string> clusters;

  std::string& of(Cluster const& cluster) {
    return clusters[static_cast<std::size_t>(cluster.index)];
  }
  std::string& of(Thread const& thread) { return of(*thread.team->cluster); }
};

EventLog::EventLog() : state_(std::make_unique<State>()) {}
EventLog::~EventLog() = default;

std::string EventLog::text() const {
  std::string all = state_->head;
  for (std::string const& cluster : state_->clusters) all += cluster;
  return all;
}

void EventLog::launch_started(LaunchShape const& shape, EngineOptions const& options,
                              long long clusters) {
  std::string const before = text();
  state_->head =
      before + fmt::format("launch {} of {} clusters, {} threads a team, schedule {}\n",
                           shape.label, clusters, shape.threads, to_string(options.schedule));
  state_->clusters.assign(static_cast<std::size_t>(clusters), {});
}

void EventLog::cluster_started(Cluster const& cluster, int slot,
                               std::vector<TeamPlace> const& places) {
  std::string& log = state_->of(cluster);
  fmt::format_to(std::back_inserter(log), "cluster {} starts in slot {}, group {}, SMs",
                 cluster.index, slot, cluster.group);
  for (TeamPlace const& where : places) fmt::format_to(std::back_inserter(log), " {}", where.sm);
  log += '\n';
}

void EventLog::thread_started(Thread const& thread) {
  fmt::format_to(std::back_inserter(state_->of(thread)), "t{}.{} starts\n", thread.team->rank,
                 thread.rank);
}

void EventLog::team_barrier_arrived(Thread const& thread, Site site) {
  fmt::format_to(std::back_inserter(state_->of(thread)), "t{}.{} team barrier {}\n",
                 thread.team->rank, thread.rank, place(site));
}

void EventLog::team_barrier_completed(Team const& team) {
  fmt::format_to(std::back_inserter(state_->of(*team.cluster)), "t{} team barrier complete\n",
                 team.rank);
}

void EventLog::cluster_barrier_arrived(Thread const& thread, ClusterBarrierKind kind, Site site) {
  fmt::format_to(std::back_inserter(state_->of(thread)), "t{}.{} cluster barrier kind {} {}\n",
                 thread.team->rank, thread.rank, static_cast<int>(kind), place(site));
}

void EventLog::cluster_barrier_completed(Cluster const& cluster) {
  state_->of(cluster) += "cluster barrier complete\n";
}

void EventLog::exchange_completed(Thread const& last, Exchange const& request) {
  fmt::format_to(std::back_inserter(state_->of(last)), "t{}.{} completes exchange of {} lanes\n",
                 last.team->rank, last.rank, request.lanes);
}

void EventLog::atomic_accessed(Thread const& thread, void const*, Site site) {
  fmt::format_to(std::back_inserter(state_->of(thread)), "t{}.{} atomic {}\n", thread.team->rank,
                 thread.rank, place(site));
}

void EventLog::thread_returned(Thread const& thread) {
  fmt::format_to(std::back_inserter(state_->of(thread)), "t{}.{} returns\n", thread.team->rank,
                 thread.rank);
}

void EventLog::cluster_ended(Cluster const& cluster, std::uint64_t steps) {
  fmt::format_to(std::back_inserter(state_->of(cluster)), "cluster {} ends after {} steps\n",
                 cluster.index, steps);
}

}  // namespace kohort::simulator
