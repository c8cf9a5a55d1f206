// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/operations.hpp>

#include <type_traits>

namespace kohort {

/// One value of every team of the cluster, in the reader's own scratch.
/// Valid until the member's next cluster collective: a peer may then push into the place again.
template <class T>
class ClusterValues {
 public:
  explicit KOHORT_FUNCTION ClusterValues(T const* slots) : slots_(slots) {}
  KOHORT_FUNCTION T const& operator[](int cluster_rank) const { return slots_[cluster_rank]; }

 private:
  T const* slots_;
};

/// The collectives of a member, written once over its barriers, shuffles and peers.
///
/// Every thread of the team (of the cluster) calls them, in converged flow, and every thread
/// receives the same bits. Values are trivially copyable, at most 32 B. Partials go through
/// storage that the backend provides outside the policy's scratch, in two halves used in turn, so
/// that one barrier a call suffices: who writes a half again has passed the next call's barrier,
/// and so has everyone finished reading it. Cluster collectives push: a pull costs a round trip of
/// about 200 cycles, a push hides it.
template <class Member>
class Collectives {
 public:
  /// Combines the values of the team's threads. One team barrier, none for a single subgroup.
  template <class T, class Operation = Sum>
  KOHORT_FUNCTION T team_reduce(T const& value, Operation operation = {},
                                CallSite site = CallSite::current()) const {
    T const partial = subgroup_reduce(value, operation, site);
    int const subgroups = self().team_subgroups();
    if (subgroups == 1) return partial;
    T* slots = team_slots<T>();
    if (self().lane() == 0) slots[self().subgroup_rank()] = partial;
    self().team_barrier(site);
    T result = slots[0];
    for (int subgroup = 1; subgroup < subgroups; ++subgroup) {
      result = operation(result, slots[subgroup]);
    }
    return result;
  }

  /// The combination of the values of the threads below mine in the team (exclusive, as Kokkos'
  /// team_scan); the identity in thread 0.
  template <class T, class Operation = Sum>
  KOHORT_FUNCTION T team_scan(T const& value, Operation operation = {},
                              CallSite site = CallSite::current()) const {
    T total;
    return scan_with_total(value, operation, total, site);
  }

  /// The same with my own value included.
  template <class T, class Operation = Sum>
  KOHORT_FUNCTION T team_inclusive_scan(T const& value, Operation operation = {},
                                        CallSite site = CallSite::current()) const {
    return operation(team_scan(value, operation, site), value);
  }

  /// The value of thread `source` of the team. One team barrier.
  template <class T>
  KOHORT_FUNCTION T team_broadcast(T const& value, int source = 0,
                                   CallSite site = CallSite::current()) const {
    T* slots = team_slots<T>();
    if (self().team_rank() == source) slots[0] = value;
    self().team_barrier(site);
    return slots[0];
  }

  /// Combines the values of all threads of the cluster. A team reduction, a push to every peer,
  /// one cluster barrier.
  template <class T, class Operation = Sum>
  KOHORT_FUNCTION T cluster_reduce(T const& value, Operation operation = {},
                                   CallSite site = CallSite::current()) const {
    T const partial = team_reduce(value, operation, site);
    if (self().cluster_size() == 1) return partial;
    T const* slots = push_to_peers(partial, site);
    T result = slots[0];
    for (int rank = 1; rank < self().cluster_size(); ++rank)
      result = operation(result, slots[rank]);
    return result;
  }

  /// Exclusive scan over the cluster's threads, counted by team, then by thread.
  template <class T, class Operation = Sum>
  KOHORT_FUNCTION T cluster_scan(T const& value, Operation operation = {},
                                 CallSite site = CallSite::current()) const {
    T total;
    T const within = scan_with_total(value, operation, total, site);
    if (self().cluster_size() == 1) return within;
    T const* slots = push_to_peers(total, site);
    T before = operation.template identity<T>();
    for (int rank = 0; rank < self().cluster_rank(); ++rank)
      before = operation(before, slots[rank]);
    return operation(before, within);
  }

  /// The value of thread 0 of team `source` of the cluster. One cluster barrier.
  template <class T>
  KOHORT_FUNCTION T cluster_broadcast(T const& value, int source = 0,
                                      CallSite site = CallSite::current()) const {
    return cluster_gather(value, site)[source];
  }

  /// The value of thread 0 of every team, readable by every thread. One cluster barrier.
  template <class T>
  KOHORT_FUNCTION ClusterValues<T> cluster_gather(T const& value,
                                                  CallSite site = CallSite::current()) const {
    T const mine = team_broadcast(value, 0, site);
    return ClusterValues<T>(push_to_peers(mine, site));
  }

 private:
  KOHORT_FUNCTION Member const& self() const { return static_cast<Member const&>(*this); }

  template <class T>
  static constexpr KOHORT_FUNCTION void require_value() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32,
                  "a collective's value is trivially copyable and at most 32 B");
  }

  /// The half of the team's slots, one a subgroup, that is free now.
  template <class T>
  KOHORT_FUNCTION T* team_slots() const {
    require_value<T>();
    constexpr int count = Member::handle_type::max_subgroups;
    T* slots = self().thread_.template team_collective_storage<T, count>(team_half_);
    team_half_ = !team_half_;
    return slots;
  }

  /// The half of the cluster's slots, one a peer, that is free now.
  template <class T>
  KOHORT_FUNCTION T* cluster_slots() const {
    require_value<T>();
    constexpr int count = Member::handle_type::max_cluster;
    T* slots = self().thread_.template cluster_collective_storage<T, count>(cluster_half_);
    cluster_half_ = !cluster_half_;
    return slots;
  }

  /// Stores `value`, the same in all threads of the team, into my slot at every peer; returns my
  /// own team's slots once all have arrived.
  template <class T>
  KOHORT_FUNCTION T const* push_to_peers(T const& value, CallSite site) const {
    T* slots = cluster_slots<T>();
    self().ensure_entered(site);
    int const my_rank = self().cluster_rank();
    for (int rank = self().team_rank(); rank < self().cluster_size(); rank += self().team_size()) {
      *static_cast<T*>(self().thread_.map_peer(slots + my_rank, rank, site)) = value;
    }
    self().cluster_barrier(site);
    return slots;
  }

  /// Lanes of my subgroup that exist: fewer in the last one of a team that is no multiple.
  KOHORT_FUNCTION int subgroup_lanes() const {
    int const from_here = self().team_size() - self().subgroup_rank() * self().subgroup_size();
    return from_here < self().subgroup_size() ? from_here : self().subgroup_size();
  }

  /// Combines a subgroup's values; every lane receives the result, whatever lanes exist.
  template <class T, class Operation>
  KOHORT_FUNCTION T subgroup_reduce(T value, Operation operation, CallSite site) const {
    int const lanes = subgroup_lanes();
    int const lane = self().lane();
    if (lanes == self().subgroup_size()) {
      for (int mask = lanes / 2; mask > 0; mask /= 2) {
        value = operation(value, self().thread_.subgroup_shuffle_xor(value, mask, site));
      }
      return value;
    }
    for (int delta = 1; delta < lanes; delta *= 2) {
      T const above = self().thread_.subgroup_shuffle_down(value, delta, site);
      if (lane + delta < lanes) value = operation(value, above);
    }
    return self().thread_.subgroup_shuffle(value, 0, site);
  }

  template <class T, class Operation>
  KOHORT_FUNCTION T scan_with_total(T const& value, Operation operation, T& total,
                                    CallSite site) const {
    int const lanes = subgroup_lanes();
    int const lane = self().lane();
    T inclusive = value;
    for (int delta = 1; delta < lanes; delta *= 2) {
      T const below = self().thread_.subgroup_shuffle_up(inclusive, delta, site);
      if (lane >= delta) inclusive = operation(below, inclusive);
    }
    T const shifted = self().thread_.subgroup_shuffle_up(inclusive, 1, site);
    T exclusive = lane == 0 ? operation.template identity<T>() : shifted;
    T* slots = team_slots<T>();
    if (lane == lanes - 1) slots[self().subgroup_rank()] = inclusive;
    self().team_barrier(site);
    T before = operation.template identity<T>();
    total = before;
    for (int subgroup = 0; subgroup < self().team_subgroups(); ++subgroup) {
      if (subgroup == self().subgroup_rank()) before = total;
      total = operation(total, slots[subgroup]);
    }
    return operation(before, exclusive);
  }

  mutable bool team_half_ = false;
  mutable bool cluster_half_ = false;
};

}  // namespace kohort
