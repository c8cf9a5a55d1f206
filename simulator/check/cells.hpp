// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../memory/region.hpp"
#include "../order/segments.hpp"
#include "sites.hpp"

#include <kohort/simulator/operations.hpp>

#include <cstdint>
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

/// Accesses to 4 bytes by threads of one group in one segment, or by one team's groups.
struct HistoryEntry {
  SegmentId segment = 0;
  std::uint32_t lanes = 0;  ///< a bit a lane; `of_groups`: a bit a group of the team
  SiteId site = unknown_site;
  std::uint8_t bytes = 0;
  AccessKind kind = AccessKind::read;
  AtomicScope scope = AtomicScope::system;
  bool of_groups = false;
};

/// All accesses to 4 bytes that a later one may be unordered with.
struct History {
  std::uint64_t granule = 0;  ///< 4 bytes of the region; not in use: ~0
  std::uint32_t written = 0;  ///< bytes
  bool has_many_clusters = false;
  std::vector<HistoryEntry> entries;
};

inline WriteWord word_of(History* history) {
  return {WriteWord::history_bit | reinterpret_cast<std::uintptr_t>(history)};
}
inline History* history_of(WriteWord word) {
  return reinterpret_cast<History*>(word.bits & ~WriteWord::history_bit);
}

}  // namespace kohort::simulator
