// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/thread.hpp>
#include <kohort/backend/cpu/tile_descriptor.hpp>
#include <kohort/backend/emulated/transfer.hpp>
#include <kohort/simulator/transfers.hpp>
#include <kohort/transfers.hpp>

namespace kohort::Impl {

/// A member's transfers as calls of the engine; in emulated clusters as every device without a copy
/// engine has them.
template <>
struct TransferOperations<Simulator> {
  using Thread = ThreadHandle<Simulator>;
  using Software = EmulatedTransfers<Simulator, Thread>;

  static KOHORT_FUNCTION void init(Thread const& thread, TransferBarrier* barrier, int arrivals,
                                   CallSite site) {
    if (thread.is_emulated()) return Software::init(thread, barrier, arrivals, site);
    simulator::init_transfer_barrier(thread.simulated(), barrier, arrivals, at(site));
  }
  static KOHORT_FUNCTION void fence_init(Thread const& thread, CallSite site) {
    if (thread.is_emulated()) return Software::fence_init(thread, site);
    simulator::fence_transfer_barrier_init(thread.simulated(), at(site));
  }
  static KOHORT_FUNCTION void arrive(Thread const& thread, TransferBarrier* barrier,
                                     CallSite site) {
    if (thread.is_emulated()) return Software::arrive(thread, barrier, site);
    simulator::arrive_at_transfer_barrier(thread.simulated(), barrier, at(site));
  }
  static KOHORT_FUNCTION void arrive_at(Thread const& thread, TransferBarrier* barrier, int rank,
                                        bool publishes_writes, CallSite site) {
    if (thread.is_emulated())
      return Software::arrive_at(thread, barrier, rank, publishes_writes, site);
    simulator::arrive_at_peers_transfer_barrier(thread.simulated(), barrier, rank, publishes_writes,
                                                at(site));
  }
  static KOHORT_FUNCTION void expect(Thread const& thread, TransferBarrier* barrier, int bytes,
                                     bool arrives, CallSite site) {
    if (thread.is_emulated()) return Software::expect(thread, barrier, bytes, arrives, site);
    simulator::expect_bytes(thread.simulated(), barrier, bytes, arrives, at(site));
  }
  static KOHORT_FUNCTION void require_place(Thread const& thread, int index, CallSite site) {
    if (index < 0 || index >= 32)
      simulator::report_waiter_index(thread.simulated(), index, at(site));
  }
  template <Scope Where>
  static KOHORT_FUNCTION void wait(Thread const& thread, TransferBarrier* barrier,
                                   std::uint32_t parity, CallSite site) {
    if (thread.is_emulated()) return Software::template wait<Where>(thread, barrier, parity, site);
    simulator::wait_for_transfer_barrier(thread.simulated(), barrier, parity,
                                         static_cast<simulator::AtomicScope>(Where), at(site));
  }
  static KOHORT_FUNCTION void fence_before_transfer(Thread const& thread, CallSite site) {
    if (thread.is_emulated()) return Software::fence_before_transfer(thread, site);
    simulator::fence_before_transfer(thread.simulated(), at(site));
  }

  static KOHORT_FUNCTION void load(Thread const& thread, void* scratch, void const* device,
                                   int bytes, TransferBarrier* barrier, CallSite site) {
    if (thread.is_emulated()) return Software::load(thread, scratch, device, bytes, barrier, site);
    simulator::load_async(thread.simulated(), scratch, device, bytes, barrier, at(site));
  }
  static KOHORT_FUNCTION void store(Thread const& thread, void* device, void const* scratch,
                                    int bytes, CallSite site) {
    if (thread.is_emulated()) return Software::store(thread, device, scratch, bytes, site);
    simulator::store_async(thread.simulated(), device, scratch, bytes, at(site));
  }
  template <class T>
  static KOHORT_FUNCTION void push_value(Thread const& thread, T* object, int rank, T const& value,
                                         TransferBarrier* barrier, CallSite site) {
    if (thread.is_emulated())
      return Software::push_value(thread, object, rank, value, barrier, site);
    simulator::push_value_async(thread.simulated(), object, rank, &value,
                                static_cast<int>(sizeof(T)), barrier, at(site));
  }
  static KOHORT_FUNCTION void push(Thread const& thread, void* objects, int rank,
                                   void const* source, int bytes, TransferBarrier* barrier,
                                   CallSite site) {
    if (thread.is_emulated())
      return Software::push(thread, objects, rank, source, bytes, barrier, site);
    simulator::push_async(thread.simulated(), objects, rank, source, bytes, barrier, at(site));
  }

  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_load(Thread const& thread, Map const& map,
                                        int const (&box)[Rank], void* destination,
                                        TransferBarrier* barrier, CallSite site) {
    if (thread.is_emulated())
      return Software::tile_load(thread, map, map.descriptor().plain, box, destination, barrier,
                                 site);
    simulator::tile_load_async(thread.simulated(), map.descriptor(), box, destination, barrier,
                               at(site));
  }
  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_load_multicast(Thread const& thread, Map const& map,
                                                  int const (&box)[Rank], void* destination,
                                                  TransferBarrier* barrier,
                                                  MulticastGroup const& group, CallSite site) {
    if (thread.is_emulated())
      return Software::tile_load_multicast(thread, map, map.descriptor().plain, box, destination,
                                           barrier, group, site);
    simulator::tile_multicast_async(thread.simulated(), map.descriptor(), box, destination, barrier,
                                    {group.ranks, group.mine, group.teams}, at(site));
  }
  /// A descriptor is read as any other memory.
  template <class Map>
  static KOHORT_FUNCTION void prefetch(Thread const&, Map const&) {}
  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_store(Thread const& thread, Map const& map,
                                         int const (&box)[Rank], void const* source, bool adds,
                                         CallSite site) {
    if (thread.is_emulated())
      return Software::tile_store(thread, map.descriptor().plain, box, source, adds, site);
    simulator::tile_store_async(thread.simulated(), map.descriptor(), box, source, adds, at(site));
  }
  template <int Pending, bool ReadOnly>
  static KOHORT_FUNCTION void wait_stores(Thread const& thread, CallSite site) {
    if (thread.is_emulated()) return;
    simulator::wait_for_stores(thread.simulated(), Pending, ReadOnly, at(site));
  }

  static KOHORT_FUNCTION bool is_elected(Thread const& thread) {
    return thread.team_rank() % thread.subgroup_lanes() == 0;
  }
  static KOHORT_FUNCTION int warpgroup_rank(Thread const& thread) {
    return thread.team_rank() / 128;
  }
  /// Simulated threads have no registers to hand on.
  template <int Count, bool Grows>
  static KOHORT_FUNCTION void set_registers(Thread const&) {
    static_assert(Count >= 24 && Count <= 240 && Count % 8 == 0,
                  "a thread's registers are set to a multiple of 8 from 24 to 240");
  }

 private:
  static KOHORT_FUNCTION simulator::Site at(CallSite site) { return {site.file, site.line}; }
};

}  // namespace kohort::Impl
