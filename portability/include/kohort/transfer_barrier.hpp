// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/macros.hpp>

#include <cstdint>

namespace kohort {

/// A phased barrier: a phase completes when its count of arrivals came and every byte that it
/// expects was brought. 8 plain bytes in scratch (an mbarrier on NVIDIA), operated through the
/// member: init_barriers(), arrive(), arrive_expecting(), wait() and the copies that complete on
/// it.
///
/// Put it into cluster scratch when peers arrive at it or bring bytes to it.
struct alignas(8) TransferBarrier {
  std::uint64_t state;
};

/// `Count` barriers that each complete a phase after `arrivals` arrivals: what init_barriers()
/// takes.
struct BarrierGroup {
  TransferBarrier* first;
  int count;
  int arrivals;
  CallSite site;  ///< for reports

  KOHORT_FUNCTION BarrierGroup(TransferBarrier& one, int arrivals_a_phase,
                               CallSite where = CallSite::current())
      : first(&one), count(1), arrivals(arrivals_a_phase), site(where) {}
  template <int Count>
  KOHORT_FUNCTION BarrierGroup(TransferBarrier (&all)[Count], int arrivals_a_phase,
                               CallSite where = CallSite::current())
      : first(all), count(Count), arrivals(arrivals_a_phase), site(where) {}
};

/// Which phase a thread waits for next, at up to 32 barriers: one bit each in one register. Every
/// thread that waits keeps one of its own and hands it to every wait, so that the phase is never
/// part of the kernel's arithmetic.
class Waiter {
 public:
  /// Waits for the first phase first: a consumer's.
  KOHORT_FUNCTION Waiter() : phases_(0) {}
  /// The first wait at each barrier passes at once: a producer's, whose slots are free at first.
  static KOHORT_FUNCTION Waiter initially_free() {
    Waiter waiter;
    waiter.phases_ = ~std::uint32_t{0};
    return waiter;
  }

  /// Counts a phase of barrier `index` as passed, without waiting for it.
  KOHORT_FUNCTION void skip(int index) { phases_ ^= std::uint32_t{1} << index; }

  /// The parity of the phase to wait for; for backends.
  KOHORT_FUNCTION std::uint32_t parity(int index) const { return phases_ >> index & 1U; }

 private:
  std::uint32_t phases_;
};

}  // namespace kohort
