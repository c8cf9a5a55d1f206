// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/atomics.hpp>
#include <kohort/backend/emulated/platform.hpp>
#include <kohort/transfer_barrier.hpp>

#include <cstdint>

namespace kohort::Impl {

/// A phased barrier in software: the 8 bytes of a TransferBarrier, in team memory or in the arena,
/// changed by compare-exchange alone. From bit 0 on: arrivals that the phase lacks (20), arrivals
/// of a phase (20), the phase's parity (1), bytes that it lacks (23, signed: bytes may come before
/// they are expected).
template <class Target>
struct EmulatedPhasedBarrier {
  using Platform = EmulatedPlatform<Target>;

  static KOHORT_FUNCTION void init(TransferBarrier* barrier, int arrivals, CallSite site) {
    std::uint64_t const count = static_cast<std::uint64_t>(arrivals) & count_mask;
    atomic_store<Platform::domain>(&barrier->state, count | count << total_shift, site);
  }

  /// One arrival, or none, and so many bytes expected (positive) or brought (negative).
  template <class Thread>
  static KOHORT_FUNCTION void update(Thread const&, TransferBarrier* barrier, int arrivals,
                                     int bytes, CallSite site) {
    // Release: what the thread wrote, or copied for others, before; of a relaxed arrival, that what
    // it hands back was read. The word's updates are one release sequence.
    std::uint64_t seen = atomic_load<Platform::domain>(&barrier->state, site);
    for (;;) {
      std::uint64_t const wanted = updated(seen, arrivals, bytes);
      std::uint64_t const found = atomic_compare_exchange<Platform::domain, MemoryOrder::release>(
          &barrier->state, seen, wanted, site);
      if (found == seen) return;
      seen = found;
    }
  }

  /// Until the phase with this parity is over.
  template <class Thread>
  static KOHORT_FUNCTION void wait(Thread const& thread, TransferBarrier* barrier,
                                   std::uint32_t parity, CallSite site) {
    while ((atomic_load<Platform::domain, MemoryOrder::acquire>(&barrier->state, site) >>
                parity_shift &
            1U) == parity)
      Platform::pause(thread);
  }

 private:
  static constexpr unsigned total_shift = 20;
  static constexpr unsigned parity_shift = 40;
  static constexpr unsigned bytes_shift = 41;
  static constexpr std::uint64_t count_mask = (std::uint64_t{1} << 20U) - 1U;

  static KOHORT_FUNCTION std::uint64_t updated(std::uint64_t state, int arrivals, int bytes) {
    // The topmost field: its carry falls off the end, as a signed number's does.
    state += static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes)) << bytes_shift;
    state -= static_cast<std::uint64_t>(arrivals);
    if ((state & count_mask) != 0 || state >> bytes_shift != 0) return state;
    std::uint64_t const total = state >> total_shift & count_mask;
    return (state ^ std::uint64_t{1} << parity_shift) | total;
  }
};

}  // namespace kohort::Impl
