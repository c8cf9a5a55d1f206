// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/transfer.hpp>
#include <kohort/backend/hip/thread.hpp>
#include <kohort/backend/hip/tile_descriptor.hpp>

namespace kohort::Impl {

/// There is no copy engine that completes on a barrier: what EmulatedTransfers does, in clusters of
/// one too.
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
    Software::tile_load(thread, map, map.descriptor(), at, destination, barrier, site);
  }
  template <class Map, int Rank>
  static KOHORT_FUNCTION void tile_load_multicast(Thread const& thread, Map const& map,
                                                  int const (&at)[Rank], void* destination,
                                                  TransferBarrier* barrier,
                                                  MulticastGroup const& group, CallSite site) {
    Software::tile_load_multicast(thread, map, map.descriptor(), at, destination, barrier, group,
                                  site);
  }
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
};

}  // namespace kohort::Impl
