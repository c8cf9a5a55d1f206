// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/bulk_copy.hpp>
#include <kohort/backend/cuda/phased_barrier.hpp>
#include <kohort/backend/cuda/thread.hpp>
#include <kohort/backend/cuda/tile_descriptor.hpp>
#include <kohort/backend/emulated/transfer.hpp>
#include <kohort/transfers.hpp>

namespace kohort::Impl {

/// A member's transfers as instructions of the copy engine and of mbarriers; where cluster scratch
/// is in device memory, or the device has neither, in software.
template <>
struct TransferOperations<Cuda> {
  using Thread = ThreadHandle<Cuda>;
  using Software = EmulatedTransfers<Cuda, Thread>;

  /// A constant to the compiler.
  static KOHORT_FUNCTION bool in_software(Thread const& thread) {
    return cuda_compiles_emulated && (thread.is_emulated() || !cuda_has_clusters);
  }

  static KOHORT_FUNCTION void init(Thread const& thread, TransferBarrier* barrier, int arrivals,
                                   CallSite site) {
    if (in_software(thread)) return Software::init(thread, barrier, arrivals, site);
    PhasedBarrier::init(shared_address(barrier), arrivals);
  }
  static KOHORT_FUNCTION void fence_init(Thread const& thread, CallSite site) {
    if (in_software(thread)) return Software::fence_init(thread, site);
    PhasedBarrier::fence_init();
  }
  static KOHORT_FUNCTION void arrive(Thread const& thread, TransferBarrier* barrier,
                                     CallSite site) {
    if (in_software(thread)) return Software::arrive(thread, barrier, site);
    PhasedBarrier::arrive(shared_address(barrier));
  }
  static KOHORT_FUNCTION void arrive_at(Thread const& thread, TransferBarrier* barrier, int rank,
                                        bool publishes_writes, CallSite site) {
    if (in_software(thread))
      return Software::arrive_at(thread, barrier, rank, publishes_writes, site);
    if (!thread.is_clustered()) {
      PhasedBarrier::arrive(shared_address(barrier));
    } else if (publishes_writes) {
      PhasedBarrier::arrive_at(peer_address(barrier, rank));
    } else {
      PhasedBarrier::arrive_relaxed_at(peer_address(barrier, rank));
    }
  }
  static KOHORT_FUNCTION void expect(Thread const& thread, TransferBarrier* barrier, int bytes,
                                     bool arrives, CallSite site) {
    if (in_software(thread)) return Software::expect(thread, barrier, bytes, arrives, site);
    if (arrives) {
      PhasedBarrier::arrive_expecting(shared_address(barrier), bytes);
    } else {
      PhasedBarrier::expect(shared_address(barrier), bytes);
    }
  }
  template <Scope Where>
  static KOHORT_FUNCTION void wait(Thread const& thread, TransferBarrier* barrier,
                                   std::uint32_t parity, CallSite site) {
    if (in_software(thread)) return Software::template wait<Where>(thread, barrier, parity, site);
    PhasedBarrier::wait<Where == Scope::cluster>(shared_address(barrier), parity);
  }
  static KOHORT_FUNCTION void fence_before_transfer(Thread const& thread, CallSite site) {
    if (in_software(thread)) return Software::fence_before_transfer(thread, site);
    BulkCopy::fence_scratch();
  }

  static KOHORT_FUNCTION void load(Thread const& thread, void* scratch, void const* device,
                                   int bytes, TransferBarrier* barrier, CallSite site) {
    if (in_software(thread)) return Software::load(thread, scratch, device, bytes, barrier, site);
    BulkCopy::load(shared_address(scratch), device, bytes, shared_address(barrier));
  }
  static KOHORT_FUNCTION void store(Thread const& thread, void* device, void const* scratch,
                                    int bytes, CallSite site) {
    if (in_software(thread)) return Software::store(thread, device, scratch, bytes, site);
    BulkCopy::store(device, shared_address(scratch), bytes);
  }
  template <class T>
  static KOHORT_FUNCTION void push_value(Thread const& thread, T* object, int rank, T const& value,
                                         TransferBarrier* barrier, CallSite site) {
    if (in_software(thread)) {
      Software::push_value(thread, object, rank, value, barrier, site);
    } else if (thread.is_clustered()) {
      BulkCopy::push_value(peer_address(object, rank), value, peer_address(barrier, rank));
    } else {
      // st.async is an illegal instruction in a launch without clusters (H200, measured).
      *object = value;
      BulkCopy::bring_stored(shared_address(barrier), static_cast<int>(sizeof(T)));
    }
  }
  static KOHORT_FUNCTION void push(Thread const& thread, void* objects, int rank,
                                   void const* source, int bytes, TransferBarrier* barrier,
                                   CallSite site) {
    if (in_software(thread)) {
      Software::push(thread, objects, rank, source, bytes, barrier, site);
    } else if (thread.is_clustered()) {
      BulkCopy::push(peer_address(objects, rank), shared_address(source), bytes,
                     peer_address(barrier, rank));
    } else {
      for (int at = 0; at < bytes / 16; ++at)
        static_cast<uint4*>(objects)[at] = static_cast<uint4 const*>(source)[at];
      BulkCopy::bring_stored(shared_address(barrier), bytes);
    }
  }

  template <class Map>
  static KOHORT_FUNCTION void prefetch(Thread const& thread, Map const& map) {
    if (in_software(thread)) return;
    BulkCopy::prefetch(&map.descriptor().map);
  }
  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_load(Thread const& thread, Map const& map, int const (&at)[Rank],
                                        void* destination, TransferBarrier* barrier,
                                        CallSite site) {
    if constexpr (cuda_compiles_emulated) {
      if (in_software(thread))
        return Software::tile_load(thread, map, map.descriptor().plain, at, destination, barrier,
                                   site);
    }
    std::uint32_t const to = shared_address(destination);
    TileCopy<Rank>::load(&map.descriptor().map, at, at[Rank - 1], to, shared_address(barrier));
    KOHORT_NO_UNROLL for (int slice = 1; slice < map.split(); ++slice) {
      int const last = at[Rank - 1] + slice * map.slice();
      TileCopy<Rank>::load(&map.descriptor().map, at, last, to + slice * map.slice_bytes(),
                           shared_address(barrier));
    }
  }
  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_load_multicast(Thread const& thread, Map const& map,
                                                  int const (&at)[Rank], void* destination,
                                                  TransferBarrier* barrier,
                                                  MulticastGroup const& group, CallSite site) {
    if constexpr (cuda_compiles_emulated) {
      if (in_software(thread))
        return Software::tile_load_multicast(thread, map, map.descriptor().plain, at, destination,
                                             barrier, group, site);
    }
    if (!thread.is_clustered()) return tile_load(thread, map, at, destination, barrier, site);
    std::uint32_t const to = shared_address(destination);
    KOHORT_NO_UNROLL for (int slice = group.mine; slice < map.split(); slice += group.teams) {
      int const last = at[Rank - 1] + slice * map.slice();
      TileCopy<Rank>::load_multicast(&map.descriptor().map, at, last,
                                     to + slice * map.slice_bytes(), shared_address(barrier),
                                     group.ranks);
    }
  }
  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_store(Thread const& thread, Map const& map,
                                         int const (&at)[Rank], void const* source, bool adds,
                                         CallSite site) {
    if constexpr (cuda_compiles_emulated) {
      if (in_software(thread))
        return Software::tile_store(thread, map.descriptor().plain, at, source, adds, site);
    }
    std::uint32_t const from = shared_address(source);
    KOHORT_NO_UNROLL for (int slice = 0; slice < map.split(); ++slice) {
      int const last = at[Rank - 1] + slice * map.slice();
      if (adds) {
        TileCopy<Rank>::add(&map.descriptor().map, at, last, from + slice * map.slice_bytes());
      } else {
        TileCopy<Rank>::store(&map.descriptor().map, at, last, from + slice * map.slice_bytes());
      }
    }
  }
  template <int Pending, bool ReadOnly>
  static KOHORT_FUNCTION void wait_stores(Thread const& thread, CallSite) {
    if (in_software(thread)) return;
    // Committed here and not with each store: it takes hundreds of cycles while loads are under
    // way.
    BulkCopy::commit();
    BulkCopy::wait_group<Pending, ReadOnly>();
  }

  static KOHORT_FUNCTION bool is_elected(Thread const& thread) {
    if (in_software(thread)) return thread.team_rank() % thread.subgroup_lanes() == 0;
    return BulkCopy::is_elected();
  }
  static KOHORT_FUNCTION int warpgroup_rank([[maybe_unused]] Thread const& thread) {
    KOHORT_CUDA_DEVICE_BODY(return __shfl_sync(0xffffffff, thread.team_rank() / 128, 0);)
  }
  template <int Count, bool Grows>
  static KOHORT_FUNCTION void set_registers(Thread const& thread) {
    static_assert(Count >= 24 && Count <= 240 && Count % 8 == 0,
                  "a thread's registers are set to a multiple of 8 from 24 to 240");
    // A persistent team would hand them on anew for each task.
    if (!in_software(thread)) BulkCopy::set_registers<Count, Grows>();
  }
};

}  // namespace kohort::Impl
