// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "happens_before_oracle.hpp"

#include <algorithm>
#include <map>

namespace kohort::detect {
namespace {

/// A set of events.
class EventSet {
 public:
  explicit EventSet(std::size_t events = 0) : words_((events + 63) / 64, 0) {}
  void add(std::size_t event) { words_[event / 64] |= std::uint64_t{1} << event % 64; }
  bool has(std::size_t event) const { return (words_[event / 64] >> event % 64 & 1) != 0; }
  void add_all(EventSet const& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }

 private:
  std::vector<std::uint64_t> words_;
};

using ThreadName = std::tuple<int, int, int>;
ThreadName thread_of(Event const& event) { return {event.cluster, event.team, event.thread}; }

bool covers(Scope scope, Event const& one, Event const& other) {
  switch (scope) {
    case Scope::team:
      return one.cluster == other.cluster && one.team == other.team;
    case Scope::cluster:
      return one.cluster == other.cluster;
    default:
      return true;
  }
}

bool is_release(MemoryOrder order) {
  return order != MemoryOrder::relaxed && order != MemoryOrder::acquire;
}
bool is_acquire(MemoryOrder order) {
  return order != MemoryOrder::relaxed && order != MemoryOrder::release;
}

class Oracle {
 public:
  Oracle(Program const& program, std::vector<Event> const& events)
      : program_(program), events_(events), before_(events.size(), EventSet(events.size())) {}

  Expected work_out() {
    for (std::size_t at = 0; at < events_.size(); ++at) order(at);
    for (std::size_t at = 0; at < events_.size(); ++at) find_races(at);
    if (program_.manual_lifetime && program_.teams() > 1) find_lifetimes();
    return std::move(expected_);
  }

 private:
  /// Something whose release an acquire may meet.
  struct Head {
    std::size_t event;
    Scope scope;
  };
  struct Seen {
    Head head;
    Scope load_scope;
  };
  struct ThreadPast {
    bool has_last = false;
    std::size_t last = 0;
    std::vector<std::size_t> reads;
    bool has_fence = false;
    std::size_t fence = 0;
    std::vector<Seen> seen;
  };
  using Barrier = std::tuple<Event::Kind, int, int, int, int>;

  void follow(std::size_t at, std::size_t earlier) {
    before_[at].add(earlier);
    before_[at].add_all(before_[earlier]);
  }

  void order(std::size_t at) {
    Event const& event = events_[at];
    ThreadPast& past = past_[thread_of(event)];
    if (past.has_last) follow(at, past.last);
    switch (event.kind) {
      case Event::Kind::access:
        if (event.is_atomic) order_atomic(at, past);
        if (!event.writes) past.reads.push_back(at);
        break;
      case Event::Kind::fence:
        for (Seen const& seen : past.seen) {
          Event const& head = events_[seen.head.event];
          if (covers(event.scope, event, head) && covers(seen.head.scope, head, event) &&
              covers(seen.load_scope, event, head))
            follow(at, seen.head.event);
        }
        past.has_fence = true;
        past.fence = at;
        break;
      case Event::Kind::team_barrier:
      case Event::Kind::meeting: {
        int const group = event.kind == Event::Kind::meeting ? event.group : 0;
        Barrier const barrier{event.kind, event.cluster, event.team, event.generation, group};
        if (!event.leaves) {
          arrivals_[barrier].push_back(at);
        } else {
          for (std::size_t const arrival : arrivals_[barrier]) follow(at, arrival);
        }
        break;
      }
      case Event::Kind::arrive:
      case Event::Kind::arrive_relaxed:
        arrivals_[cluster_barrier(event)].push_back(at);
        reads_at_[at] = past.reads;
        break;
      case Event::Kind::wait:
        for (std::size_t const arrival : arrivals_[cluster_barrier(event)]) {
          if (events_[arrival].kind == Event::Kind::arrive) {
            follow(at, arrival);
          } else {
            // A relaxed arrival hands back what was read: nothing else of the past goes along.
            for (std::size_t const read : reads_at_[arrival]) before_[at].add(read);
          }
        }
        break;
      case Event::Kind::returned:
        break;
    }
    past.has_last = true;
    past.last = at;
  }

  static Barrier cluster_barrier(Event const& event) {
    return {Event::Kind::arrive, event.cluster, 0, event.generation, 0};
  }

  void order_atomic(std::size_t at, ThreadPast& past) {
    Event const& event = events_[at];
    std::vector<Head>& heads = heads_[{event.memory, event.address}];
    if (event.operation != Operation::store) {
      for (Head const& head : heads) {
        Event const& from = events_[head.event];
        if (is_acquire(event.order)) {
          if (covers(head.scope, from, event) && covers(event.scope, event, from))
            follow(at, head.event);
        } else {
          past.seen.push_back({head, event.scope});
        }
      }
    }
    if (!event.writes) return;
    if (event.operation == Operation::store) heads.clear();
    if (is_release(event.order)) {
      heads.push_back({at, event.scope});
    } else if (past.has_fence) {
      heads.push_back({past.fence, std::min(event.scope, events_[past.fence].scope)});
    }
  }

  void find_races(std::size_t at) {
    Event const& event = events_[at];
    if (event.kind != Event::Kind::access) return;
    for (std::size_t earlier = 0; earlier < at; ++earlier) {
      Event const& other = events_[earlier];
      if (other.kind != Event::Kind::access || before_[at].has(earlier)) continue;
      if (event.memory != other.memory || (!event.writes && !other.writes)) continue;
      bool const both_atomic = event.is_atomic && other.is_atomic;
      if (both_atomic && covers(event.scope, event, other) && covers(other.scope, other, event))
        continue;
      std::uintptr_t const begin = std::max(event.address, other.address);
      std::uintptr_t const end = std::min(event.address + static_cast<std::uintptr_t>(event.bytes),
                                          other.address + static_cast<std::uintptr_t>(other.bytes));
      for (std::uintptr_t byte = begin; byte < end; ++byte) {
        RacyAccess const racy{at, byte / 4};
        expected_.races.insert(racy);
        expected_.partners.insert(
            {racy, Partner{other.cluster, other.team, other.thread, both_atomic}});
      }
    }
  }

  void find_lifetimes() {
    for (std::size_t at = 0; at < events_.size(); ++at) {
      Event const& event = events_[at];
      if (event.kind != Event::Kind::access || event.owner < 0 || event.owner == event.team)
        continue;
      if (!has_ended(at) && !has_started(at)) expected_.too_early.insert(at);
      if (has_ended(at) || !is_waited_for(at))
        expected_.too_late.insert({event.cluster, event.team, event.thread, event.owner});
    }
  }

  bool is_owners(Event const& event, Event const& access) const {
    return event.cluster == access.cluster && event.team == access.owner;
  }

  /// By an event of the owner's that happened before, or by any cluster barrier that has completed.
  bool has_started(std::size_t at) const {
    for (std::size_t earlier = 0; earlier < at; ++earlier) {
      Event const& event = events_[earlier];
      if (!before_[at].has(earlier)) continue;
      if (event.kind == Event::Kind::wait && event.cluster == events_[at].cluster) return true;
      if (is_owners(event, events_[at])) return true;
    }
    return false;
  }

  bool has_ended(std::size_t at) const {
    int returned = 0;
    for (std::size_t earlier = 0; earlier < at; ++earlier)
      returned += is_owners(events_[earlier], events_[at]) &&
                  events_[earlier].kind == Event::Kind::returned;
    return returned == program_.threads;
  }

  bool is_waited_for(std::size_t at) const {
    for (std::size_t later = at + 1; later < events_.size(); ++later)
      if (is_owners(events_[later], events_[at]) && events_[later].kind == Event::Kind::returned &&
          before_[later].has(at))
        return true;
    return false;
  }

  Program const& program_;
  std::vector<Event> const& events_;
  std::vector<EventSet> before_;
  std::map<ThreadName, ThreadPast> past_;
  std::map<Barrier, std::vector<std::size_t>> arrivals_;
  std::map<std::size_t, std::vector<std::size_t>> reads_at_;
  std::map<std::pair<int, std::uintptr_t>, std::vector<Head>> heads_;
  Expected expected_;
};

}  // namespace

Expected expected_of(Program const& program, std::vector<Event> const& events) {
  return Oracle(program, events).work_out();
}

}  // namespace kohort::detect
