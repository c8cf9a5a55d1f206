// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/atomics.hpp>
#include <kohort/backend/emulated/control.hpp>
#include <kohort/backend/emulated/platform.hpp>

namespace kohort::Impl {

/// How a team finds its cluster. With one domain a team's number tells. With several, no launch can
/// choose where a team runs: each reads its domain from the hardware, takes a ticket there, and
/// waits until all teams have one. Then every domain's tickets are counted, and each team reckons
/// for itself the same division into clusters.
///
/// The wait ends because all teams of the launch are resident together (the host launches no more).
template <class Target>
struct Seating {
  using Platform = EmulatedPlatform<Target>;

  template <class Thread>
  static KOHORT_EMULATED_FUNCTION Seat take(Thread const& thread, EmulatedLaunch const& launch) {
    if (launch.keys == 1) return by_number(thread.worker(), launch);
    Seat& seat = launch.seats[thread.worker()];
    if (thread.team_rank() == 0) seat = by_ticket(thread, launch);
    thread.team_barrier(site());
    return seat;
  }

 private:
  static constexpr KOHORT_FUNCTION CallSite site() { return {"an emulated cluster's forming", 0}; }

  static KOHORT_FUNCTION Seat by_number(int worker, EmulatedLaunch const& launch) {
    Seat seat;
    seat.clusters = launch.workers / launch.size;
    seat.cluster = seat.in_domain = worker / launch.size;
    seat.rank = worker % launch.size;
    seat.domain_clusters = seat.clusters;
    return seat;
  }

  template <class Thread>
  static KOHORT_FUNCTION Seat by_ticket(Thread const& thread, EmulatedLaunch const& launch) {
    int const key = Platform::domain_key(thread, launch);
    unsigned const ticket = atomic_fetch_add(&launch.domain_line(key).joined, 1u, site());
    unsigned* const joined = &launch.launch_line().joined;
    // Device scope, as for everything that more than one domain reads. The release hands on the
    // ticket before it, so who sees the last arrival sees every ticket; as updates of one counter,
    // the arrivals form one release sequence.
    atomic_fetch_add<Scope::device, MemoryOrder::acquire_release>(joined, 1u, site());
    while (atomic_load<Scope::device, MemoryOrder::acquire>(joined, site()) !=
           static_cast<unsigned>(launch.workers))
      Platform::pause(thread);

    Seat seat;
    seat.key = key;
    for (int other = 0; other < launch.keys; ++other) {
      int const clusters =
          static_cast<int>(atomic_load(&launch.domain_line(other).joined, site())) / launch.size;
      if (other < key) seat.before += clusters;
      if (other == key) seat.domain_clusters = clusters;
      seat.clusters += clusters;
    }
    if (seat.clusters == 0) Platform::no_room(thread);
    seat.in_domain = static_cast<int>(ticket) / launch.size;
    seat.rank = static_cast<int>(ticket) % launch.size;
    // Fewer than a cluster's size took the domain's last tickets: they stand aside.
    seat.cluster = seat.in_domain < seat.domain_clusters ? seat.before + seat.in_domain : -1;
    return seat;
  }
};

}  // namespace kohort::Impl
