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

bool conflict(HistoryEntry const& earlier, AccessKind kind) {
  return (writes(earlier.kind) || writes(kind)) && !(is_atomic(earlier.kind) && is_atomic(kind));
}

}  // namespace

SiteId ClusterCheck::site_of_reader(std::uintptr_t granule, SegmentId segment, std::uint32_t lane,
                                    SiteId otherwise) const {
  if ((otherwise & more_sites_bit) == 0) return otherwise;
  std::size_t const kept = std::min(next_noted_, noted_sites_.size());
  for (std::size_t back = 1; back <= kept; ++back) {
    NotedSite const& noted = noted_sites_[(next_noted_ - back) % noted_sites_.size()];
    if (noted.granule != granule || noted.lane != lane) continue;
    if (are_of_one_team(noted.segment, segment) &&
        segments[noted.segment].group == segments[segment].group)
      return noted.site;
  }
  return otherwise & ~more_sites_bit;
}

/// Of the entry's lanes, those whose access is not known to have happened before; where the entry
/// is a whole team's, whether there are any.
std::uint32_t ClusterCheck::unknown_lanes(ThreadOrder const& me, HistoryEntry const& entry) const {
  if (!writes(entry.kind) && order_.knows_by_barriers(me, entry.segment)) return 0;
  if (entry.by_group != nullptr) {
    std::uint32_t any = 0;
    for (std::size_t group = 0; group < entry.by_group->size(); ++group)
      any |= order_.unknown_in_group(me, entry.segment, static_cast<int>(group),
                                     (*entry.by_group)[group], !writes(entry.kind));
    return any;
  }
  return order_.unknown_in_group(me, entry.segment, segments[entry.segment].group, entry.lanes,
                                 !writes(entry.kind));
}

/// @return whether nothing is left of the entry
bool ClusterCheck::drop_known(ThreadOrder const& me, HistoryEntry& entry) const {
  if (entry.by_group == nullptr) {
    entry.lanes = unknown_lanes(me, entry);
    return entry.lanes == 0;
  }
  std::uint32_t any = 0;
  for (std::size_t group = 0; group < entry.by_group->size(); ++group) {
    std::uint32_t& lanes = (*entry.by_group)[group];
    lanes = order_.unknown_in_group(me, entry.segment, static_cast<int>(group), lanes,
                                    !writes(entry.kind));
    any |= lanes;
  }
  return any == 0;
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
  bool const is_same_team =
      earlier.cluster == static_cast<std::uint32_t>(cluster_.index) && earlier.team == me.team();
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
      bool const reaches_each_other = reaches(access.scope, me, earlier.cluster, earlier.team) &&
                                      reaches(entry.scope, me, earlier.cluster, earlier.team);
      if (reaches_each_other) continue;
    }
    report_unordered(history, entry, access, me);
  }
}

/// Names one thread of each group that the access races with.
void ClusterCheck::report_unordered(History const& history, HistoryEntry const& entry,
                                    Access const& access, ThreadOrder const& me) {
  std::uint32_t const unknown = unknown_lanes(me, entry);
  if (unknown == 0) return;
  if (entry.by_group == nullptr) {
    report_race(history.granule, entry, entry.segment, unknown, access, me);
    return;
  }
  Segment of = segments[entry.segment];
  for (std::size_t group = 0; group < entry.by_group->size(); ++group) {
    std::uint32_t const lanes = order_.unknown_in_group(
        me, entry.segment, static_cast<int>(group), (*entry.by_group)[group], !writes(entry.kind));
    if (lanes == 0) continue;
    of.group = static_cast<std::uint16_t>(group);
    SegmentId const segment = source_.make(of);
    report_race(history.granule, entry, segment == 0 ? entry.segment : segment, lanes, access, me);
  }
}

/// Adds a lane to the entry of those that did the same since the same synchronisations.
bool ClusterCheck::join_entry(History& history, Access const& access, ThreadOrder const& me) {
  std::uint32_t const mine = 1U << me.lane;
  for (HistoryEntry& entry : history.entries) {
    if (entry.kind != access.kind || entry.bytes != access.bytes || entry.scope != access.scope)
      continue;
    if (entry.by_group != nullptr && are_of_one_team(entry.segment, me.segment)) {
      (*entry.by_group)[me.group()] |= mine;
    } else if (entry.by_group == nullptr && entry.segment == me.segment) {
      entry.lanes |= mine;
    } else {
      continue;
    }
    if ((entry.site & ~more_sites_bit) == access.site) return true;
    note_site(history.granule, me, access.site);
    entry.site |= more_sites_bit;
    return true;
  }
  return false;
}

void ClusterCheck::remember(History& history, Access const& access, ThreadOrder const& me) {
  if (writes(access.kind)) history.written |= access.bytes;
  // What such an access replaces went when the first of them came.
  if (access.kind != AccessKind::write && join_entry(history, access, me)) return;
  std::size_t const entries = history.entries.size();
  std::erase_if(history.entries, [&](HistoryEntry& entry) {
    return replaces(access, me, entry, entries) && drop_known(me, entry);
  });
  if (join_entry(history, access, me)) return;
  history.entries.push_back({.segment = me.segment,
                             .lanes = 1U << me.lane,
                             .site = access.site,
                             .bytes = static_cast<std::uint8_t>(access.bytes),
                             .kind = access.kind,
                             .scope = access.scope});
  if (history.entries.size() < history.merge_at) return;
  merge_teams(history);
  if (!launch_->has_acquired_of_others()) merge_clusters(history);
  history.merge_at = std::max(least_merged_entries, 2 * history.entries.size());
}

void ClusterCheck::touch_history(std::uintptr_t granule, Access const& access,
                                 ThreadOrder const& me) {
  bool const scratch = is_scratch(granule << 2U);
  std::uint64_t const first = std::uint64_t{first_segment(scratch)} << 37U;
  bool const is_first = region.reads[granule].word < first && region.writes[granule] < first;
  bool const is_at_an_end =
      is_first && first_touch(granule, access.bytes, me, writes(access.kind), access.site);
  History& history = history_at(granule);
  if (history.is_at_an_end) check_bounds(granule, access.bytes, me, access.kind, access.site);
  history.is_at_an_end |= is_at_an_end;
  compare(history, access, me);
  remember(history, access, me);
  // A write after all others is all there is to say: a word again.
  if (history.is_at_an_end || history.entries.size() != 1) return;
  HistoryEntry const& last = history.entries.front();
  if (last.kind != AccessKind::write || std::popcount(last.lanes) != 1) return;
  if ((last.site & more_sites_bit) != 0) return;
  auto const lane = static_cast<std::uint64_t>(std::countr_zero(last.lanes));
  region.writes[granule] = WriteWord::of(std::uint64_t{last.segment} << 5U | lane, last.bytes,
                                         history.written, last.site)
                               .bits;
  pool_of(granule).give_back(history);
}

void ClusterCheck::report_race(std::uintptr_t granule, HistoryEntry const& earlier,
                               SegmentId segment, std::uint32_t lanes, Access const& access,
                               ThreadOrder const& me) {
  auto const lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  std::uint32_t const bytes = earlier.bytes & access.bytes;
  AccessFault fault;
  bool const narrow = is_atomic(earlier.kind) && is_atomic(access.kind);
  fault.address =
      region.base + (granule << 2U) + static_cast<std::uintptr_t>(std::countr_zero(bytes));
  fault.bytes = static_cast<std::uint32_t>(std::popcount(bytes));
  fault.id = narrow ? "atomic-scope" : id_of_race(granule << 2U);
  fault.earlier = {segment, lane, earlier.kind, earlier.scope,
                   site_of_reader(granule, segment, lane, earlier.site)};
  fault.later = {me.segment, me.lane, access.kind, access.scope, access.site};
  fault.has_earlier = true;
  add(fault);
}

}  // namespace kohort::simulator
