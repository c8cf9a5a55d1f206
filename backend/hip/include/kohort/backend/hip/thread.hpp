// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/arrive_token.hpp>
#include <kohort/backend/emulated/cluster.hpp>
#include <kohort/backend/emulated/plan.hpp>
#include <kohort/backend/hip/emulated_platform.hpp>
#include <kohort/backend/hip/fences.hpp>
#include <kohort/backend/hip/named_barrier.hpp>
#include <kohort/backend/hip/registers.hpp>
#include <kohort/backend/hip/shuffle.hpp>
#include <kohort/call_site.hpp>
#include <kohort/memory_order.hpp>

#include <cstddef>
#include <cstdint>

namespace kohort::Impl {

/// Lengths of a policy's dynamic scratch arrays, in elements.
struct HipDynamicCounts {
  int team = 0;
  int cluster = 0;
};

/// The operations of one work-item. Teams are workgroups, subgroups wavefronts; a cluster of more
/// than one team is chiplet-local, and emulated. Call sites are the simulator's; here they vanish.
template <>
class ThreadHandle<Hip> {
 public:
  static constexpr int max_subgroups = 16;
  static constexpr int max_cluster = largest_emulated_cluster;

  /// @param cluster  of an emulated launch; null elsewhere, and while the team belongs to none
  template <bool Emulated>
  KOHORT_FUNCTION ThreadHandle(std::bool_constant<Emulated>, std::byte* scratch,
                               HipDynamicCounts counts, EmulatedCluster<Hip>* cluster = nullptr)
      : is_emulated_(Emulated), scratch_(scratch), counts_(counts), emulated_(cluster) {}

  KOHORT_FUNCTION bool is_emulated() const { return is_emulated_; }
  KOHORT_FUNCTION int worker() const { return HipRegisters::index(0); }

  KOHORT_FUNCTION int league_rank() const {
    if (is_emulated()) return emulated_->league_rank();
    return HipRegisters::index(0) +
           HipRegisters::extent(0) *
               (HipRegisters::index(1) + HipRegisters::extent(1) * HipRegisters::index(2));
  }
  KOHORT_FUNCTION int league_size() const {
    if (is_emulated()) return emulated_->league_size();
    return HipRegisters::extent(0) * HipRegisters::extent(1) * HipRegisters::extent(2);
  }
  KOHORT_FUNCTION int league_index(int d) const {
    return is_emulated() ? emulated_->league_index(d) : HipRegisters::index(d);
  }
  KOHORT_FUNCTION int league_extent(int d) const {
    return is_emulated() ? emulated_->league_extent(d) : HipRegisters::extent(d);
  }
  KOHORT_FUNCTION int cluster_rank() const { return is_emulated() ? emulated_->rank() : 0; }
  KOHORT_FUNCTION int cluster_size() const { return is_emulated() ? emulated_->size() : 1; }
  KOHORT_FUNCTION int cluster_index(int d) const { return is_emulated() ? emulated_->index(d) : 0; }
  KOHORT_FUNCTION int cluster_extent(int d) const {
    return is_emulated() ? emulated_->extent(d) : 1;
  }
  KOHORT_FUNCTION int cluster_league_rank() const {
    return is_emulated() ? emulated_->task() : league_rank();
  }
  KOHORT_FUNCTION int team_rank() const { return HipRegisters::thread(); }
  KOHORT_FUNCTION int team_size() const { return HipRegisters::threads(); }
  static constexpr KOHORT_FUNCTION int subgroup_lanes() { return HipRegisters::wavefront; }
  KOHORT_FUNCTION int sm() const { return HipRegisters::unit(); }
  KOHORT_FUNCTION int sm_group() const { return HipRegisters::xcd(); }

  // Barriers ------------------------------------------------------------------------------------

  /// s_barrier orders nothing by itself: the fences make the compiler wait for its own loads too,
  /// which clang 21 else does behind the barrier.
  KOHORT_FUNCTION void team_barrier(CallSite) const {
    HipFences::release<Scope::team>();
    KOHORT_HIP_DEVICE_BODY(asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::
                                            : "memory");
                           __builtin_amdgcn_s_barrier(); HipFences::acquire<Scope::team>();)
  }
  KOHORT_FUNCTION void subgroup_barrier(CallSite) const {
    KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
                           __builtin_amdgcn_wave_barrier();
                           __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");)
  }
  KOHORT_FUNCTION void named_barrier(int id, int subgroups, CallSite) const {
    HipNamedBarriers::meet(id, subgroups);
  }
  KOHORT_FUNCTION void warpgroup_barrier(CallSite) const {
    HipNamedBarriers::meet(8 + team_rank() / 128, 128 / subgroup_lanes());
  }

  KOHORT_FUNCTION void cluster_barrier(CallSite site) const {
    if (is_emulated()) return emulated_->barrier(*this, site);
    team_barrier(site);
  }
  KOHORT_FUNCTION void cluster_arrive(CallSite site) const {
    if (is_emulated()) emulated_->arrive(*this, site);
  }
  KOHORT_FUNCTION void cluster_arrive_relaxed(CallSite site) const { cluster_arrive(site); }
  KOHORT_FUNCTION void cluster_wait(CallSite site) const {
    if (is_emulated()) return emulated_->wait(*this, site);
    team_barrier(site);
  }
  KOHORT_FUNCTION void guard_arrive() const {}
  KOHORT_FUNCTION void guard_wait(CallSite) const {}
  KOHORT_FUNCTION void guard_close() const {
    if (is_emulated()) emulated_->close(*this, {"the launcher's closing guard", 0});
  }
  KOHORT_FUNCTION void arrive_token_dropped(CallSite) const {}
  KOHORT_FUNCTION void arrive_token_spent_twice(CallSite) const {}

  /// One kernel of a stream ends before the next begins.
  KOHORT_FUNCTION void wait_for_previous() const {}
  KOHORT_FUNCTION void allow_next() const {}

  template <Scope Where>
  KOHORT_FUNCTION void fence(CallSite) const {
    HipFences::full<Where>();
  }

  // Memory --------------------------------------------------------------------------------------

  KOHORT_FUNCTION std::byte* scratch() const { return scratch_; }
  /// What the policy's offsets of cluster scratch are counted from.
  KOHORT_FUNCTION std::byte* cluster_scratch() const {
    return is_emulated() ? emulated_->scratch_base() : scratch_;
  }
  KOHORT_FUNCTION int dynamic_team_count() const { return counts_.team; }
  KOHORT_FUNCTION int dynamic_cluster_count() const { return counts_.cluster; }
  KOHORT_FUNCTION void* map_peer(void* mine, int rank, CallSite) const {
    return is_emulated() ? emulated_->map(mine, rank) : mine;
  }

  template <class T, int Count>
  KOHORT_FUNCTION T* team_collective_storage([[maybe_unused]] bool second_half) const {
    KOHORT_HIP_DEVICE_BODY(__shared__ alignas(T) std::byte storage[2 * sizeof(T) * Count];
                           return reinterpret_cast<T*>(storage) + (second_half ? Count : 0);)
  }
  template <class T, int Count>
  KOHORT_FUNCTION T* cluster_collective_storage([[maybe_unused]] bool second_half) const {
    static_assert(sizeof(T) * Count <= emulated_collective_bytes);
    if (is_emulated())
      return reinterpret_cast<T*>(emulated_->collectives(emulated_collective_bytes, second_half));
    KOHORT_HIP_DEVICE_BODY(__shared__ alignas(T) std::byte storage[2 * sizeof(T) * Count];
                           return reinterpret_cast<T*>(storage) + (second_half ? Count : 0);)
  }

  // Subgroups -----------------------------------------------------------------------------------

  template <int Lanes>
  static constexpr KOHORT_FUNCTION void require_tile() {
    static_assert(Lanes <= HipRegisters::wavefront, "a subgroup of kohort::Hip has 64 lanes");
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle(T const& value, int source, CallSite) const {
    return HipShuffle::from_lane(value, HipShuffle::in_tile<Lanes>(source & (Lanes - 1)));
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle_up(T const& value, int delta, CallSite) const {
    return HipShuffle::from_lane(value,
                                 HipShuffle::in_tile<Lanes>(HipShuffle::lane() % Lanes - delta));
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle_down(T const& value, int delta, CallSite) const {
    return HipShuffle::from_lane(value,
                                 HipShuffle::in_tile<Lanes>(HipShuffle::lane() % Lanes + delta));
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle_xor(T const& value, int mask, CallSite) const {
    return HipShuffle::from_lane(value,
                                 HipShuffle::in_tile<Lanes>((HipShuffle::lane() % Lanes) ^ mask));
  }
  template <int Lanes>
  KOHORT_FUNCTION std::uint64_t ballot([[maybe_unused]] bool predicate, CallSite) const {
    KOHORT_HIP_DEVICE_BODY(
        std::uint64_t const all = __builtin_amdgcn_ballot_w64(predicate);
        int const first = HipShuffle::lane() - HipShuffle::lane() % Lanes;
        return Lanes == 64 ? all : all >> first & ((std::uint64_t{1} << (Lanes % 64)) - 1U);)
  }
  template <int Lanes>
  KOHORT_FUNCTION void tile_barrier(CallSite site) const {
    subgroup_barrier(site);
  }
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle(T const& value, int source, CallSite site) const {
    return shuffle<64>(value, source, site);
  }
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle_up(T const& value, int delta, CallSite site) const {
    return shuffle_up<64>(value, delta, site);
  }
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle_down(T const& value, int delta, CallSite site) const {
    return shuffle_down<64>(value, delta, site);
  }
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle_xor(T const& value, int mask, CallSite site) const {
    return shuffle_xor<64>(value, mask, site);
  }

 private:
  bool is_emulated_;
  std::byte* scratch_;
  HipDynamicCounts counts_;
  EmulatedCluster<Hip>* emulated_;
};

}  // namespace kohort::Impl
