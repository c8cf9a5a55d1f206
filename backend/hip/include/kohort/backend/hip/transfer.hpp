// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/transfer.hpp>
#include <kohort/backend/hip/copy_engine.hpp>
#include <kohort/backend/hip/thread.hpp>
#include <kohort/backend/hip/tile_descriptor.hpp>

namespace kohort::Impl {

/// There is no copy engine that completes on a barrier: what EmulatedTransfers does, in clusters of
/// one too. The loads of a pipeline's producer are done by the wavefront beside it (HipCopyEngine).
template <>
struct TransferOperations<Hip> : EmulatedTransfers<Hip, ThreadHandle<Hip>> {
  using Thread = ThreadHandle<Hip>;
  using Software = EmulatedTransfers<Hip, Thread>;

  template <class Map>
  static KOHORT_FUNCTION void prefetch(Thread const&, Map const&) {}
  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_load(Thread const& thread, Map const& map, int const (&at)[Rank],
                                        void* destination, TransferBarrier* barrier,
                                        CallSite site) {
    if (HipCopyEngine::is_mine())
      return post(map, at, at[Rank - 1], map.descriptor().box[Rank - 1], map.box_bytes(),
                  destination, barrier);
    Software::tile_load(thread, map, map.descriptor(), at, destination, barrier, site);
  }
  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_load_multicast(Thread const& thread, Map const& map,
                                                  int const (&at)[Rank], void* destination,
                                                  TransferBarrier* barrier,
                                                  MulticastGroup const& group, CallSite site) {
    if (!HipCopyEngine::is_mine())
      return Software::tile_load_multicast(thread, map, map.descriptor(), at, destination, barrier,
                                           group, site);
    if (thread.cluster_size() == 1)
      return post(map, at, at[Rank - 1], map.descriptor().box[Rank - 1], map.box_bytes(),
                  destination, barrier);
    for (int slice = group.mine; slice < map.split(); slice += group.teams) {
      void* const mine = static_cast<std::byte*>(destination) + slice * map.slice_bytes();
      for (std::uint32_t ranks = group.ranks, rank = 0; ranks != 0; ranks >>= 1U, ++rank) {
        if ((ranks & 1U) == 0) continue;
        int const receiver = static_cast<int>(rank);
        post(map, at, at[Rank - 1] + slice * map.slice(), map.slice(), map.slice_bytes(),
             thread.map_peer(mine, receiver, site),
             static_cast<TransferBarrier*>(thread.map_peer(barrier, receiver, site)));
      }
    }
  }
  static KOHORT_FUNCTION void begin_producing(Thread const&) { HipCopyEngine::open(); }
  static KOHORT_FUNCTION void end_producing(Thread const&) { HipCopyEngine::end(); }
  static KOHORT_FUNCTION void serve_producer(Thread const&) { HipCopyEngine::serve(); }
  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_store(Thread const& thread, Map const& map,
                                         int const (&at)[Rank], void const* source, bool adds,
                                         CallSite site) {
    Software::tile_store(thread, map.descriptor(), at, source, adds, site);
  }
  template <int Pending, bool ReadOnly>
  static KOHORT_FUNCTION void wait_stores(Thread const&, CallSite) {}

  static KOHORT_FUNCTION bool is_elected(Thread const& thread) {
    return thread.team_rank() % thread.subgroup_lanes() == 0;
  }
  static KOHORT_FUNCTION int warpgroup_rank(Thread const& thread) {
    return thread.team_rank() / 128;
  }
  /// Registers are shared out when a wavefront begins, and stay.
  template <int Count, bool Grows>
  static KOHORT_FUNCTION void set_registers(Thread const&) {
    static_assert(Count >= 24 && Count <= 240 && Count % 8 == 0,
                  "a thread's registers are set to a multiple of 8 from 24 to 240");
  }

 private:
  template <class Map, int Rank>
  static KOHORT_FUNCTION void post(Map const& map, int const (&at)[Rank], int last, int last_count,
                                   int bytes, void* destination, TransferBarrier* barrier) {
    HipCopyEngine::post([&](HipCopy& copy) {
      // Word by word: copied as a whole, the kernel's argument would go through private memory.
      EmulatedTile const& tile = map.descriptor();
      copy.tile.data = tile.data;
      KOHORT_UNROLL
      for (int d = 0; d < Rank; ++d) {
        copy.tile.extents[d] = tile.extents[d];
        copy.tile.strides[d] = tile.strides[d];
        copy.tile.box[d] = tile.box[d];
        copy.at[d] = at[d];
      }
      copy.tile.rank = tile.rank;
      copy.tile.element_bytes = tile.element_bytes;
      copy.tile.swizzle = tile.swizzle;
      copy.rank = Rank;
      copy.last = last;
      copy.last_count = last_count;
      copy.bytes = bytes;
      copy.destination = destination;
      copy.barrier = barrier;
    });
  }
};

}  // namespace kohort::Impl
