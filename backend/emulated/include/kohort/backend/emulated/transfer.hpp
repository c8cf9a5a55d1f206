// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/control.hpp>
#include <kohort/backend/emulated/phased_barrier.hpp>
#include <kohort/backend/emulated/platform.hpp>
#include <kohort/backend/emulated/tile_copy.hpp>
#include <kohort/transfers.hpp>

#include <cstdint>

namespace kohort::Impl {

/// A member's transfers without a copy engine: the calling thread moves the bytes, and what it
/// brought counts as soon as it is done. A wait is then seldom long, and never for nothing: the
/// semantics of the asynchronous form allow it.
///
/// Every arrival of bytes is a release at domain scope and every wait an acquire: unlike a copy
/// engine's, these are ordinary writes of whoever issued them, a peer perhaps.
template <class Target, class Thread>
struct EmulatedTransfers {
  using Barrier = EmulatedPhasedBarrier<Target>;

  static KOHORT_EMULATED_FUNCTION void init(Thread const&, TransferBarrier* barrier, int arrivals,
                                            CallSite site) {
    Barrier::init(barrier, arrivals, site);
  }
  static KOHORT_EMULATED_FUNCTION void fence_init(Thread const& thread, CallSite site) {
    thread.template fence<Scope::cluster>(site);
  }
  static KOHORT_EMULATED_FUNCTION void arrive(Thread const& thread, TransferBarrier* barrier,
                                              CallSite site) {
    Barrier::update(thread, barrier, 1, 0, site);
  }
  static KOHORT_EMULATED_FUNCTION void arrive_at(Thread const& thread, TransferBarrier* barrier,
                                                 int rank, bool /*publishes_writes*/,
                                                 CallSite site) {
    Barrier::update(thread, at_peer(thread, barrier, rank, site), 1, 0, site);
  }
  static KOHORT_EMULATED_FUNCTION void expect(Thread const& thread, TransferBarrier* barrier,
                                              int bytes, bool arrives, CallSite site) {
    Barrier::update(thread, barrier, arrives ? 1 : 0, bytes, site);
  }
  template <Scope Where>
  static KOHORT_EMULATED_FUNCTION void wait(Thread const& thread, TransferBarrier* barrier,
                                            std::uint32_t parity, CallSite site) {
    Barrier::wait(thread, barrier, parity, site);
  }
  /// Copies read what the issuing thread reads: a barrier is all they need before.
  static KOHORT_EMULATED_FUNCTION void fence_before_transfer(Thread const&, CallSite) {}

  static KOHORT_EMULATED_FUNCTION void load(Thread const& thread, void* scratch, void const* device,
                                            int bytes, TransferBarrier* barrier, CallSite site) {
    copy(scratch, device, bytes);
    note(thread, device, bytes, false);
    bring(thread, barrier, bytes, site);
  }
  static KOHORT_EMULATED_FUNCTION void store(Thread const& thread, void* device,
                                             void const* scratch, int bytes, CallSite) {
    copy(device, scratch, bytes);
    note(thread, device, bytes, true);
  }
  template <class T>
  static KOHORT_EMULATED_FUNCTION void push_value(Thread const& thread, T* object, int rank,
                                                  T const& value, TransferBarrier* barrier,
                                                  CallSite site) {
    *static_cast<T*>(thread.map_peer(object, rank, site)) = value;
    bring(thread, at_peer(thread, barrier, rank, site), static_cast<int>(sizeof(T)), site);
  }
  static KOHORT_EMULATED_FUNCTION void push(Thread const& thread, void* objects, int rank,
                                            void const* source, int bytes, TransferBarrier* barrier,
                                            CallSite site) {
    copy(thread.map_peer(objects, rank, site), source, bytes);
    bring(thread, at_peer(thread, barrier, rank, site), bytes, site);
  }

  template <class Map, int Rank>
  static KOHORT_EMULATED_FUNCTION void tile_load(Thread const& thread, Map const& map,
                                                 EmulatedTile const& tile, int const (&at)[Rank],
                                                 void* destination, TransferBarrier* barrier,
                                                 CallSite site) {
    EmulatedBox<Rank> const box(tile, at, at[Rank - 1], tile.box[Rank - 1]);
    box.load(destination);
    note(thread, box, false);
    bring(thread, barrier, map.box_bytes(), site);
  }
  /// One receiver after the other: the first fetches the box into the domain's cache, the others
  /// find it there.
  template <class Map, int Rank>
  static KOHORT_EMULATED_FUNCTION void tile_load_multicast(
      Thread const& thread, Map const& map, EmulatedTile const& tile, int const (&at)[Rank],
      void* destination, TransferBarrier* barrier, MulticastGroup const& group, CallSite site) {
    for (int slice = group.mine; slice < map.split(); slice += group.teams) {
      EmulatedBox<Rank> const box(tile, at, at[Rank - 1] + slice * map.slice(), map.slice());
      void* const mine = static_cast<std::byte*>(destination) + slice * map.slice_bytes();
      for (std::uint32_t ranks = group.ranks, rank = 0; ranks != 0; ranks >>= 1U, ++rank) {
        if ((ranks & 1U) == 0) continue;
        int const receiver = static_cast<int>(rank);
        box.load(thread.map_peer(mine, receiver, site));
        note(thread, box, false);
        bring(thread, at_peer(thread, barrier, receiver, site), map.slice_bytes(), site);
      }
    }
  }
  template <int Rank>
  static KOHORT_EMULATED_FUNCTION void tile_store(Thread const& thread, EmulatedTile const& tile,
                                                  int const (&at)[Rank], void const* source,
                                                  bool adds, CallSite) {
    EmulatedBox<Rank> const box(tile, at, at[Rank - 1], tile.box[Rank - 1]);
    note(thread, box, true);
    if (adds) {
      box.add(source);
    } else {
      box.store(source);
    }
  }

 private:
  using Platform = EmulatedPlatform<Target>;

  /// For counts of what caches are asked for.
  static KOHORT_FUNCTION void note([[maybe_unused]] Thread const& thread,
                                   [[maybe_unused]] void const* memory, [[maybe_unused]] int bytes,
                                   [[maybe_unused]] bool writes) {
    if constexpr (Platform::watches_copies) Platform::note_copy(thread, memory, bytes, writes);
  }
  template <int Rank>
  static KOHORT_FUNCTION void note([[maybe_unused]] Thread const& thread,
                                   [[maybe_unused]] EmulatedBox<Rank> const& box,
                                   [[maybe_unused]] bool writes) {
    if constexpr (Platform::watches_copies)
      box.for_each_row([&](void const* memory, int bytes) { note(thread, memory, bytes, writes); });
  }
  static KOHORT_FUNCTION void copy(void* to, void const* from, int bytes) {
    for (int at = 0; at < bytes / 16; ++at)
      static_cast<Piece*>(to)[at] = static_cast<Piece const*>(from)[at];
  }
  static KOHORT_FUNCTION void bring(Thread const& thread, TransferBarrier* barrier, int bytes,
                                    CallSite site) {
    Barrier::update(thread, barrier, 0, -bytes, site);
  }
  static KOHORT_FUNCTION TransferBarrier* at_peer(Thread const& thread, TransferBarrier* barrier,
                                                  int rank, CallSite site) {
    return static_cast<TransferBarrier*>(thread.map_peer(barrier, rank, site));
  }
};

}  // namespace kohort::Impl
