// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../check/cluster_check.hpp"
#include "../check/faults.hpp"
#include "switching.hpp"

#include <cstring>
#include <numeric>
#include <vector>

namespace kohort::simulator {
namespace {

/// The lane that `lane` receives from: itself where the request leads out of the tile upwards or
/// downwards, as the hardware's shuffles do; -1 for a lane that does not exist.
int source_of(Rendezvous const& meeting, int lane, int argument, int existing) {
  switch (meeting.kind) {
    case ExchangeKind::index: {
      int const source = argument & (meeting.lanes - 1);
      return source < existing ? source : -1;
    }
    case ExchangeKind::up:
      return lane - argument < 0 ? lane : lane - argument;
    case ExchangeKind::down: {
      int const source = lane + argument;
      if (source >= meeting.lanes) return lane;
      return source < existing ? source : -1;
    }
    case ExchangeKind::exclusive_or: {
      int const source = lane ^ argument;
      return source < existing ? source : -1;
    }
    default:
      return lane;
  }
}

void complete_ballot(ThreadState* lanes, int existing) {
  std::uint64_t bits = 0;
  for (int lane = 0; lane < existing; ++lane)
    bits |= static_cast<std::uint64_t>(lanes[lane].argument != 0) << lane;
  for (int lane = 0; lane < existing; ++lane) std::memcpy(lanes[lane].received, &bits, sizeof bits);
}

void complete_shuffle(ThreadState& self, Rendezvous const& meeting, ThreadState* lanes,
                      int existing) {
  for (int lane = 0; lane < existing; ++lane) {
    int const source = source_of(meeting, lane, lanes[lane].argument, existing);
    if (source < 0) report_shuffle_source(self, lanes[lane], existing);
    std::memcpy(lanes[lane].received, lanes[source].sent, meeting.bytes);
  }
}

/// Where the tile of `lanes` lanes from `first` on meets: at its middle lane's number, which no
/// tile of another size has. Lanes may come to a wide tile while others are still at a narrow one.
Rendezvous& meeting_of(TeamState& team, int first, int lanes) {
  constexpr int widest = 64;
  if (team.meetings.empty())
    team.meetings.resize(static_cast<std::size_t>((team.threads + widest - 1) / widest * widest));
  return team.meetings[static_cast<std::size_t>(first + lanes / 2)];
}

}  // namespace

void exchange(Thread& thread, Exchange const& request, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  TeamState& team = cluster.team_of(self);
  int const first = self.rank & ~(request.lanes - 1);
  int const existing = std::min(request.lanes, team.threads - first);
  ThreadState* const lanes = &cluster.thread(team.first + first);
  Rendezvous& meeting = meeting_of(team, first, request.lanes);
  if (meeting.arrived == 0) {
    meeting.lanes = request.lanes;
    meeting.kind = request.kind;
    meeting.bytes = request.bytes;
    meeting.site = site;
  } else if (meeting.lanes != request.lanes || meeting.kind != request.kind ||
             meeting.bytes != request.bytes || !same_site(meeting.site, site)) {
    report_mismatched_exchange(self, meeting, request, site);
  }
  self.sent = request.sent;
  self.received = request.received;
  self.argument = request.argument;
  if (++meeting.arrived < existing) {
    self.site = site;
    block(cluster, self, Waiting::exchange);
    return;
  }
  meeting.arrived = 0;
  ++cluster.progress;
  ++cluster.worker->counts.subgroup_exchanges;
  if (cluster.check != nullptr && request.kind == ExchangeKind::barrier) {
    std::vector<int> threads(static_cast<std::size_t>(existing));
    std::iota(threads.begin(), threads.end(), lanes->index);
    cluster.check->met(threads, BarrierKind::subgroup, site);
  }
  if (request.kind == ExchangeKind::ballot) {
    complete_ballot(lanes, existing);
  } else if (request.kind != ExchangeKind::barrier) {
    complete_shuffle(self, meeting, lanes, existing);
  }
  if (cluster.observed) [[unlikely]]
    for (Observer* observer : cluster.launch->observers())
      observer->exchange_completed(self, request);
  if (existing == 1) return;
  cluster.scheduler.make_range_ready(lanes->index, lanes->index + existing);
  reschedule(cluster, self);
}

}  // namespace kohort::simulator
