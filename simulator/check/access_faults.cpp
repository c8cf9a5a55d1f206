// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "access_faults.hpp"

#include "../engine/launch_state.hpp"
#include "../report/report.hpp"

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

std::string who(FaultyAccess const& access, int cluster) {
  Segment const& segment = segments[access.segment];
  std::string const where = static_cast<int>(segment.cluster) == cluster
                                ? ""
                                : fmt::format("cluster {} ", segment.cluster);
  if (access.some_of_group >= 0)
    return fmt::format("{}team {} one of threads {}–{}", where, segment.team, access.thread(),
                       access.thread() + group_lanes - 1);
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

std::string verb(FaultyAccess const& access) {
  std::string const done = writes(access.kind) ? "write" : "read";
  return is_atomic(access.kind) ? fmt::format("atomic {}, {} scope", done, name(access.scope))
                                : done;
}

std::string since(FaultyAccess const& access) {
  SiteId const site = segments[access.segment].site;
  return site == unknown_site ? "no barrier since it started" : "after " + place(site);
}

std::string scratch_object(ClusterState const& cluster, AccessFault const& fault) {
  auto const* const address = reinterpret_cast<void const*>(fault.address);
  int const owner = cluster.arena.team_of(address);
  auto const in_block = static_cast<std::size_t>(static_cast<std::byte const*>(address) -
                                                 cluster.arena.block(owner));
  bool const own = segments[fault.later.segment].team == owner;
  std::string const whose = own ? "" : fmt::format("team {}'s ", owner);
  ScratchObject const* nearest = nullptr;
  for (ScratchObject const& object : cluster.launch->shape().scratch_objects)
    if (object.offset <= in_block) nearest = &object;
  if (nearest == nullptr) return whose + "scratch";
  std::size_t const at = in_block - nearest->offset;
  if (at >= nearest->bytes + Arena::gap) return whose + "the library's collective storage";
  std::string text = fmt::format("{}{} [{}]", whose, nearest->name, at / nearest->element_bytes);
  if (at % nearest->element_bytes != 0)
    text += fmt::format(" byte {}", at % nearest->element_bytes);
  if (at >= nearest->bytes)
    text += fmt::format(" of {}", nearest->bytes / nearest->element_bytes);
  return text;
}

std::string object_of(ClusterState const& cluster, AccessFault const& fault) {
  if (cluster.arena.contains(reinterpret_cast<void const*>(fault.address)))
    return scratch_object(cluster, fault);
  Allocation const nearest = allocation_near(fault.address);
  if (nearest.bytes == 0) return "no allocation";
  std::size_t const at = fault.address - nearest.begin;
  return fmt::format("byte {} of a {}Buffer of {} B", at, nearest.is_live ? "" : "freed ",
                     nearest.bytes);
}

/// What nothing orders, in the words of the two threads' places.
void explain_race(Report& report, AccessFault const& fault) {
  Segment const& one = segments[fault.earlier.segment];
  Segment const& other = segments[fault.later.segment];
  std::string const lines =
      fmt::format("between {} and {}", place(fault.earlier.site), place(fault.later.site));
  if (one.cluster != other.cluster) {
    report.why("clusters of one launch run in any order, and no release and acquire at device "
               "scope orders these two accesses");
    report.mend("let one cluster own the memory, use atomics, or make it two launches");
  } else if (one.team != other.team) {
    report.why(fmt::format("teams {} and {} touch the same memory, and no cluster barrier that "
                           "both passed lies between",
                           one.team, other.team));
    report.mend("member.cluster_barrier() " + lines);
  } else {
    report.why(fmt::format("two threads of team {} touch the same memory, and no barrier that both "
                           "passed lies between",
                           one.team));
    report.mend("member.team_barrier() " + lines);
  }
}

}  // namespace

int FaultyAccess::thread() const {
  if (some_of_group >= 0) return some_of_group * group_lanes;
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

std::unique_ptr<Finding> AccessFaults::finding(ClusterState const& cluster) const {
  Counted const& first = found_.front();
  AccessFault const& fault = first.fault;
  Report report(cluster, fault.id);
  std::string const object = object_of(cluster, fault);
  if (fault.has_earlier)
    report.row(verb(fault.earlier), who(fault.earlier, cluster.index), object,
               place(fault.earlier.site) + "   " + since(fault.earlier));
  report.row(verb(fault.later), who(fault.later, cluster.index), object,
             place(fault.later.site) + "   " + since(fault.later));
  if (fault.has_earlier && std::string_view(fault.id) != "atomic-scope")
    explain_race(report, fault);
  if (first.count > 1)
    report.also(fmt::format("{} more of {}", first.count - 1,
                            fault.has_earlier ? "these two lines" : "this line"));
  for (std::size_t i = 1; i < std::min(found_.size(), most_listed); ++i) {
    Counted const& other = found_[i];
    std::string const earlier =
        other.fault.has_earlier ? place(other.fault.earlier.site) + " and " : "";
    report.also(fmt::format("[{}] {}{}, {} times", other.fault.id, earlier,
                            place(other.fault.later.site), other.count));
  }
  if (found_.size() > most_listed)
    report.also(fmt::format("{} more pairs of lines", found_.size() - most_listed));
  return report.finding();
}

}  // namespace kohort::simulator
