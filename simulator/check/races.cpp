// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/state.hpp"
#include "cluster_check.hpp"

#include <algorithm>
#include <bit>

/// Races of 4 bytes that need more than two words of shadow: accesses that are unordered with each
/// other and yet right (many readers, atomics, different bytes), or wrong.
///
/// A history keeps every access that a later one may be unordered with. One is dropped when a later
/// one follows it and conflicts with all that it conflicts with: what races with the dropped one
/// then races with the other. So each access is found to race, or not to, exactly.
namespace kohort::simulator {
namespace {

/// Beyond this many entries, those that only matter for atomics of narrower scopes are dropped too.
constexpr std::size_t most_exact_entries = 64;
constexpr std::size_t most_reading_groups = 16;
constexpr std::size_t most_reading_clusters = 16;

bool conflict(HistoryEntry const& earlier, AccessKind kind) {
  return (writes(earlier.kind) || writes(kind)) && !(is_atomic(earlier.kind) && is_atomic(kind));
}

}  // namespace

HistoryPool& ClusterCheck::pool_of(std::uintptr_t granule) {
  return is_scratch(granule << 2U) ? scratch_histories_ : launch_->histories(worker_);
}

History& ClusterCheck::history_at(std::uintptr_t granule) {
  bool const scratch = is_scratch(granule << 2U);
  SegmentId const first = first_segment(scratch);
  WriteWord const written{region.writes[granule]};
  if (written.is_history()) return *history_of(written);
  ReadWord const read{region.reads[granule]};
  History& history = pool_of(granule).take(granule);
  bool const is_written = written.segment() >= first;
  history.written = is_written || !scratch ? written.written() : 0;
  if (is_written)
    history.entries.push_back({.segment = written.segment(),
                               .lanes = 1U << written.lane(),
                               .site = written.site(),
                               .bytes = static_cast<std::uint8_t>(written.bytes()),
                               .kind = AccessKind::write});
  if (read.segment() >= first)
    history.entries.push_back({.segment = read.segment(),
                               .lanes = read.lanes(),
                               .site = region.read_sites[granule],
                               .bytes = static_cast<std::uint8_t>(read.bytes()),
                               .kind = AccessKind::read});
  region.writes[granule] = word_of(&history).bits;
  region.reads[granule] = 0;
  return history;
}

std::uint32_t ClusterCheck::unknown_lanes(ThreadOrder const& me, HistoryEntry const& entry) const {
  if (entry.kind == AccessKind::read && order_.knows_by_barriers(me, entry.segment)) return 0;
  std::uint32_t unknown = 0;
  for (std::uint32_t rest = entry.lanes; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    bool const known =
        entry.of_groups ? order_.knows_group(me, entry.segment, static_cast<int>(lane))
        : writes(entry.kind) ? order_.knows(me, entry.segment, lane)
                             : order_.knows_read(me, entry.segment, lane);
    if (!known) unknown |= 1U << lane;
  }
  return unknown;
}

bool ClusterCheck::replaces(Access const& access, ThreadOrder const& me, HistoryEntry const& entry,
                            std::size_t entries) const {
  if ((entry.bytes & ~access.bytes) != 0) return false;
  if (access.kind == AccessKind::write) return true;
  if (access.kind == AccessKind::read) return !writes(entry.kind);
  if (!is_atomic(entry.kind)) return false;
  bool const at_least = access.kind == AccessKind::atomic_write || !writes(entry.kind);
  if (!at_least || access.scope > entry.scope) return false;
  Segment const& earlier = segments[entry.segment];
  // Whom a scope reaches is the same for all threads of a team.
  bool const is_same_team = earlier.cluster == static_cast<std::uint32_t>(cluster_.index) &&
                            earlier.team == me.team;
  return is_same_team || entries > most_exact_entries;
}

void ClusterCheck::compare(History const& history, Access const& access, ThreadOrder const& me) {
  for (HistoryEntry const& entry : history.entries) {
    if ((entry.bytes & access.bytes) == 0) continue;
    bool const both_atomic = is_atomic(entry.kind) && is_atomic(access.kind) &&
                             (writes(entry.kind) || writes(access.kind));
    if (!conflict(entry, access.kind) && !both_atomic) continue;
    if (both_atomic) {
      Segment const& earlier = segments[entry.segment];
      bool const reaches_each_other =
          reaches(access.scope, me, earlier.cluster, earlier.team) &&
          reaches(entry.scope, me, earlier.cluster, earlier.team);
      if (reaches_each_other) continue;
    }
    if (std::uint32_t const lanes = unknown_lanes(me, entry))
      report_race(history.granule, entry, lanes, access, me);
  }
}

void ClusterCheck::remember(History& history, Access const& access, ThreadOrder const& me) {
  std::uint32_t const mine = 1U << me.lane;
  std::size_t const entries = history.entries.size();
  std::erase_if(history.entries, [&](HistoryEntry& entry) {
    if (!replaces(access, me, entry, entries)) return false;
    entry.lanes = unknown_lanes(me, entry);
    return entry.lanes == 0;
  });
  if (writes(access.kind)) history.written |= access.bytes;
  for (HistoryEntry& entry : history.entries) {
    if (entry.segment == me.segment && entry.kind == access.kind && entry.bytes == access.bytes &&
        entry.scope == access.scope && !entry.of_groups) {
      entry.lanes |= mine;
      entry.site = access.site;
      return;
    }
  }
  history.entries.push_back({.segment = me.segment,
                             .lanes = mine,
                             .site = access.site,
                             .bytes = static_cast<std::uint8_t>(access.bytes),
                             .kind = access.kind,
                             .scope = access.scope});
  if (history.entries.size() > most_reading_groups) merge_groups(history);
  if (history.entries.size() > most_reading_clusters) merge_clusters(history);
}

/// Reads and atomics by several groups of a team between the same barriers become one entry. Which
/// lanes they were is lost: it matters only to a thread that knows some lanes of a group.
void ClusterCheck::merge_groups(History& history) {
  auto const kin = [](HistoryEntry const& a, HistoryEntry const& b) {
    Segment const& one = segments[a.segment];
    Segment const& other = segments[b.segment];
    return a.kind == b.kind && a.bytes == b.bytes && a.scope == b.scope &&
           one.cluster == other.cluster && one.team == other.team &&
           one.arrivals == other.arrivals && one.barriers == other.barriers &&
           one.ticks == other.ticks;
  };
  for (std::size_t i = 0; i < history.entries.size(); ++i) {
    HistoryEntry& into = history.entries[i];
    if (into.kind == AccessKind::write) continue;
    for (std::size_t j = i + 1; j < history.entries.size();) {
      HistoryEntry const from = history.entries[j];
      if (!kin(into, from)) {
        ++j;
        continue;
      }
      auto const groups = [](HistoryEntry const& entry) {
        return entry.of_groups ? entry.lanes : 1U << segments[entry.segment].group;
      };
      into.lanes = groups(into) | groups(from);
      into.of_groups = true;
      history.entries.erase(history.entries.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

/// Accesses by many clusters: the first and the last stand for all. Nothing is lost as long as no
/// cluster knows of another, which takes acquires of global memory.
void ClusterCheck::merge_clusters(History& history) {
  auto const is_foreign = [&](HistoryEntry const& entry) {
    return entry.kind != AccessKind::write &&
           segments[entry.segment].cluster != static_cast<std::uint32_t>(cluster_.index);
  };
  for (std::size_t i = 0; i < history.entries.size(); ++i) {
    HistoryEntry const first = history.entries[i];
    if (!is_foreign(first)) continue;
    std::vector<std::size_t> alike;
    for (std::size_t j = i + 1; j < history.entries.size(); ++j) {
      HistoryEntry const& other = history.entries[j];
      if (is_foreign(other) && other.kind == first.kind && other.bytes == first.bytes &&
          other.scope == first.scope)
        alike.push_back(j);
    }
    if (alike.size() < 2) continue;
    alike.pop_back();
    for (auto at = alike.rbegin(); at != alike.rend(); ++at)
      history.entries.erase(history.entries.begin() + static_cast<std::ptrdiff_t>(*at));
  }
}

void ClusterCheck::touch_history(std::uintptr_t granule, Access const& access,
                                 ThreadOrder const& me) {
  bool const scratch = is_scratch(granule << 2U);
  bool const is_first = region.reads[granule] < std::uint64_t{first_segment(scratch)} << 37U &&
                        region.writes[granule] < std::uint64_t{first_segment(scratch)} << 37U;
  if (is_first) first_touch(granule, access.bytes, me, writes(access.kind), access.site);
  History& history = history_at(granule);
  compare(history, access, me);
  remember(history, access, me);
  // A write after all others is all there is to say: a word again.
  if (history.entries.size() != 1 || history.entries.front().kind != AccessKind::write) return;
  HistoryEntry const& last = history.entries.front();
  if (std::popcount(last.lanes) != 1) return;
  auto const lane = static_cast<std::uint64_t>(std::countr_zero(last.lanes));
  region.writes[granule] = WriteWord::of(std::uint64_t{last.segment} << 5U | lane, last.bytes,
                                         history.written, last.site)
                               .bits;
  pool_of(granule).give_back(history);
}

void ClusterCheck::report_race(std::uintptr_t granule, HistoryEntry const& earlier,
                               std::uint32_t lanes, Access const& access, ThreadOrder const& me) {
  auto const lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  std::uint32_t const bytes = earlier.bytes & access.bytes;
  auto const first_byte = static_cast<std::uintptr_t>(std::countr_zero(bytes));
  AccessFault fault;
  bool const narrow = is_atomic(earlier.kind) && is_atomic(access.kind);
  fault.address = region.base + (granule << 2U) + first_byte;
  fault.bytes = static_cast<std::uint32_t>(std::popcount(bytes));
  fault.id = narrow ? "atomic-scope" : id_of_race(granule << 2U);
  fault.earlier = {earlier.segment, lane, earlier.kind, earlier.scope, earlier.site};
  if (earlier.of_groups) fault.earlier.some_of_group = static_cast<int>(lane);
  fault.later = {me.segment, me.lane, access.kind, access.scope, access.site};
  fault.has_earlier = true;
  add(fault);
}

}  // namespace kohort::simulator
