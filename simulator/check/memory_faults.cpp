// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/state.hpp"
#include "../engine/switching.hpp"
#include "cluster_check.hpp"

/// Accesses beyond an object, after its end, before its first write, or at the wrong alignment.
namespace kohort::simulator {

/// The first access to 4 bytes in a launch or a cluster: whether they are anybody's. What was right
/// once is right till the launch ends, so that of whole granules nothing is asked twice.
bool ClusterCheck::first_touch(std::uintptr_t granule, std::uint32_t bytes, ThreadOrder const& me,
                               bool writes, SiteId site) {
  PageUse const use = region.pages[(granule << 2U) / region_page].use;
  if (use == PageUse::whole) return false;
  if (use == PageUse::scratch) {
    // Neighbours follow each other: most are in the object of the last one.
    std::uintptr_t const offset = granule << 2U;
    if (offset - last_object_ < last_object_bytes_) return false;
    if (is_scratch(offset)) {
      auto const [begin, end] = cluster_.arena.object_around(offset - scratch_);
      last_object_ = scratch_ + begin;
      last_object_bytes_ = begin % 4 == 0 ? (end - begin) & ~std::uintptr_t{3} : 0;
      if (offset - last_object_ < last_object_bytes_) return false;
    }
  }
  return check_bounds(granule, bytes, me, writes ? AccessKind::write : AccessKind::read, site);
}

bool ClusterCheck::check_bounds(std::uintptr_t granule, std::uint32_t bytes, ThreadOrder const& me,
                                AccessKind kind, SiteId site) {
  std::uintptr_t const offset = granule << 2U;
  auto const count = static_cast<std::uint32_t>(__builtin_popcount(bytes));
  std::uintptr_t const first = offset + static_cast<std::uintptr_t>(__builtin_ctz(bytes));
  if (is_scratch(offset)) {
    if (cluster_.arena.is_object(first - scratch_, count))
      return !cluster_.arena.is_object(offset - scratch_, 4);
    report("scratch-out-of-bounds", first, count, me, kind, site);
    return false;
  }
  std::uintptr_t const address = region.base + first;
  Allocation const nearest = allocation_near(address);
  bool const inside = address >= nearest.begin && address + count <= nearest.begin + nearest.bytes;
  if (inside && nearest.is_live && !nearest.is_scratch)
    return region.base + offset + 4 > nearest.begin + nearest.bytes;
  // Far beyond its own scratch a thread comes to memory that is no Buffer's.
  char const* const id = nearest.is_scratch           ? "scratch-out-of-bounds"
                         : inside && !nearest.is_live ? "use-after-free"
                                                      : "buffer-out-of-bounds";
  report(id, first, count, me, kind, site);
  return false;
}

/// Called when memory holds nothing but poison. A byte counts as written when the shadow says so,
/// or when the host did it. All bytes of the access must be unwritten: a struct that is copied
/// whole may have padding that nobody ever writes.
void ClusterCheck::check_initialised(std::uintptr_t offset, std::uint32_t bytes, SiteId site,
                                     ThreadOrder const& me) {
  bool const scratch = is_scratch(offset);
  SegmentId const first = first_segment(scratch);
  for (std::uintptr_t at = offset; at < offset + bytes; ++at) {
    WriteWord const word{region.writes[at >> 2U]};
    std::uint32_t const bit = 1U << (at & 3U);
    std::uint32_t written = 0;
    if (word.is_history()) {
      written = history_of(word)->written;
    } else if (!scratch || word.segment() >= first) {
      written = word.written();
    }
    if ((written & bit) != 0) return;
  }
  if (!scratch && host_wrote(region.base + offset, bytes)) return;
  if (!scratch) {
    Allocation const nearest = allocation_near(region.base + offset);
    bool const inside = region.base + offset + bytes <= nearest.begin + nearest.bytes;
    // Otherwise it is another fault, told elsewhere.
    if (!inside || !nearest.is_live || nearest.is_scratch) return;
  } else if (!cluster_.arena.is_object(offset - scratch_, bytes)) {
    return;
  }
  report("uninitialised-read", offset, bytes, me, AccessKind::read, site);
}

void ClusterCheck::check_initialised_if_poison(std::uintptr_t offset, std::size_t bytes,
                                               SiteId site, ThreadOrder const& me) {
  auto const* const memory = reinterpret_cast<unsigned char const*>(region.base + offset);
  for (std::size_t i = 0; i < bytes; ++i)
    if (memory[i] != poison) return;
  check_initialised(offset, static_cast<std::uint32_t>(bytes), site, me);
}

void ClusterCheck::access_misaligned(std::uintptr_t offset, std::uint32_t bytes, bool writes,
                                     SiteId site) {
  report_misaligned(offset, bytes, writes, site);
  access_range(offset, bytes, writes, site);
}

void ClusterCheck::report_misaligned(std::uintptr_t offset, std::uint32_t bytes, bool writes,
                                     SiteId site) {
  report("misaligned-access", offset, bytes, running(),
         writes ? AccessKind::write : AccessKind::read, site);
  // A host's processor refuses this one as well: the cluster ends before it comes to that.
  if (bytes == 16) switch_to_worker(cluster_, cluster_.current(), RunResult::faulted);
}

}  // namespace kohort::simulator
