// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "access_faults.hpp"

#include "../engine/launch_state.hpp"
#include "../report/report.hpp"
#include "scratch_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace kohort::simulator {
namespace {

constexpr std::size_t most_found = 64;
constexpr std::size_t most_listed = 8;

bool same_lines(AccessFault const& a, AccessFault const& b) {
  if (std::string_view(a.id) != b.id) return false;
  return (a.earlier.site == b.earlier.site && a.later.site == b.later.site) ||
         (a.earlier.site == b.later.site && a.later.site == b.earlier.site);
}

std::string who(FaultyAccess const& access, bool names_cluster) {
  Segment const& segment = segments[access.segment];
  std::string const where = names_cluster ? fmt::format("cluster {} ", segment.cluster) : "";
  return fmt::format("{}team {} thread {}", where, segment.team, access.thread());
}

char const* name(AtomicScope scope) {
  switch (scope) {
    case AtomicScope::team:
      return "team";
    case AtomicScope::cluster:
      return "cluster";
    case AtomicScope::device:
      return "device";
    default:
      return "system";
  }
}

bool is_agents(FaultyAccess const& access) { return is_agent(segments[access.segment]); }

std::string verb(FaultyAccess const& access) {
  if (is_agents(access)) return writes(access.kind) ? "async write" : "async read";
  char const* const done = writes(access.kind) ? "write" : "read";
  return is_atomic(access.kind) ? fmt::format("atomic {}, {} scope", done, name(access.scope))
                                : done;
}

std::string since(FaultyAccess const& access) {
  if (is_agents(access)) return "under way since";
  SiteId const site = segments[access.segment].site;
  return site == unknown_site ? "no synchronisation since it started" : "since " + place(site);
}

std::string buffer_object(std::uintptr_t address) {
  Allocation const nearest = allocation_near(address);
  if (nearest.bytes == 0) return "no allocation";
  if (nearest.is_scratch) return "far beyond the scratch";
  char const* const freed = nearest.is_live ? "" : "freed ";
  if (std::string const name = name_near(nearest.begin, address); !name.empty())
    return freed + name;
  if (address < nearest.begin)
    return fmt::format("{} B before a {}Buffer of {} B", nearest.begin - address, freed,
                       nearest.bytes);
  return fmt::format("byte {} of a {}Buffer of {} B", address - nearest.begin, freed,
                     nearest.bytes);
}

std::string object_of(ClusterState const& cluster, std::uintptr_t address,
                      FaultyAccess const& accessor) {
  return cluster.arena.contains(reinterpret_cast<void const*>(address))
             ? name_of_scratch(cluster, reinterpret_cast<std::byte const*>(address),
                               segments[accessor.segment].team)
             : buffer_object(address);
}

/// "between f.cpp:12 and f.cpp:30", the earlier line first, whoever came first.
std::string between(FaultyAccess const& one, FaultyAccess const& other) {
  SourceLine const a = source_line(one.site);
  SourceLine const b = source_line(other.site);
  bool const in_order = a.file != b.file || a.line <= b.line;
  return fmt::format("between {} and {}", place(in_order ? one.site : other.site),
                     place(in_order ? other.site : one.site));
}

/// A race with a copy or a product, which is its issuer's work and not in its order.
void explain_async(Report& report, AccessFault const& fault) {
  if (!is_agents(fault.earlier)) {
    report.why(
        fmt::format("what {} began may touch the memory from then on, and nothing told it that "
                    "the other access was over",
                    who(fault.later, false)));
    report.mend(fmt::format("let a barrier lie between {}", between(fault.earlier, fault.later)));
    return;
  }
  report.why(fmt::format("what {} began goes on by itself, and nothing told {} that it was done",
                         who(fault.earlier, false), who(fault.later, false)));
  report.mend(
      "wait for what it completes on before the other access: the phased barrier, wait_stores() "
      "or wait_stores_read(), or the product's wait()");
}

/// What nothing orders, in the words of the two threads' places.
void explain_race(Report& report, AccessFault const& fault) {
  Segment const& one = segments[fault.earlier.segment];
  Segment const& other = segments[fault.later.segment];
  bool const same_line = place(fault.earlier.site) == place(fault.later.site);
  bool const atomics = is_atomic(fault.earlier.kind) || is_atomic(fault.later.kind);
  std::string const mixed =
      atomics ? "; that one side is atomic does not help the other, which is not" : "";
  if (one.cluster != other.cluster) {
    report.why(
        "clusters of one launch run in any order, and no release and acquire at device "
        "scope orders these two accesses" +
        mixed);
    report.mend("let one cluster own the memory, use atomics, or make it two launches");
    return;
  }
  if (is_agent(one) || is_agent(other)) return explain_async(report, fault);
  bool const same_team = one.team == other.team;
  report.why(fmt::format(
      "{} touch the same memory: no {} barrier that both passed lies between, and no release and "
      "acquire{}",
      same_team ? fmt::format("two threads of team {}", one.team)
                : fmt::format("teams {} and {}", one.team, other.team),
      same_team ? "team" : "cluster", mixed));
  char const* const barrier = same_team ? "member.team_barrier()" : "member.cluster_barrier()";
  report.mend(same_line
                  ? fmt::format("let one thread do it, use an atomic, or put {} between the rounds "
                                "of the loop that does it",
                                barrier)
                  : fmt::format("{} {}; between two rounds of a loop, after the later line",
                                barrier, between(fault.earlier, fault.later)));
}

/// Which of the two scopes does not hold the other's thread.
void explain_scope(Report& report, AccessFault const& fault) {
  auto const misses = [](FaultyAccess const& one, FaultyAccess const& other) {
    Segment const& mine = segments[one.segment];
    Segment const& theirs = segments[other.segment];
    if (one.scope >= AtomicScope::device) return false;
    return mine.cluster != theirs.cluster ||
           (one.scope == AtomicScope::team && mine.team != theirs.team);
  };
  FaultyAccess const& narrow = misses(fault.earlier, fault.later) ? fault.earlier : fault.later;
  FaultyAccess const& other = misses(fault.earlier, fault.later) ? fault.later : fault.earlier;
  report.why(
      fmt::format("the {} scope of {} does not hold {}: to each other the two operations are "
                  "no atomics",
                  name(narrow.scope), who(narrow, true), who(other, true)));
  report.mend(fmt::format(
      "Scope::{} or wider at {}",
      segments[narrow.segment].cluster == segments[other.segment].cluster ? "cluster" : "device",
      place(narrow.site)));
}

bool is_race(AccessFault const& fault) {
  return std::string_view(fault.id).substr(0, 5) == "race-";
}

/// Whether a read of unwritten memory is one end of a race with the write that came too late.
bool is_explained(AccessFault const& read, AccessFault const& race) {
  return std::string_view(read.id) == "uninitialised-read" && is_race(race) &&
         (place(race.earlier.site) == place(read.later.site) ||
          place(race.later.site) == place(read.later.site));
}

}  // namespace

int FaultyAccess::thread() const {
  if (is_agent(segments[segment])) return issuer_of(segments[segment]);
  return segments[segment].group * group_lanes + static_cast<int>(lane);
}

void AccessFaults::add(AccessFault const& fault) {
  auto const known = std::find_if(found_.begin(), found_.end(), [&](Counted const& counted) {
    return same_lines(counted.fault, fault);
  });
  if (known != found_.end()) {
    ++known->count;
  } else if (found_.size() < most_found) {
    found_.push_back({fault});
  }
}

std::vector<AccessFaults::Counted> AccessFaults::by_lines() const {
  std::vector<Counted> merged;
  for (Counted const& one : found_) {
    bool const explained = std::any_of(found_.begin(), found_.end(), [&](Counted const& other) {
      return is_explained(one.fault, other.fault);
    });
    if (explained) continue;
    auto const lines = [](AccessFault const& fault) {
      std::string first = fault.has_earlier ? place(fault.earlier.site) : "";
      std::string second = place(fault.later.site);
      if (second < first) std::swap(first, second);
      return std::string(fault.id) + first + second;
    };
    auto const known = std::find_if(merged.begin(), merged.end(), [&](Counted const& other) {
      return lines(other.fault) == lines(one.fault);
    });
    if (known != merged.end()) {
      known->count += one.count;
    } else {
      merged.push_back(one);
    }
  }
  return merged;
}

std::unique_ptr<Finding> AccessFaults::finding(ClusterState const& cluster) const {
  std::vector<Counted> const found = by_lines();
  AccessFault const& fault = found.front().fault;
  Report report(cluster, fault.id);
  bool const names_cluster = fault.has_earlier && segments[fault.earlier.segment].cluster !=
                                                      segments[fault.later.segment].cluster;
  std::string const size =
      fault.has_earlier || fault.peer >= 0 ? "" : fmt::format(" of {} B", fault.bytes);
  auto const row = [&](FaultyAccess const& access) {
    report.row(verb(access) + size, who(access, names_cluster),
               object_of(cluster, fault.address, access),
               place(access.site) + "   " + since(access));
  };
  if (fault.has_earlier) row(fault.earlier);
  row(fault.later);
  if (fault.peer >= 0)
    report.row("owner", fmt::format("team {}", fault.peer), "",
               fault.peer_site == unknown_site ? "no synchronisation so far"
                                               : "last came to " + place(fault.peer_site));
  if (is_race(fault)) explain_race(report, fault);
  if (std::string_view(fault.id) == "atomic-scope") explain_scope(report, fault);
  bool const two_lines = fault.has_earlier && place(fault.earlier.site) != place(fault.later.site);
  if (found.front().count > 1)
    report.also(fmt::format("{} more from {}", found.front().count - 1,
                            two_lines ? "these two lines" : "this line"));
  for (std::size_t i = 1; i < std::min(found.size(), most_listed); ++i) {
    AccessFault const& other = found[i].fault;
    std::string const earlier = other.has_earlier ? place(other.earlier.site) + " and " : "";
    report.also(fmt::format("[{}] {}{}{}", other.id, earlier, place(other.later.site),
                            found[i].count > 1 ? fmt::format(", {} times", found[i].count) : ""));
  }
  if (found.size() > most_listed)
    report.also(fmt::format("{} more pairs of lines", found.size() - most_listed));
  return report.finding();
}

}  // namespace kohort::simulator
