// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/state.hpp"
#include "cluster_check.hpp"

#include <bit>

/// How a history comes about from two words, and how a long one becomes short.
namespace kohort::simulator {

HistoryPool& ClusterCheck::pool_of(std::uintptr_t granule) {
  return is_scratch(granule << 2U) ? scratch_histories_ : launch_->histories(worker_);
}

History& ClusterCheck::history_at(std::uintptr_t granule) {
  bool const scratch = is_scratch(granule << 2U);
  SegmentId const first = first_segment(scratch);
  WriteWord const written{region.writes[granule]};
  if (written.is_history()) return *history_of(written);
  ReadWord const read{region.reads[granule].word};
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
                               .site = region.reads[granule].site,
                               .bytes = static_cast<std::uint8_t>(read.bytes()),
                               .kind = AccessKind::read});
  region.writes[granule] = word_of(&history).bits;
  region.reads[granule].word = 0;
  return history;
}

/// Reads and atomics by several groups of a team between the same synchronisations become one
/// entry, which is smaller than two dozen.
void ClusterCheck::merge_teams(History& history) {
  auto const kin = [](HistoryEntry const& a, HistoryEntry const& b) {
    return a.kind == b.kind && a.bytes == b.bytes && a.scope == b.scope &&
           are_of_one_team(a.segment, b.segment);
  };
  auto const add_lanes = [](LanesOfTeam& lanes, HistoryEntry const& entry) {
    if (entry.by_group == nullptr) {
      lanes[segments[entry.segment].group] |= entry.lanes;
      return;
    }
    for (std::size_t group = 0; group < lanes.size(); ++group)
      lanes[group] |= (*entry.by_group)[group];
  };
  for (std::size_t i = 0; i < history.entries.size(); ++i) {
    HistoryEntry& into = history.entries[i];
    if (into.kind == AccessKind::write) continue;
    for (std::size_t j = i + 1; j < history.entries.size();) {
      HistoryEntry const& from = history.entries[j];
      if (!kin(into, from)) {
        ++j;
        continue;
      }
      if (into.by_group == nullptr) {
        auto all = std::make_unique<LanesOfTeam>();
        add_lanes(*all, into);
        into.by_group = std::move(all);
      }
      add_lanes(*into.by_group, from);
      if (into.site != from.site) {
        note_sites_of(history.granule, from);
        into.site |= more_sites_bit;
      }
      history.entries.erase(history.entries.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

/// The entry's site is about to be lost: each of its lanes is noted with its own.
void ClusterCheck::note_sites_of(std::uintptr_t granule, HistoryEntry const& entry) {
  if (entry.by_group != nullptr) return;
  for (std::uint32_t rest = entry.lanes; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    note_site(granule, entry.segment, lane,
              site_of_reader(granule, entry.segment, lane, entry.site));
  }
}

/// Accesses by many clusters: the first and the last stand for all. Nothing is lost by it while no
/// cluster knows of another.
void ClusterCheck::merge_clusters(History& history) {
  auto const is_foreign = [&](HistoryEntry const& entry) {
    return entry.kind != AccessKind::write &&
           segments[entry.segment].cluster != static_cast<std::uint32_t>(cluster_.index);
  };
  for (std::size_t i = 0; i < history.entries.size(); ++i) {
    HistoryEntry const& first = history.entries[i];
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

}  // namespace kohort::simulator
