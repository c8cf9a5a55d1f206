// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../memory/region.hpp"
#include "../order/agents.hpp"
#include "../order/segments.hpp"
#include "sites.hpp"

#include <kohort/simulator/operations.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

/// What the shadow says of 4 bytes: the last write and the reads since, a word each, while that is
/// all there is to say. What does not fit two words (unordered writers of different bytes, readers
/// of several groups, atomics) is a History, and the write word points to it.
namespace kohort::simulator {

/// Bit 63: the word points to a History. Otherwise from the top: segment (26), lane (5), bytes
/// written last (4), bytes ever written (4), 3 unused, site (20).
struct WriteWord {
  std::uint64_t bits = 0;

  static constexpr std::uint64_t history_bit = std::uint64_t{1} << 63U;
  static WriteWord of(std::uint64_t tag, std::uint32_t bytes, std::uint32_t written, SiteId site) {
    return {tag << 32U | std::uint64_t{bytes} << 28U | std::uint64_t{written} << 24U | site};
  }
  bool is_history() const { return (bits & history_bit) != 0; }
  std::uint64_t tag() const { return bits >> 32U; }
  SegmentId segment() const { return static_cast<SegmentId>(bits >> 37U); }
  std::uint32_t lane() const { return static_cast<std::uint32_t>(bits >> 32U) & 31U; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(bits >> 28U) & 15U; }
  std::uint32_t written() const { return static_cast<std::uint32_t>(bits >> 24U) & 15U; }
  SiteId site() const { return static_cast<SiteId>(bits) & ((1U << site_bits) - 1U); }
};

/// Beside a read word: the site of its first reader, and whether others read from elsewhere.
inline constexpr std::uint32_t more_sites_bit = std::uint32_t{1} << 31U;

/// From bit 62 down: segment (26), unused (1), bytes (4), lanes that have read them (32).
struct ReadWord {
  std::uint64_t bits = 0;

  static ReadWord of(SegmentId segment, std::uint32_t bytes, std::uint32_t lanes) {
    return {std::uint64_t{segment} << 37U | std::uint64_t{bytes} << 32U | lanes};
  }
  SegmentId segment() const { return static_cast<SegmentId>(bits >> 37U); }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(bits >> 32U) & 15U; }
  std::uint32_t lanes() const { return static_cast<std::uint32_t>(bits); }
};

enum class AccessKind : std::uint8_t { read, write, atomic_read, atomic_write };

constexpr bool writes(AccessKind kind) {
  return kind == AccessKind::write || kind == AccessKind::atomic_write;
}
constexpr bool is_atomic(AccessKind kind) { return kind >= AccessKind::atomic_read; }

/// Lanes by group, of a whole team.
using LanesOfTeam = std::array<std::uint32_t, 1024 / group_lanes>;

/// Accesses to 4 bytes by threads of one group in one segment, or by one team's threads between the
/// same synchronisations.
struct HistoryEntry {
  SegmentId segment = 0;
  std::uint32_t lanes = 0;  ///< of the segment's group; without meaning where `by_group` is set
  SiteId site = unknown_site;
  std::uint8_t bytes = 0;
  AccessKind kind = AccessKind::read;
  AtomicScope scope = AtomicScope::system;
  std::unique_ptr<LanesOfTeam> by_group = nullptr;
};

/// From this many entries on a history is looked through for those that can be one.
inline constexpr std::size_t least_merged_entries = 5;

/// All accesses to 4 bytes that a later one may be unordered with.
struct History {
  std::uint64_t granule = 0;  ///< 4 bytes of the region; not in use: ~0
  std::uint32_t written = 0;  ///< bytes
  /// An object ends within the 4 bytes: every access is compared with its bounds.
  bool is_at_an_end = false;
  std::size_t merge_at = least_merged_entries;
  std::vector<HistoryEntry> entries;
};

/// Whether threads of both are of one team and have passed the same synchronisations; agents pass
/// none.
inline bool are_of_one_team(SegmentId one, SegmentId other) {
  Segment const& a = segments[one];
  Segment const& b = segments[other];
  return a.cluster == b.cluster && a.team == b.team && a.arrivals == b.arrivals &&
         a.barriers == b.barriers && a.ticks == b.ticks && !is_agent(a) && !is_agent(b);
}

inline WriteWord word_of(History* history) {
  return {WriteWord::history_bit | reinterpret_cast<std::uintptr_t>(history)};
}
inline History* history_of(WriteWord word) {
  return reinterpret_cast<History*>(word.bits & ~WriteWord::history_bit);
}

}  // namespace kohort::simulator
