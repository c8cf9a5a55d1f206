// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/state.hpp"
#include "../transfer/transfer_table.hpp"
#include "cluster_check.hpp"
#include "phase_order.hpp"

#include <algorithm>

/// What phased barriers order: arrivals publish, copies are done when their bytes have come, and a
/// wait learns of both. And what fences and waits for stores and products do.
namespace kohort::simulator {
namespace {

PhaseOrder& order_of(PhasedBarrier& barrier) { return *barrier.order; }

}  // namespace

void ClusterCheck::barrier_initialised(PhasedBarrier& barrier, void const* address, Site site) {
  int const thread = cluster_.scheduler.running();
  ThreadOrder const me = order_.thread(thread);
  barrier.order = std::make_shared<PhaseOrder>();
  barrier.order->initialiser = thread;
  barrier.order->init = {me.segment, me.lane};
  // Who may use the barrier is asked by itself: its 8 bytes are everybody's like an atomic.
  barrier_changed(address, site);
}

void ClusterCheck::barrier_inits_fenced() {
  if (cluster_.transfers == nullptr) return;
  for (auto& [address, barrier] : cluster_.transfers->barriers)
    if (order_of(barrier).initialiser == cluster_.scheduler.running())
      order_of(barrier).is_init_fenced = true;
}

bool ClusterCheck::knows_init(PhasedBarrier const& barrier) const {
  PhaseOrder const& order = *barrier.order;
  ThreadOrder const me = running();
  return order.is_init_fenced ? order_.knows_read(me, order.init.segment, order.init.lane)
                              : order_.knows(me, order.init.segment, order.init.lane);
}

bool ClusterCheck::knows_a_wait(PhasedBarrier const& barrier, long long phase) const {
  ThreadOrder const me = running();
  auto const& waits =
      phase == barrier.phase - 1 ? barrier.order->waits : barrier.order->earlier_waits;
  return phase < 0 || std::any_of(waits.begin(), waits.end(), [&](PhaseOrder::Event const& wait) {
           return order_.knows_read(me, wait.segment, wait.lane);
         });
}

void ClusterCheck::barrier_changed(void const* address, Site site) {
  touch_atomic(reinterpret_cast<std::uintptr_t>(address) - region.base,
               {.kind = AtomicAccess::Kind::update, .bytes = 8, .scope = AtomicScope::cluster},
               true, site_of(site));
}

void ClusterCheck::arrived(PhasedBarrier& barrier, Arrival arrival, Site site) {
  PhaseOrder::Collected& filling = order_of(barrier).filling;
  KnowledgeHandle const all = order_.release(cluster_.scheduler.running(), site_of(site));
  KnowledgeHandle const reads =
      arrival == Arrival::local ? KnowledgeHandle() : reads_of(*all.get());
  join_into(filling.of_team, arrival == Arrival::local ? all : reads);
  join_into(filling.of_cluster, arrival == Arrival::relaxed ? reads : all);
}

KnowledgeHandle ClusterCheck::reads_of(Knowledge const& all) const {
  KnowledgeHandle reads(new Knowledge(order_.teams()));
  reads.own().own = all.own.reads();
  return reads;
}

void ClusterCheck::bytes_came(PhasedBarrier& barrier, Transfer const& transfer) {
  PhaseOrder::Collected& filling = order_of(barrier).filling;
  // That the copy was begun tells as much as a relaxed arrival of who began it.
  KnowledgeHandle came = reads_of(*transfer.known.get());
  Segment const& of = segments[transfer.agent.segment];
  came.own().own.learn(of, static_cast<int>(transfer.agent.lane), of.ticks, false);
  join_into(filling.of_team, came);
  join_into(filling.of_cluster, came);
}

void ClusterCheck::phase_completed(PhasedBarrier& barrier) {
  PhaseOrder& order = order_of(barrier);
  join_into(order.complete.of_team, order.filling.of_team);
  join_into(order.complete.of_cluster, order.filling.of_cluster);
  order.filling = {};
  order.earlier_waits = std::move(order.waits);
  order.waits.clear();
}

void ClusterCheck::waited(PhasedBarrier& barrier, int thread, AtomicScope scope) {
  PhaseOrder& order = order_of(barrier);
  KnowledgeHandle const& complete =
      scope == AtomicScope::team ? order.complete.of_team : order.complete.of_cluster;
  if (complete) order_.acquire(thread, *complete.get());
  ThreadOrder const me = order_.thread(thread);
  order.waits.push_back({me.segment, me.lane});
}

void ClusterCheck::fenced_for_transfers(Site site) {
  order_.fence_for_agents(cluster_.scheduler.running(), site_of(site));
}

void ClusterCheck::copy_begun(Transfer& transfer) {
  transfer.known = order_.release(transfer.issuer, unknown_site);
  SiteId const site = site_of(transfer.site);
  if (transfer.stores()) {
    StoreQueue& queue = cluster_.transfers->stores[static_cast<std::size_t>(transfer.issuer)];
    transfer.agent = order_.begin_agent_in_order(transfer.issuer, queue.lane, site);
    queue.agents.push_back(transfer.agent);
  } else {
    transfer.agent = order_.begin_agent(transfer.issuer, site);
  }
  record_copy(transfer);
}

void ClusterCheck::stores_waited(StoreQueue const& queue, bool read_only) {
  if (queue.wanted == 0) return;
  // They end in order: the last one stands for all before.
  order_.learn(cluster_.scheduler.running(),
               queue.agents[static_cast<std::size_t>(queue.wanted - 1)], read_only);
}

void ClusterCheck::products_waited(std::vector<Agent> const& begun, int pending) {
  auto const done = begun.size() - std::min(begun.size(), static_cast<std::size_t>(pending));
  if (done > 0) order_.learn(cluster_.scheduler.running(), begun[done - 1], true);
}

}  // namespace kohort::simulator
