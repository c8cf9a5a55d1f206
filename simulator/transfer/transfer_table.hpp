// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../order/agents.hpp"
#include "../order/knowledge.hpp"
#include "phased_barrier.hpp"

#include <kohort/simulator/transfers.hpp>

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kohort::simulator {

struct ClusterState;
struct ThreadState;

enum class TransferKind : std::uint8_t {
  load,
  store,
  push_value,
  push,
  tile_load,
  tile_store,
  tile_add
};

/// A copy that was issued: an agent of its own until it is complete. A multicast is one for each
/// team that receives it.
struct Transfer {
  TransferKind kind = TransferKind::load;
  int issuer = 0;     ///< thread of the cluster
  int receiver = -1;  ///< team whose scratch it writes; -1: device memory
  std::uint32_t bytes = 0;
  bool is_under_way = false;
  Site site;
  void* destination = nullptr;
  void const* source = nullptr;
  void* barrier = nullptr;  ///< the receiver's
  std::uint64_t store = 0;  ///< of the issuer's, counted from 0
  std::array<std::byte, 16> value{};
  Tile tile;
  int at[5] = {0, 0, 0, 0, 0};
  // In check mode:
  Agent agent;
  KnowledgeHandle known;  ///< to the issuer as it began the copy

  bool stores() const {
    return kind == TransferKind::store || kind == TransferKind::tile_store ||
           kind == TransferKind::tile_add;
  }
};

/// A thread's stores.
struct StoreQueue {
  std::uint64_t issued = 0;
  std::uint64_t waited_for = 0;          ///< the ones below are done, and the thread knows
  std::vector<std::uint64_t> under_way;  ///< in order of issue
  std::vector<std::uint64_t> batches;    ///< how many were issued at each wait, empty batches too
  std::uint64_t wanted = 0;              ///< by its last wait: all below
  Site last;                             ///< of the latest

  // In check mode:
  std::size_t lane = ~std::size_t{0};  ///< its agents' (ClusterOrder::no_lane: none yet)
  std::vector<Agent> agents;

  bool are_done(std::uint64_t below) const {
    return under_way.empty() || under_way.front() >= below;
  }
};

/// The phased barriers of a cluster, and what is under way in it.
struct TransferTable {
  std::unordered_map<void const*, PhasedBarrier> barriers;
  std::vector<Transfer> under_way;  ///< by the scheduler's number of the agent
  int pending = 0;                  ///< of these
  std::vector<StoreQueue> stores;   ///< by thread; empty until the first

  PhasedBarrier* find(void const* barrier) {
    auto const found = barriers.find(barrier);
    return found == barriers.end() ? nullptr : &found->second;
  }
};

/// What the 8 bytes of a barrier hold for whoever looks: "barrier", backwards as a hexadecimal
/// number.
inline constexpr std::uint64_t barrier_pattern = 0x0072656972726162;

/// Nobody has written over the barrier.
void require_untouched(ThreadState& self, void const* barrier, PhasedBarrier const& state,
                       char const* operation, Site site);
/// `scratch` is memory that peers can map.
void require_mapped(ThreadState& self, char const* what, void const* scratch, Site site);

/// The cluster's table, from the first use on.
TransferTable& transfers_of(ClusterState& cluster);

/// The transfer's bytes have come, of which `barrier` is told.
void bring_bytes(ClusterState& cluster, PhasedBarrier& barrier, Transfer const& transfer);

/// Completes the agent that the scheduler picked.
void complete_transfer(ClusterState& cluster, int agent);

/// The team of `self`, which is the last of its threads to return, leaves nothing under way.
void check_transfers_at_exit(ThreadState& self);

/// Every barrier has the bytes that its phase expects. Called by the worker, at the cluster's end.
void check_bytes_at_end(ClusterState& cluster);

}  // namespace kohort::simulator
