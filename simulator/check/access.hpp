// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster_check.hpp"

#include <cstring>

/// What most accesses end in, inlined into the hooks: a nanosecond here is a tenth of mode check.
namespace kohort::simulator {

/// The common cases of scratch that has been written: the last write and the reads since happened
/// before by a barrier of the whole cluster, or are of this segment.
template <bool Writes>
__attribute__((always_inline)) inline void ClusterCheck::touch_scratch(std::uintptr_t granule,
                                                                       std::uint32_t bytes,
                                                                       ThreadOrder const& me,
                                                                       SiteId site) {
  std::uint64_t const written = region.writes[granule];
  ReadWord const read{region.reads[granule].word};
  std::uint64_t const segment = written >> 37U;
  bool const is_known_write =
      written >> 32U == me.tag || segment - first_in_scratch_ < me.known_below - first_in_scratch_;
  bool const is_known_read = read.segment() < me.known_below && (read.bytes() & ~bytes) == 0;
  if (is_known_write) [[likely]] {
    if constexpr (Writes) {
      WriteWord const last{written};
      if (is_known_read && (last.bytes() & ~bytes) == 0) [[likely]] {
        region.writes[granule] = WriteWord::of(me.tag, bytes, last.written() | bytes, site).bits;
        if (read.bits != 0) region.reads[granule].word = 0;
        return;
      }
    } else if ((WriteWord{written}.written() & bytes) != 0) {
      if (read.segment() == me.segment && read.bytes() == bytes) {
        region.reads[granule].word = read.bits | 1U << me.lane;
        if ((region.reads[granule].site & ~more_sites_bit) != site) note_site(granule, me, site);
        return;
      }
      if (is_known_read) [[likely]] {
        region.reads[granule].word = ReadWord::of(me.segment, bytes, 1U << me.lane).bits;
        region.reads[granule].site = site;
        return;
      }
    }
  }
  touch<Writes>(granule, bytes, me, site, true);
}

/// Neighbours of what a thread touches are touched by its neighbours, which run soon: their shadow
/// is on its way by then. What a stream of global memory waits for is its shadow.
inline constexpr int cells_ahead = 16;

/// The common cases of global memory: nobody wrote it, and nobody, or the same group, touches it.
/// Pages that the launch has only read, or only written, take half of the looking.
template <bool Writes>
__attribute__((always_inline)) inline void ClusterCheck::touch_global(std::uintptr_t granule,
                                                                      std::uint32_t bytes,
                                                                      ThreadOrder const& me,
                                                                      SiteId site) {
  Page const page = note_page<Writes>(granule);
  bool const is_whole = page.use == PageUse::whole;
  if constexpr (Writes) {
    bool const is_unread = page.read_in != launch_number_ ||
                           ReadWord{region.reads[granule].word}.segment() < first_in_launch_;
    __builtin_prefetch(&region.writes[granule + cells_ahead], 1);
    std::uint64_t const written = region.writes[granule];
    if (is_unread && is_whole && written >> 37U < first_in_launch_) [[likely]] {
      region.writes[granule] =
          WriteWord::of(me.tag, bytes, WriteWord{written}.written() | bytes, site).bits;
      return;
    }
  } else if (is_whole && (page.written_in != launch_number_ ||
                          region.writes[granule] >> 37U < first_in_launch_)) [[likely]] {
    ReadCell& cell = region.reads[granule];
    __builtin_prefetch(&cell + cells_ahead, 1);
    ReadWord const read{cell.word};
    if (read.segment() < first_in_launch_) [[likely]] {
      cell.word = ReadWord::of(me.segment, bytes, 1U << me.lane).bits;
      cell.site = site;
      return;
    }
    if (read.segment() == me.segment && read.bytes() == bytes) {
      cell.word = read.bits | 1U << me.lane;
      if ((cell.site & ~more_sites_bit) != site) note_site(granule, me, site);
      return;
    }
  }
  touch<Writes>(granule, bytes, me, site, false);
}

template <int Bytes, bool Writes>
__attribute__((always_inline)) inline void ClusterCheck::access(std::uintptr_t offset,
                                                                void const* program_counter) {
  SiteId const site = site_of(program_counter);
  constexpr std::uintptr_t alignment = Bytes;
  if ((offset & (alignment - 1)) != 0) [[unlikely]]
    return access_misaligned(offset, Bytes, Writes, site);
  ThreadOrder const me = running();
  bool const scratch = is_scratch(offset);
  if constexpr (!Writes) {
    // Only what nobody wrote holds poison throughout, or what was written to look like it.
    auto const* const memory = reinterpret_cast<unsigned char const*>(region.base + offset);
    unsigned char poisoned[Bytes];
    std::memset(poisoned, poison, Bytes);
    if (std::memcmp(memory, poisoned, Bytes) == 0) [[unlikely]]
      check_initialised(offset, Bytes, site, me);
  }
  std::uintptr_t const granule = offset >> 2U;
  constexpr int granules = Bytes < 4 ? 1 : Bytes / 4;
  std::uint32_t const bytes = Bytes < 4 ? ((1U << Bytes) - 1U) << (offset & 3U) : 15U;
  if (scratch) {
    if (watches_lifetime_) [[unlikely]]
      touch_peer(offset, me, Writes ? AccessKind::write : AccessKind::read, site);
    for (int i = 0; i < granules; ++i)
      touch_scratch<Writes>(granule + static_cast<std::uintptr_t>(i), bytes, me, site);
  } else {
    launch_->lock(granule);
    for (int i = 0; i < granules; ++i)
      touch_global<Writes>(granule + static_cast<std::uintptr_t>(i), bytes, me, site);
    launch_->unlock(granule);
  }
}

}  // namespace kohort::simulator
