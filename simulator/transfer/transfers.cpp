// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../check/cluster_check.hpp"
#include "../check/faults.hpp"
#include "../check/transfer_faults.hpp"
#include "../engine/launch_state.hpp"
#include "../engine/switching.hpp"
#include "requirements.hpp"
#include "tile_copy.hpp"
#include "transfer_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstring>

namespace kohort::simulator {
namespace {

void move_bytes(ClusterState& cluster, Transfer const& transfer) {
  switch (transfer.kind) {
    case TransferKind::load:
    case TransferKind::store:
    case TransferKind::push:
      std::memmove(transfer.destination, transfer.source, transfer.bytes);
      return;
    case TransferKind::push_value:
      std::memcpy(transfer.destination, transfer.value.data(), transfer.bytes);
      return;
    case TransferKind::tile_load:
    case TransferKind::tile_store:
    case TransferKind::tile_add:
      break;
  }
  bool const loads = transfer.kind == TransferKind::tile_load;
  int const team = loads ? transfer.receiver : cluster.thread(transfer.issuer).team->rank;
  std::byte* const block = cluster.arena.block(team);
  auto const* const scratch =
      static_cast<std::byte const*>(loads ? transfer.destination : transfer.source);
  BoxInScratch const box{block, static_cast<std::size_t>(scratch - block)};
  if (loads) {
    load_box(transfer.tile, transfer.at, box);
  } else {
    store_box(transfer.tile, transfer.at, box, transfer.kind == TransferKind::tile_add);
  }
}

void end_store(ClusterState& cluster, Transfer const& transfer) {
  StoreQueue& queue = cluster.transfers->stores[static_cast<std::size_t>(transfer.issuer)];
  queue.under_way.erase(std::find(queue.under_way.begin(), queue.under_way.end(), transfer.store));
  ThreadState const& issuer = cluster.thread(transfer.issuer);
  if (issuer.waiting == Waiting::stores && queue.are_done(queue.wanted))
    cluster.scheduler.make_ready(transfer.issuer);
}

void finish(ClusterState& cluster, Transfer const& transfer) {
  move_bytes(cluster, transfer);
  ++cluster.progress;
  if (transfer.stores()) {
    end_store(cluster, transfer);
  } else if (PhasedBarrier* const barrier = cluster.transfers->find(transfer.barrier)) {
    bring_bytes(cluster, *barrier, transfer);
  }
}

/// Tells observers which device memory the transfer touches.
void tell(ThreadState& self, Transfer const& transfer) {
  ClusterState& cluster = cluster_of(self);
  if (!cluster.observed) return;
  for (Observer* observer : cluster.launch->observers()) {
    if (transfer.kind == TransferKind::load) {
      observer->memory_accessed(self, transfer.source, transfer.bytes, false);
    } else if (transfer.kind == TransferKind::store) {
      observer->memory_accessed(self, transfer.destination, transfer.bytes, true);
    } else {
      observer->box_accessed(self, transfer.tile, transfer.at, transfer.stores());
    }
  }
}

/// The issuer goes on; `transfer` completes when the schedule says so.
void begin(ThreadState& self, Transfer& transfer) {
  ClusterState& cluster = cluster_of(self);
  TransferTable& table = transfers_of(cluster);
  if (cluster.check != nullptr) cluster.check->copy_begun(transfer);
  if (cluster.scheduler.agent_completes_at_once()) {
    finish(cluster, transfer);
    return;
  }
  if (table.pending == 0) table.under_way.clear();
  int const agent = cluster.scheduler.first_agent() + static_cast<int>(table.under_way.size());
  table.under_way.push_back(transfer);
  table.under_way.back().is_under_way = true;
  ++table.pending;
  cluster.scheduler.add_agent(agent);
  preempt(cluster, self);  // before its issuer's next access as well
}

void begin_store(ThreadState& self, Transfer transfer) {
  ClusterState& cluster = cluster_of(self);
  TransferTable& table = transfers_of(cluster);
  if (table.stores.empty()) table.stores.resize(cluster.threads.size());
  StoreQueue& queue = table.stores[static_cast<std::size_t>(self.index)];
  transfer.store = queue.issued++;
  queue.under_way.push_back(transfer.store);
  queue.last = transfer.site;
  cluster.worker->counts.bytes_from_scratch += transfer.bytes;
  tell(self, transfer);
  begin(self, transfer);
}

Transfer transfer_of(ThreadState& self, TransferKind kind, std::size_t bytes, Site site) {
  ClusterState& cluster = cluster_of(self);
  preempt(cluster, self);
  ++cluster.worker->counts.transfers;
  Transfer transfer;
  transfer.kind = kind;
  transfer.issuer = self.index;
  transfer.bytes = static_cast<std::uint32_t>(bytes);
  transfer.site = site;
  return transfer;
}

std::size_t positive(ThreadState& self, int bytes, Site site) {
  if (bytes <= 0)
    report_transfer_alignment(self, fmt::format("a copy of {} B", bytes), bulk_alignment, site);
  require_multiple(self, "a copy's bytes", static_cast<std::uintptr_t>(bytes), bulk_alignment,
                   site);
  return static_cast<std::size_t>(bytes);
}

/// Hardware takes a box's place in the contiguous dimension in pieces of 16 B, and dies of others.
void place_box(ThreadState& self, Transfer& transfer, Tile const& tile, int const* at) {
  long long const first = static_cast<long long>(at[0]) * tile.element_bytes;
  if (first % 16 != 0)
    report_transfer_alignment(
        self, fmt::format("a box's first element {} in dimension 0, {} B in", at[0], first), 16,
        transfer.site);
  transfer.tile = tile;
  std::copy_n(at, tile.rank, transfer.at);
}

}  // namespace

void load_async(Thread& thread, void* scratch, void const* device, int bytes, void* barrier,
                Site site) {
  ThreadState& self = state_of(thread);
  Transfer transfer = transfer_of(self, TransferKind::load, positive(self, bytes, site), site);
  require_aligned(self, "a copy's scratch", scratch, bulk_alignment, site);
  require_aligned(self, "a copy's device memory", device, bulk_alignment, site);
  require_device(self, "a copy's source", device, site);
  require_scratch(self, "a copy's destination", scratch, transfer.bytes, site);
  require_barrier(self, barrier, barrier, site);
  transfer.destination = scratch;
  transfer.source = device;
  transfer.barrier = barrier;
  transfer.receiver = self.team->rank;
  cluster_of(self).worker->counts.bytes_to_scratch += transfer.bytes;
  tell(self, transfer);
  begin(self, transfer);
}

void store_async(Thread& thread, void* device, void const* scratch, int bytes, Site site) {
  ThreadState& self = state_of(thread);
  Transfer transfer = transfer_of(self, TransferKind::store, positive(self, bytes, site), site);
  require_aligned(self, "a store's scratch", scratch, bulk_alignment, site);
  require_aligned(self, "a store's device memory", device, bulk_alignment, site);
  require_device(self, "a store's destination", device, site);
  require_scratch(self, "a store's source", scratch, transfer.bytes, site);
  transfer.destination = device;
  transfer.source = scratch;
  begin_store(self, transfer);
}

namespace {

/// Both kinds of push, but for the source.
void begin_push(ThreadState& self, Transfer transfer, void* object, int rank, void* barrier) {
  ClusterState& cluster = cluster_of(self);
  Site const site = transfer.site;
  if (rank < 0 || rank >= cluster.size) report_peer_rank(self, rank, cluster.size, site);
  require_scratch(self, "a push's object", object, transfer.bytes, site);
  if (rank != self.team->rank) {
    require_mapped(self, "a push's object", object, site);
    if (cluster.arena.contains(barrier)) require_mapped(self, "a push's barrier", barrier, site);
  }
  transfer.destination = map_peer(self, object, rank, site);
  transfer.barrier = map_peer(self, barrier, rank, site);
  transfer.receiver = rank;
  require_barrier(self, transfer.barrier, barrier, site);
  cluster.worker->counts.bytes_pushed += transfer.bytes;
  begin(self, transfer);
}

}  // namespace

void push_value_async(Thread& thread, void* object, int rank, void const* value, int bytes,
                      void* barrier, Site site) {
  ThreadState& self = state_of(thread);
  auto const size = static_cast<std::size_t>(bytes);
  Transfer transfer = transfer_of(self, TransferKind::push_value, size, site);
  require_aligned(self, "a push's object", object, size, site);
  std::memcpy(transfer.value.data(), value, size);
  begin_push(self, transfer, object, rank, barrier);
}

void push_async(Thread& thread, void* objects, int rank, void const* source, int bytes,
                void* barrier, Site site) {
  ThreadState& self = state_of(thread);
  Transfer transfer = transfer_of(self, TransferKind::push, positive(self, bytes, site), site);
  require_aligned(self, "a push's objects", objects, bulk_alignment, site);
  require_aligned(self, "a push's source", source, bulk_alignment, site);
  require_scratch(self, "a push's source", source, transfer.bytes, site);
  transfer.source = source;
  begin_push(self, transfer, objects, rank, barrier);
}

void tile_load_async(Thread& thread, Tile const& tile, int const* at, void* destination,
                     void* barrier, Site site) {
  ThreadState& self = state_of(thread);
  Transfer transfer = transfer_of(self, TransferKind::tile_load, tile.box_bytes(), site);
  require_tile_scratch(self, tile, destination, site);
  require_barrier(self, barrier, barrier, site);
  place_box(self, transfer, tile, at);
  transfer.destination = destination;
  transfer.barrier = barrier;
  transfer.receiver = self.team->rank;
  cluster_of(self).worker->counts.bytes_to_scratch += transfer.bytes;
  tell(self, transfer);
  begin(self, transfer);
}

namespace {

/// A slice of a multicast to each of its receivers.
void begin_slice(ThreadState& self, Transfer& transfer, void* destination, void* barrier,
                 std::uint32_t ranks) {
  ClusterState& cluster = cluster_of(self);
  cluster.worker->counts.bytes_to_scratch += transfer.bytes;
  tell(self, transfer);
  for (int rank = 0; rank < cluster.size; ++rank) {
    if ((ranks >> static_cast<unsigned>(rank) & 1U) == 0) continue;
    transfer.destination = map_peer(self, destination, rank, transfer.site);
    transfer.barrier = map_peer(self, barrier, rank, transfer.site);
    transfer.receiver = rank;
    require_barrier(self, transfer.barrier, barrier, transfer.site);
    begin(self, transfer);
  }
}

}  // namespace

void tile_multicast_async(Thread& thread, Tile const& tile, int const* at, void* destination,
                          void* barrier, Multicast const& multicast, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  std::uint32_t const absent =
      cluster.size >= 32 ? 0U : ~((std::uint32_t{1} << static_cast<unsigned>(cluster.size)) - 1U);
  std::uint32_t const mine = std::uint32_t{1} << static_cast<unsigned>(self.team->rank);
  // The slices that each team issues make up the box only if all count the teams alike.
  bool const counts_teams = multicast.step == std::popcount(multicast.ranks) &&
                            multicast.first == std::popcount(multicast.ranks & (mine - 1U));
  if ((multicast.ranks & absent) != 0 || (multicast.ranks & mine) == 0 || !counts_teams)
    report_transfer_mask(self, multicast.ranks, site);
  require_tile_scratch(self, tile, destination, site);
  require_mapped(self, "a multicast's destination", destination, site);
  if (cluster.arena.contains(barrier)) require_mapped(self, "a multicast's barrier", barrier, site);
  int const last = tile.rank - 1;
  Tile slice = tile;
  slice.box[last] /= tile.split;
  for (int s = multicast.first; s < tile.split; s += multicast.step) {
    Transfer transfer = transfer_of(self, TransferKind::tile_load, slice.box_bytes(), site);
    ++cluster.worker->counts.multicasts;
    place_box(self, transfer, slice, at);
    transfer.at[last] = static_cast<int>(
        std::min<long long>(static_cast<long long>(at[last]) + s * slice.box[last], INT_MAX));
    begin_slice(self, transfer, static_cast<std::byte*>(destination) + s * transfer.bytes, barrier,
                multicast.ranks);
  }
}

void tile_store_async(Thread& thread, Tile const& tile, int const* at, void const* source,
                      bool adds, Site site) {
  ThreadState& self = state_of(thread);
  Transfer transfer = transfer_of(self, adds ? TransferKind::tile_add : TransferKind::tile_store,
                                  tile.box_bytes(), site);
  require_tile_scratch(self, tile, source, site);
  for (int d = 0; d < tile.rank; ++d) {
    if (at[d] < 0) report_box_before_tensor(self, d, at[d], site);
  }
  place_box(self, transfer, tile, at);
  transfer.source = source;
  begin_store(self, transfer);
}

void wait_for_stores(Thread& thread, int pending, bool read_only, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  preempt(cluster, self);
  if (cluster.transfers == nullptr || cluster.transfers->stores.empty()) return;
  StoreQueue& queue = cluster.transfers->stores[static_cast<std::size_t>(self.index)];
  // A wait ends a batch.
  queue.batches.push_back(queue.issued);
  auto const left = static_cast<std::size_t>(pending);
  queue.wanted = left < queue.batches.size() ? queue.batches[queue.batches.size() - 1 - left] : 0;
  if (!queue.are_done(queue.wanted)) {
    self.site = site;
    block(cluster, self, Waiting::stores);
  }
  queue.waited_for = std::max(queue.waited_for, queue.wanted);
  if (cluster.check != nullptr) cluster.check->stores_waited(queue, read_only);
}

void complete_transfer(ClusterState& cluster, int agent) {
  TransferTable& table = *cluster.transfers;
  cluster.scheduler.remove_agent(agent);
  auto const index = static_cast<std::size_t>(agent - cluster.scheduler.first_agent());
  Transfer const transfer = table.under_way[index];
  table.under_way[index].is_under_way = false;
  --table.pending;
  finish(cluster, transfer);
}

void check_transfers_at_exit(ThreadState& self) {
  ClusterState& cluster = cluster_of(self);
  int const team = self.team->rank;
  if (cluster.check != nullptr) {
    // Whether the team knows that they are done does not depend on the schedule.
    cluster.check->end_uses_of_scratch(team);
    return;
  }
  for (Transfer const& transfer : cluster.transfers->under_way) {
    bool const reads_mine = transfer.kind != TransferKind::push_value &&
                            transfer.kind != TransferKind::load &&
                            transfer.kind != TransferKind::tile_load &&
                            cluster.thread(transfer.issuer).team->rank == team;
    if (!transfer.is_under_way || (transfer.receiver != team && !reads_mine)) continue;
    PhasedBarrier const* const barrier = cluster.transfers->find(transfer.barrier);
    if (barrier != nullptr && barrier->brought + transfer.bytes > barrier->expected)
      report_surplus_bytes(self, transfer.barrier, *barrier, transfer.bytes);
    report_in_flight_at_exit(self, transfer);
  }
  if (cluster.transfers->stores.empty()) return;
  int const first = self.index - self.rank;
  for (int i = first; i < first + self.team->threads; ++i) {
    StoreQueue const& queue = cluster.transfers->stores[static_cast<std::size_t>(i)];
    if (queue.waited_for < queue.issued) report_stores_at_exit(self, cluster.thread(i), queue);
  }
}

void check_bytes_at_end(ClusterState& cluster) {
  if (cluster.transfers == nullptr) return;
  void const* first = nullptr;
  for (auto const& [address, barrier] : cluster.transfers->barriers)
    if (barrier.brought > barrier.expected && (first == nullptr || address < first))
      first = address;
  if (first != nullptr) diagnose_surplus_bytes(cluster, first, *cluster.transfers->find(first));
}

}  // namespace kohort::simulator
