// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/arrive_token.hpp>
#include <kohort/backend/cuda/device_code.hpp>
#include <kohort/backend/cuda/emulated_platform.hpp>
#include <kohort/backend/cuda/registers.hpp>
#include <kohort/backend/cuda/shuffle.hpp>
#include <kohort/backend/emulated/cluster.hpp>
#include <kohort/backend/emulated/plan.hpp>
#include <kohort/call_site.hpp>
#include <kohort/memory_order.hpp>
#include <kohort/targets.hpp>

#include <cstddef>
#include <cstdint>

namespace kohort::Impl {

/// Lengths of a policy's dynamic scratch arrays, in elements.
struct DynamicCounts {
  int team = 0;
  int cluster = 0;
};

/// How the teams of a stub come together: each alone, by the hardware, in software.
enum class ClusterForm { single, native, emulated };

/// What a stub knows when it is compiled: how its clusters are made, and whether league and cluster
/// extend along x alone.
template <ClusterForm Clusters, bool OneDimensional>
struct KernelForm {
  static constexpr ClusterForm clusters = Clusters;
  static constexpr bool one_dimensional = OneDimensional;
};

/// The operations of one CUDA thread: special registers, barriers, mapped memory, shuffles. The
/// PTX ISA names each instruction. Call sites are the simulator's; here they vanish. The stub's
/// form is data here, and because all functions are inlined into the stub, every branch on it
/// folds.
template <>
class ThreadHandle<Cuda> {
 public:
  static constexpr int max_subgroups = 32;
  static constexpr int max_cluster = 16;

  /// @param cluster  of an emulated form; null while the team belongs to none
  template <class Form>
  KOHORT_FUNCTION ThreadHandle(Form, std::byte* scratch, DynamicCounts counts,
                               EmulatedCluster<Cuda>* cluster = nullptr)
      : form_(Form::clusters),
        one_dimensional_(Form::one_dimensional),
        scratch_(scratch),
        counts_(counts),
        emulated_(cluster) {}

  // Where am I. One-dimensional leagues have a stub of their own, because the general rank costs
  // six instructions that a plain kernel's blockIdx.x does not.

  KOHORT_FUNCTION int league_rank() const {
    if (is_emulated()) return emulated_->league_rank();
    return one_dimensional_ ? BlockRegisters::index(0)
                            : BlockRegisters::index(0) +
                                  BlockRegisters::extent(0) *
                                      (BlockRegisters::index(1) +
                                       BlockRegisters::extent(1) * BlockRegisters::index(2));
  }
  KOHORT_FUNCTION int league_size() const {
    if (is_emulated()) return emulated_->league_size();
    return one_dimensional_
               ? BlockRegisters::extent(0)
               : BlockRegisters::extent(0) * BlockRegisters::extent(1) * BlockRegisters::extent(2);
  }
  KOHORT_FUNCTION int league_index(int dimension) const {
    if (is_emulated()) return emulated_->league_index(dimension);
    if (one_dimensional_ && dimension != 0) return 0;
    return BlockRegisters::index(dimension);
  }
  KOHORT_FUNCTION int league_extent(int dimension) const {
    if (is_emulated()) return emulated_->league_extent(dimension);
    if (one_dimensional_ && dimension != 0) return 1;
    return BlockRegisters::extent(dimension);
  }

  /// Whether it was launched in hardware clusters; a constant to the compiler.
  KOHORT_FUNCTION bool is_clustered() const { return form_ == ClusterForm::native; }
  /// Whether its clusters are made in software; a constant too.
  KOHORT_FUNCTION bool is_emulated() const {
    return cuda_compiles_emulated && form_ == ClusterForm::emulated;
  }
  /// For emulated clusters: the team's number among those that were launched.
  KOHORT_FUNCTION int worker() const { return BlockRegisters::index(0); }
  KOHORT_FUNCTION int cluster_rank() const {
    if (is_emulated()) return emulated_->rank();
    return is_clustered() ? ClusterRegisters::rank() : 0;
  }
  KOHORT_FUNCTION int cluster_size() const {
    if (is_emulated()) return emulated_->size();
    return is_clustered() ? ClusterRegisters::size() : 1;
  }
  KOHORT_FUNCTION int cluster_index(int dimension) const {
    if (is_emulated()) return emulated_->index(dimension);
    if (!is_clustered() || (one_dimensional_ && dimension != 0)) return 0;
    return ClusterRegisters::index(dimension);
  }
  KOHORT_FUNCTION int cluster_extent(int dimension) const {
    if (is_emulated()) return emulated_->extent(dimension);
    if (!is_clustered() || (one_dimensional_ && dimension != 0)) return 1;
    return ClusterRegisters::extent(dimension);
  }
  KOHORT_FUNCTION int cluster_league_rank() const {
    if (is_emulated()) return emulated_->task();
    if (!is_clustered()) return league_rank();
    if (one_dimensional_) return ClusterRegisters::league_index(0);
    return ClusterRegisters::league_index(0) +
           ClusterRegisters::league_extent(0) *
               (ClusterRegisters::league_index(1) +
                ClusterRegisters::league_extent(1) * ClusterRegisters::league_index(2));
  }

  KOHORT_FUNCTION int team_rank() const { return BlockRegisters::thread(); }
  KOHORT_FUNCTION int team_size() const { return BlockRegisters::threads(); }
  static constexpr KOHORT_FUNCTION int subgroup_lanes() { return 32; }
  KOHORT_FUNCTION int sm() const { return BlockRegisters::multiprocessor(); }
  /// The device does not tell which SMs share a GPC; probe_domains() finds out from the host.
  KOHORT_FUNCTION int sm_group() const { return -1; }

  // Barriers ------------------------------------------------------------------------------------

  KOHORT_FUNCTION void team_barrier(CallSite) const { KOHORT_CUDA_DEVICE_BODY(__syncthreads();) }
  /// The full mask: lanes that do not exist count as exited, and nobody waits for those.
  KOHORT_FUNCTION void subgroup_barrier(CallSite) const { KOHORT_CUDA_DEVICE_BODY(__syncwarp();) }
  KOHORT_FUNCTION void named_barrier([[maybe_unused]] int id, [[maybe_unused]] int subgroups,
                                     CallSite) const {
    KOHORT_CUDA_DEVICE_BODY(asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(subgroups * 32)
                                         : "memory");)
  }

  /// Of the thread's 128. Its id is one that users are not given.
  KOHORT_FUNCTION void warpgroup_barrier(CallSite site) const {
    named_barrier(8 + team_rank() / 128, 4, site);
  }

  KOHORT_FUNCTION void cluster_barrier(CallSite site) const {
    if (is_emulated()) return emulated_->barrier(*this, site);
    cluster_arrive(site);
    cluster_wait(site);
  }
  KOHORT_FUNCTION void cluster_arrive(CallSite site) const {
    if (is_emulated()) return emulated_->arrive(*this, site);
    if (is_clustered()) ClusterBarrier::arrive();
  }
  KOHORT_FUNCTION void cluster_arrive_relaxed(CallSite site) const {
    if (is_emulated()) return emulated_->arrive(*this, site);
    if (is_clustered()) ClusterBarrier::arrive_relaxed();
  }
  KOHORT_FUNCTION void cluster_wait(CallSite site) const {
    if (is_emulated()) return emulated_->wait(*this, site);
    if (is_clustered()) {
      ClusterBarrier::wait();
    } else {
      team_barrier(site);
    }
  }

  /// The teams of a software cluster are there before its first task, and their blocks of the arena
  /// always are.
  KOHORT_FUNCTION void guard_arrive() const {
    if (is_clustered()) ClusterBarrier::arrive_relaxed();
  }
  KOHORT_FUNCTION void guard_wait(CallSite) const {
    if (is_clustered()) ClusterBarrier::wait();
  }
  KOHORT_FUNCTION void guard_close() const {
    if (is_emulated()) return emulated_->close(*this, {"the launcher's closing guard", 0});
    if (!is_clustered()) return;
    ClusterBarrier::arrive();
    ClusterBarrier::wait();
  }
  KOHORT_FUNCTION void arrive_token_dropped(CallSite) const {}
  KOHORT_FUNCTION void arrive_token_spent_twice(CallSite) const {}

  KOHORT_FUNCTION void wait_for_previous() const { ProgrammaticLaunch::wait(); }
  KOHORT_FUNCTION void allow_next() const { ProgrammaticLaunch::allow_next(); }

  template <Scope Where>
  KOHORT_FUNCTION void fence(CallSite) const {
    if constexpr (Where == Scope::team) {
      KOHORT_CUDA_DEVICE_BODY(__threadfence_block();)
    } else if constexpr (Where == Scope::cluster) {
      if (is_emulated()) return fence<Scope::device>({});
      ClusterBarrier::fence();
    } else if constexpr (Where == Scope::device) {
      KOHORT_CUDA_DEVICE_BODY(__threadfence();)
    } else {
      KOHORT_CUDA_DEVICE_BODY(__threadfence_system();)
    }
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
    if (is_emulated()) return emulated_->map(mine, rank);
    return is_clustered() ? ClusterRegisters::map(mine, rank) : mine;
  }

  /// Static shared memory: a kernel that never asks has none, and each type has its own.
  template <class T, int Count>
  KOHORT_FUNCTION T* team_collective_storage([[maybe_unused]] bool second_half) const {
    KOHORT_CUDA_DEVICE_BODY(__shared__ alignas(T) std::byte storage[2 * sizeof(T) * Count];
                            return reinterpret_cast<T*>(storage) + (second_half ? Count : 0);)
  }
  template <class T, int Count>
  KOHORT_FUNCTION T* cluster_collective_storage([[maybe_unused]] bool second_half) const {
    // In the arena all types share the storage, so its halves are halves in bytes.
    static_assert(sizeof(T) * Count <= emulated_collective_bytes);
    if (is_emulated())
      return reinterpret_cast<T*>(emulated_->collectives(emulated_collective_bytes, second_half));
    KOHORT_CUDA_DEVICE_BODY(__shared__ alignas(T) std::byte storage[2 * sizeof(T) * Count];
                            return reinterpret_cast<T*>(storage) + (second_half ? Count : 0);)
  }
  // Subgroups -----------------------------------------------------------------------------------

  template <int Lanes>
  static constexpr KOHORT_FUNCTION void require_tile() {
    static_assert(
        Lanes <= 32,
        "a subgroup of kohort::Cuda has 32 lanes: a tile of 64 lanes is for targets whose "
        "properties(target).subgroup_size is 64");
  }

  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle(T const& value, int source, CallSite) const {
    return exchange_lanes<Lanes, LaneExchange::index>(value, source);
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle_up(T const& value, int delta, CallSite) const {
    return exchange_lanes<Lanes, LaneExchange::up>(value, delta);
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle_down(T const& value, int delta, CallSite) const {
    return exchange_lanes<Lanes, LaneExchange::down>(value, delta);
  }
  template <int Lanes, class T>
  KOHORT_FUNCTION T shuffle_xor(T const& value, int mask, CallSite) const {
    return exchange_lanes<Lanes, LaneExchange::exclusive_or>(value, mask);
  }
  template <int Lanes>
  KOHORT_FUNCTION std::uint64_t ballot([[maybe_unused]] bool predicate, CallSite) const {
    KOHORT_CUDA_DEVICE_BODY(return __ballot_sync(tile_mask<Lanes>(), predicate) >>
                                       tile_first_lane<Lanes>();)
  }
  template <int Lanes>
  KOHORT_FUNCTION void tile_barrier(CallSite) const {
    KOHORT_CUDA_DEVICE_BODY(__syncwarp(tile_mask<Lanes>());)
  }

  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle(T const& value, int source, CallSite) const {
    return exchange_lanes<32, LaneExchange::index>(value, source);
  }
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle_up(T const& value, int delta, CallSite) const {
    return exchange_lanes<32, LaneExchange::up>(value, delta);
  }
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle_down(T const& value, int delta, CallSite) const {
    return exchange_lanes<32, LaneExchange::down>(value, delta);
  }
  template <class T>
  KOHORT_FUNCTION T subgroup_shuffle_xor(T const& value, int mask, CallSite) const {
    return exchange_lanes<32, LaneExchange::exclusive_or>(value, mask);
  }

 private:
  ClusterForm form_;
  bool one_dimensional_;
  std::byte* scratch_;
  DynamicCounts counts_;
  EmulatedCluster<Cuda>* emulated_;
};

}  // namespace kohort::Impl
