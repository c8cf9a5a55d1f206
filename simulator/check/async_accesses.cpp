// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/state.hpp"
#include "../matrix/operands.hpp"
#include "../matrix/warpgroup.hpp"
#include "../transfer/tile_copy.hpp"
#include "../transfer/transfer_table.hpp"
#include "cluster_check.hpp"
#include "phase_order.hpp"

/// What copies and products do to memory, recorded as they are begun: they may do it at any time
/// from then on, whenever the schedule completes them.
namespace kohort::simulator {

void ClusterCheck::access_of_agent(ThreadOrder const& agent, void const* address, std::size_t bytes,
                                   AccessKind kind, SiteId site) {
  std::uintptr_t const offset = reinterpret_cast<std::uintptr_t>(address) - region.base;
  if (offset >= region.bytes) return;
  bool const scratch = is_scratch(offset);
  if (scratch && watches_lifetime_) touch_peer_of_agent(offset, agent, kind, site);
  // Copies and products move in multiples of a word, but for the ends of a tile's rows.
  for (std::uintptr_t at = offset; at < offset + bytes;) {
    std::uintptr_t const end = std::min((at & ~std::uintptr_t{3}) + 4, offset + bytes);
    std::uint32_t const mask = ((1U << (end - at)) - 1U) << (at & 3U);
    if (scratch) require_fence(at >> 2U, mask, agent, kind, site);
    touch_as_agent(at >> 2U, mask, agent, kind, site);
    at = end;
  }
}

void ClusterCheck::touch_as_agent(std::uintptr_t granule, std::uint32_t mask,
                                  ThreadOrder const& agent, AccessKind kind, SiteId site) {
  bool const scratch = is_scratch(granule << 2U);
  if (!scratch) {
    launch_->lock(granule);
    if (kind != AccessKind::read) note_page<true>(granule);
    if (kind != AccessKind::write) note_page<false>(granule);
  }
  if (kind == AccessKind::read) {
    touch<false>(granule, mask, agent, site, scratch);
  } else if (kind == AccessKind::write) {
    touch<true>(granule, mask, agent, site, scratch);
  } else {
    touch_history(granule, {kind, AtomicScope::device, mask, site}, agent);
  }
  if (!scratch) launch_->unlock(granule);
}

/// The copy engine and the matrix unit see an ordinary write only after a fence for them, also when
/// they know of it.
void ClusterCheck::require_fence(std::uintptr_t granule, std::uint32_t mask,
                                 ThreadOrder const& agent, AccessKind kind, SiteId site) {
  WriteWord const word{region.writes[granule]};
  auto const check = [&](SegmentId segment, std::uint32_t lane, std::uint32_t bytes, SiteId by,
                         AccessKind wrote, AtomicScope scope) {
    Segment const& of = segments[segment];
    if ((bytes & mask) == 0 || is_agent(of) || !order_.knows(agent, segment, lane)) return;
    if (agent.knowledge->own.is_fenced(of, static_cast<int>(lane))) return;
    AccessFault fault;
    fault.id = "transfer-missing-fence";
    fault.address = region.base + (granule << 2U);
    fault.bytes = 4;
    fault.earlier = {segment, lane, wrote, scope, by};
    fault.later = {agent.segment, agent.lane, kind, AtomicScope::system, site};
    fault.has_earlier = true;
    add(fault);
  };
  if (word.is_history()) {
    for (HistoryEntry const& entry : history_of(word)->entries) {
      if (!writes(entry.kind) || entry.by_group != nullptr) continue;
      check(entry.segment, static_cast<std::uint32_t>(__builtin_ctz(entry.lanes)), entry.bytes,
            entry.site & ~more_sites_bit, entry.kind, entry.scope);
    }
  } else if (word.segment() >= first_in_scratch_) {
    check(word.segment(), word.lane(), word.bytes(), word.site(), AccessKind::write,
          AtomicScope::system);
  }
}

void ClusterCheck::touch_peer_of_agent(std::uintptr_t offset, ThreadOrder const& agent,
                                       AccessKind kind, SiteId site) {
  int const owner = team_of(offset);
  if (owner == agent.team()) return;
  if (cluster_.teams[static_cast<std::size_t>(owner)].returned == cluster_.team_threads) {
    report("peer-ended", offset, 1, agent, kind, site, owner);
  } else if (!agent.knowledge->own.knows_of(owner)) {
    report("peer-not-started", offset, 1, agent, kind, site, owner);
  }
}

/// For the team's end: of each agent's lane the last access to its scratch.
void ClusterCheck::note_use_of_scratch(int team, Agent agent, void const* address, bool writes,
                                       SiteId site) {
  Segment const& of = segments[agent.segment];
  for (ScratchUse& use : scratch_uses_) {
    Segment const& other = segments[use.agent.segment];
    if (use.team != team || use.writes != writes || use.agent.lane != agent.lane ||
        other.group != of.group || other.team != of.team)
      continue;
    use.agent = agent;
    use.address = address;
    use.site = site;
    return;
  }
  scratch_uses_.push_back({team, writes, agent, address, site});
}

void ClusterCheck::end_uses_of_scratch(int team) {
  for (ScratchUse const& use : scratch_uses_) {
    if (use.team != team || is_known_in(team, use.agent.segment, use.agent.lane, use.writes))
      continue;
    AccessFault fault;
    fault.id = "transfer-in-flight-at-exit";
    fault.address = reinterpret_cast<std::uintptr_t>(use.address);
    fault.bytes = 1;
    fault.later = {use.agent.segment, use.agent.lane,
                   use.writes ? AccessKind::write : AccessKind::read, AtomicScope::system,
                   use.site};
    fault.peer = team;
    add(fault);
  }
}

/// What was written and fenced may be overwritten once its reader is done, which a relaxed arrival
/// tells; it need not be published for that.
KnowledgeHandle ClusterCheck::for_writes(KnowledgeHandle known) const {
  known.own().own.learn_fenced();
  return known;
}

void ClusterCheck::record_copy(Transfer const& transfer) {
  ThreadOrder const agent = ClusterOrder::order_of(transfer.agent, *transfer.known.get());
  KnowledgeHandle const known_to_writes = for_writes(transfer.known);
  ThreadOrder const writer = ClusterOrder::order_of(transfer.agent, *known_to_writes.get());
  SiteId const site = site_of(transfer.site);
  int const mine = cluster_.thread(transfer.issuer).team->rank;
  bool const is_tile = transfer.kind == TransferKind::tile_load ||
                       transfer.kind == TransferKind::tile_store ||
                       transfer.kind == TransferKind::tile_add;
  if (is_tile) record_rows(transfer, agent, site);
  if (transfer.source != nullptr) {
    require_initialised(agent, transfer.source, transfer.bytes, site);
    access_of_agent(agent, transfer.source, transfer.bytes, AccessKind::read, site);
    if (cluster_.arena.contains(transfer.source))
      note_use_of_scratch(mine, transfer.agent, transfer.source, false, site);
  }
  if (transfer.destination != nullptr) {
    access_of_agent(writer, transfer.destination, transfer.bytes, AccessKind::write, site);
    if (transfer.receiver >= 0)
      note_use_of_scratch(transfer.receiver, transfer.agent, transfer.destination, true, site);
  }
}

/// The tile's side in device memory.
void ClusterCheck::record_rows(Transfer const& transfer, ThreadOrder const& agent, SiteId site) {
  AccessKind const kind = transfer.kind == TransferKind::tile_load    ? AccessKind::read
                          : transfer.kind == TransferKind::tile_store ? AccessKind::write
                                                                      : AccessKind::atomic_write;
  Tile const& tile = transfer.tile;
  for (int r = 0; r < rows_of(tile); ++r) {
    TileRow const row = row_of(tile, transfer.at, r);
    if (row.memory == nullptr) continue;
    auto const bytes =
        static_cast<std::size_t>(row.count) * static_cast<std::size_t>(tile.element_bytes);
    if (kind == AccessKind::read) require_initialised(agent, row.memory, bytes, site);
    access_of_agent(agent, row.memory, bytes, kind, site);
  }
}

void ClusterCheck::require_initialised(ThreadOrder const& agent, void const* address,
                                       std::size_t bytes, SiteId site) {
  std::uintptr_t const offset = reinterpret_cast<std::uintptr_t>(address) - region.base;
  if (offset < region.bytes) check_initialised_if_poison(offset, bytes, site, agent);
}

/// Each subgroup of 32 reads its rows of A, and all of B, with what its own threads know: the
/// others may not have waited yet.
void ClusterCheck::product_begun(WarpgroupMeeting& meeting, int first_thread) {
  constexpr int subgroups = warpgroup_threads / group_lanes;
  MatrixProduct const& product = meeting.product;
  SiteId const site = site_of(meeting.site);
  Agent const begun = order_.begin_agent_in_order(first_thread, meeting.lane, site);
  meeting.begun.push_back(begun);
  std::size_t const a_bytes = std::size_t{product_rows} * 128;
  auto const* const a = static_cast<std::byte const*>(product.a);
  for (int i = 0; i < subgroups; ++i) {
    KnowledgeHandle known;
    for (int lane = 0; lane < group_lanes; ++lane)
      join_into(known, order_.release(first_thread + i * group_lanes + lane, unknown_site));
    ThreadOrder const agent = ClusterOrder::order_of(begun, *known.get());
    std::size_t const part = product.a_is_mn_major ? a_bytes : a_bytes / subgroups;
    std::size_t const from = product.a_is_mn_major ? 0 : part * static_cast<std::size_t>(i);
    if (a != nullptr) access_of_agent(agent, a + from, part, AccessKind::read, site);
    access_of_agent(agent, product.b, b_bytes_of(product), AccessKind::read, site);
  }
  int const team = cluster_.thread(first_thread).team->rank;
  note_use_of_scratch(team, begun, product.b, false, site);
}

}  // namespace kohort::simulator
