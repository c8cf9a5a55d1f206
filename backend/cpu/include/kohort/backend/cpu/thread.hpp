// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/arrive_token.hpp>
#include <kohort/backend/cpu/emulated_platform.hpp>
#include <kohort/backend/cpu/target.hpp>
#include <kohort/backend/emulated/cluster.hpp>
#include <kohort/backend/emulated/plan.hpp>
#include <kohort/memory_order.hpp>
#include <kohort/simulator/operations.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kohort::Impl {

/// A kernel's view of one simulated thread. Host-device by its macro only, so that one functor
/// compiles for both; nothing of it runs on a device.
template <>
class ThreadHandle<Simulator> {
  using Site = simulator::Site;

 public:
  static constexpr int max_subgroups = 512;  ///< 1024 threads in the smallest subgroups of 2
  static constexpr int max_cluster = 64;

  /// @param cluster  of an emulated launch; null elsewhere, and while the team belongs to none
  KOHORT_FUNCTION ThreadHandle(simulator::Thread& thread, int dynamic_team_count,
                               int dynamic_cluster_count,
                               EmulatedCluster<Simulator>* cluster = nullptr)
      : thread_(&thread),
        dynamic_team_count_(dynamic_team_count),
        dynamic_cluster_count_(dynamic_cluster_count),
        emulated_(cluster) {}

  /// For this target's other seams.
  KOHORT_FUNCTION simulator::Thread& simulated() const { return *thread_; }

  /// Whether the team is a rank of a software cluster.
  KOHORT_FUNCTION bool is_emulated() const { return emulated_ != nullptr; }
  /// For emulated clusters: the team's number among those that were launched.
  KOHORT_FUNCTION int worker() const { return team().league_rank; }

  KOHORT_FUNCTION int league_rank() const {
    return is_emulated() ? emulated_->league_rank() : team().league_rank;
  }
  KOHORT_FUNCTION int league_size() const {
    if (is_emulated()) return emulated_->league_size();
    return team().league_extents[0] * team().league_extents[1] * team().league_extents[2];
  }
  KOHORT_FUNCTION int league_index(int d) const {
    return is_emulated() ? emulated_->league_index(d) : team().league_index[d];
  }
  KOHORT_FUNCTION int league_extent(int d) const {
    return is_emulated() ? emulated_->league_extent(d) : team().league_extents[d];
  }
  KOHORT_FUNCTION int cluster_rank() const {
    return is_emulated() ? emulated_->rank() : team().rank;
  }
  KOHORT_FUNCTION int cluster_size() const {
    return is_emulated() ? emulated_->size() : cluster().size;
  }
  KOHORT_FUNCTION int cluster_index(int d) const {
    return is_emulated() ? emulated_->index(d) : team().league_index[d] - cluster().origin[d];
  }
  KOHORT_FUNCTION int cluster_extent(int d) const {
    return is_emulated() ? emulated_->extent(d) : cluster().extents[d];
  }
  KOHORT_FUNCTION int cluster_league_rank() const {
    return is_emulated() ? emulated_->task() : cluster().index;
  }
  KOHORT_FUNCTION int team_rank() const { return thread_->rank; }
  KOHORT_FUNCTION int team_size() const { return team().threads; }
  KOHORT_FUNCTION int subgroup_lanes() const { return team().subgroup_lanes; }
  KOHORT_FUNCTION int sm() const { return team().sm; }
  /// -1 of a software cluster that is not kept to one group.
  KOHORT_FUNCTION int sm_group() const {
    return is_emulated() && !emulated_->keeps_to_a_domain() ? -1 : cluster().group;
  }

  KOHORT_FUNCTION void team_barrier(CallSite site) const {
    simulator::team_barrier(*thread_, at(site));
  }
  KOHORT_FUNCTION void subgroup_barrier(CallSite site) const { meet(subgroup_lanes(), site); }
  KOHORT_FUNCTION void named_barrier(int id, int subgroups, CallSite site) const {
    simulator::named_barrier(*thread_, id, subgroups, at(site));
  }

  KOHORT_FUNCTION void warpgroup_barrier(CallSite site) const {
    simulator::warpgroup_barrier(*thread_, at(site));
  }

  KOHORT_FUNCTION void cluster_barrier(CallSite site) const {
    if (is_emulated()) return emulated_->barrier(*this, site);
    cluster_arrive(site);
    cluster_wait(site);
  }
  KOHORT_FUNCTION void cluster_arrive(CallSite site) const {
    if (is_emulated()) return emulated_->arrive(*this, site);
    if (alone()) return;
    simulator::cluster_arrive(*thread_, simulator::ClusterBarrierKind::inner, true, at(site));
  }
  KOHORT_FUNCTION void cluster_arrive_relaxed(CallSite site) const {
    if (is_emulated()) return emulated_->arrive(*this, site);
    if (alone()) return;
    simulator::cluster_arrive(*thread_, simulator::ClusterBarrierKind::inner, false, at(site));
  }
  KOHORT_FUNCTION void cluster_wait(CallSite site) const {
    if (is_emulated()) {
      emulated_->wait(*this, site);
    } else if (alone()) {
      team_barrier(site);
    } else {
      simulator::cluster_wait(*thread_, at(site));
    }
  }
  KOHORT_FUNCTION void guard_arrive() const {
    if (alone()) return;
    simulator::cluster_arrive(*thread_, simulator::ClusterBarrierKind::entry, false,
                              {"the launcher's entry guard", 0});
  }
  KOHORT_FUNCTION void guard_wait(CallSite site) const {
    if (!alone()) simulator::cluster_wait(*thread_, at(site));
  }
  KOHORT_FUNCTION void guard_close() const {
    if (is_emulated()) return emulated_->close(*this, {"the launcher's closing guard", 0});
    if (alone()) return;
    Site const site{"the launcher's closing guard", 0};
    simulator::cluster_arrive(*thread_, simulator::ClusterBarrierKind::closing, true, site);
    simulator::cluster_wait(*thread_, site);
  }
  KOHORT_FUNCTION void arrive_token_dropped(CallSite site) const {
    simulator::arrive_token_dropped(*thread_, at(site));
  }
  KOHORT_FUNCTION void arrive_token_spent_twice(CallSite site) const {
    simulator::arrive_token_spent_twice(*thread_, at(site));
  }

  /// One launch ends before the next begins here.
  KOHORT_FUNCTION void wait_for_previous() const {}
  KOHORT_FUNCTION void allow_next() const {}

  template <Scope Where>
  KOHORT_FUNCTION void fence(CallSite site) const {
    simulator::fence(*thread_, static_cast<simulator::AtomicScope>(Where), at(site));
  }

  KOHORT_FUNCTION std::byte* scratch() const { return team().scratch; }
  /// What the policy's offsets of cluster scratch are counted from.
  KOHORT_FUNCTION std::byte* cluster_scratch() const {
    return is_emulated() ? emulated_->scratch_base() : team().scratch;
  }
  KOHORT_FUNCTION int dynamic_team_count() const { return dynamic_team_count_; }
  KOHORT_FUNCTION int dynamic_cluster_count() const { return dynamic_cluster_count_; }
  KOHORT_FUNCTION void* map_peer(void* mine, int rank, CallSite site) const {
    if (is_emulated()) return emulated_peer(mine, rank, site);
    return simulator::map_peer(*thread_, mine, rank, at(site));
  }

  /// All types share the storage, so its halves are halves in bytes: calls with values of different
  /// sizes may follow each other.
  template <class T, int Count>
  KOHORT_FUNCTION T* team_collective_storage(bool second_half) const {
    return half_of<T, Count>(team().team_collectives, second_half);
  }
  template <class T, int Count>
  KOHORT_FUNCTION T* cluster_collective_storage(bool second_half) const {
    if (is_emulated())
      return reinterpret_cast<T*>(emulated_->collectives(emulated_collective_bytes, second_half));
    return half_of<T, Count>(team().cluster_collectives, second_half);
  }

  template <int Lanes>
  KOHORT_FUNCTION void require_tile() const {
    // A tile wider than the subgroup has lanes that don't exist in it: the exchange tells.
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle(T const& value, int source, CallSite site) const {
    return exchange(simulator::ExchangeKind::index, Lanes, value, source, site);
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle_up(T const& value, int delta, CallSite site) const {
    return exchange(simulator::ExchangeKind::up, Lanes, value, delta, site);
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle_down(T const& value, int delta, CallSite site) const {
    return exchange(simulator::ExchangeKind::down, Lanes, value, delta, site);
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle_xor(T const& value, int mask, CallSite site) const {
    return exchange(simulator::ExchangeKind::exclusive_or, Lanes, value, mask, site);
  }
  template <int Lanes>
  KOHORT_FUNCTION std::uint64_t ballot(bool predicate, CallSite site) const {
    std::uint64_t bits = 0;
    simulator::exchange(*thread_,
                        {.kind = simulator::ExchangeKind::ballot,
                         .lanes = Lanes,
                         .argument = predicate ? 1 : 0,
                         .received = &bits},
                        at(site));
    return bits;
  }
  template <int Lanes>
  KOHORT_FUNCTION void tile_barrier(CallSite site) const {
    meet(Lanes, site);
  }

  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle(T const& value, int source, CallSite site) const {
    return exchange(simulator::ExchangeKind::index, subgroup_lanes(), value, source, site);
  }
  /// A lane that does not exist gives the asker's own value: the caller does not use it.
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle_up(T const& value, int delta, CallSite site) const {
    return exchange(simulator::ExchangeKind::up, subgroup_lanes(), value, delta, site);
  }
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle_down(T const& value, int delta, CallSite site) const {
    int const lane = team_rank() % subgroup_lanes();
    int const last = team_size() - (team_rank() - lane) - 1;
    int const safe = lane + delta > last ? 0 : delta;
    return exchange(simulator::ExchangeKind::down, subgroup_lanes(), value, safe, site);
  }
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle_xor(T const& value, int mask, CallSite site) const {
    return exchange(simulator::ExchangeKind::exclusive_or, subgroup_lanes(), value, mask, site);
  }

 private:
  static KOHORT_FUNCTION Site at(CallSite site) { return {site.file, site.line}; }
  KOHORT_FUNCTION simulator::Team const& team() const { return *thread_->team; }
  KOHORT_FUNCTION simulator::Cluster const& cluster() const { return *thread_->team->cluster; }
  /// In a hardware cluster of one.
  KOHORT_FUNCTION bool alone() const { return cluster().size == 1; }

  KOHORT_EMULATED_FUNCTION void* emulated_peer(void* mine, int rank, CallSite site) const {
    if (rank < 0 || rank >= emulated_->size())
      simulator::report_peer_rank(*thread_, rank, emulated_->size(), at(site));
    return emulated_->map(mine, rank);
  }

  template <class T, int Count>
  static KOHORT_FUNCTION T* half_of(std::byte* storage, bool second_half) {
    static_assert(sizeof(T) * Count * 2 <= simulator::collective_bytes);
    return reinterpret_cast<T*>(storage + (second_half ? simulator::collective_bytes / 2 : 0));
  }

  KOHORT_FUNCTION void meet(int lanes, CallSite site) const {
    simulator::exchange(*thread_, {.kind = simulator::ExchangeKind::barrier, .lanes = lanes},
                        at(site));
  }

  template <class T>
  KOHORT_FUNCTION T exchange(simulator::ExchangeKind kind, int lanes, T const& value, int argument,
                             CallSite site) const {
    static_assert(std::is_trivially_copyable_v<T>, "lanes exchange trivially copyable values");
    T received = value;
    simulator::exchange(*thread_,
                        {.kind = kind,
                         .lanes = lanes,
                         .argument = argument,
                         .bytes = sizeof(T),
                         .sent = &value,
                         .received = &received},
                        at(site));
    return received;
  }

  simulator::Thread* thread_;
  int dynamic_team_count_;
  int dynamic_cluster_count_;
  EmulatedCluster<Simulator>* emulated_;
};

}  // namespace kohort::Impl
