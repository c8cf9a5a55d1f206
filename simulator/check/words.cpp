// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster_check.hpp"

/// Accesses that the two words of 4 bytes can still say: the last write, and the readers since of
/// one group.
namespace kohort::simulator {

/// Whether all readers of a word happened before; false where only the threads' own progress tells.
bool ClusterCheck::all_known(ThreadOrder const& me, ReadWord readers) const {
  SegmentId const segment = readers.segment();
  std::uint32_t const mine = 1U << me.lane;
  if (readers.lanes() == mine && order_.knows_read(me, segment, me.lane)) return true;
  return order_.knows_by_barriers(me, segment);
}

template <bool Writes>
void ClusterCheck::touch(std::uintptr_t granule, std::uint32_t bytes, ThreadOrder const& me,
                         SiteId site, bool scratch) {
  SegmentId const first = first_segment(scratch);
  WriteWord const written{region.writes[granule]};
  ReadWord const read{region.reads[granule].word};
  bool const is_written = written.bits >= std::uint64_t{first} << 37U;
  bool const is_read = read.segment() >= first;
  Access const access{Writes ? AccessKind::write : AccessKind::read, AtomicScope::system, bytes,
                      site};
  bool const write_is_known =
      !is_written || written.tag() == me.tag ||
      (!written.is_history() && order_.knows(me, written.segment(), written.lane()));
  if constexpr (Writes) {
    bool const is_simple = write_is_known && (!is_written || (written.bytes() & ~bytes) == 0) &&
                           (!is_read || ((read.bytes() & ~bytes) == 0 && all_known(me, read)));
    if (!is_simple) [[unlikely]]
      return touch_history(granule, access, me);
    if (!is_written && !is_read && first_touch(granule, bytes, me, true, site)) [[unlikely]]
      return touch_history(granule, access, me);
    // What earlier launches wrote to global memory stays; scratch begins anew.
    std::uint32_t const before = is_written || !scratch ? written.written() : 0;
    region.writes[granule] = WriteWord::of(me.tag, bytes, before | bytes, site).bits;
    if (is_read) region.reads[granule].word = 0;
  } else {
    if (!write_is_known) [[unlikely]]
      return touch_history(granule, access, me);
    if (is_read && read.segment() == me.segment && read.bytes() == bytes) {
      region.reads[granule].word = read.bits | 1U << me.lane;
      if ((region.reads[granule].site & ~more_sites_bit) != site) note_site(granule, me, site);
      return;
    }
    if (!is_read || ((read.bytes() & ~bytes) == 0 && all_known(me, read))) {
      if (!is_written && !is_read && first_touch(granule, bytes, me, false, site)) [[unlikely]]
        return touch_history(granule, access, me);
      region.reads[granule].word = ReadWord::of(me.segment, bytes, 1U << me.lane).bits;
    } else {
      return touch_history(granule, access, me);
    }
    region.reads[granule].site = site;
  }
}

template void ClusterCheck::touch<true>(std::uintptr_t, std::uint32_t, ThreadOrder const&, SiteId,
                                        bool);
template void ClusterCheck::touch<false>(std::uintptr_t, std::uint32_t, ThreadOrder const&, SiteId,
                                         bool);

}  // namespace kohort::simulator
