// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/arrive_token.hpp>
#include <kohort/collectives.hpp>
#include <kohort/memory_order.hpp>
#include <kohort/policy_traits.hpp>
#include <kohort/shared.hpp>
#include <kohort/subgroup_tile.hpp>
#include <kohort/transfers.hpp>
#include <kohort/warpgroup_mma.hpp>

#include <utility>

namespace kohort {

/// What a kernel's functor receives: where the thread stands, its scratch, its barriers, and its
/// cluster's peers. One type a policy; never stored, never copied.
///
/// "Collective" operations are called by every thread of the team (or cluster) in converged flow.
/// Costs are measured on an H200 (docs/results/).
template <class Target, class Traits>
class ClusterMember : public Collectives<ClusterMember<Target, Traits>>,
                      public Transfers<ClusterMember<Target, Traits>, Target> {
  using layout = Impl::LayoutOf<Traits, Impl::scratch_gap<Target>>;
  using team_layout = Impl::TeamLayoutOf<Traits, Impl::scratch_gap<Target>>;
  using handle_type = Impl::ThreadHandle<Target>;

 public:
  using target_type = Target;
  using arrive_token = ArriveToken<Target>;

  explicit KOHORT_FUNCTION ClusterMember(handle_type const& thread) : thread_(thread) {}
  ClusterMember(ClusterMember const&) = delete;
  ClusterMember& operator=(ClusterMember const&) = delete;

  // Where am I ----------------------------------------------------------------------------------

  /// My team in the league, counted along x first; 0 … league_size() - 1.
  KOHORT_FUNCTION int league_rank() const { return thread_.league_rank(); }
  KOHORT_FUNCTION int league_size() const { return thread_.league_size(); }
  KOHORT_FUNCTION int league_index(int dimension) const { return thread_.league_index(dimension); }
  KOHORT_FUNCTION int league_extent(int dimension) const {
    return thread_.league_extent(dimension);
  }

  /// My team in its cluster, counted along x first; 0 … cluster_size() - 1.
  KOHORT_FUNCTION int cluster_rank() const {
    if constexpr (size_is_one()) return 0;
    return thread_.cluster_rank();
  }
  KOHORT_FUNCTION int cluster_size() const {
    if constexpr (Traits::has_static_shape) {
      constexpr ClusterShape shape = Traits::static_shape;
      return static_cast<int>(shape.count());
    } else {
      return thread_.cluster_size();
    }
  }
  KOHORT_FUNCTION int cluster_index(int dimension) const {
    if constexpr (size_is_one()) return 0;
    return thread_.cluster_index(dimension);
  }
  KOHORT_FUNCTION int cluster_extent(int dimension) const {
    if constexpr (Traits::has_static_shape) {
      constexpr ClusterShape shape =
          Traits::static_shape;  // nvcc takes no address of a static member
      return shape[dimension];
    } else {
      return thread_.cluster_extent(dimension);
    }
  }

  /// My cluster in the league of clusters.
  KOHORT_FUNCTION int cluster_league_rank() const { return thread_.cluster_league_rank(); }
  KOHORT_FUNCTION int cluster_league_size() const { return league_size() / cluster_size(); }

  /// My thread in its team; team_size() counts threads.
  KOHORT_FUNCTION int team_rank() const { return thread_.team_rank(); }
  KOHORT_FUNCTION int team_size() const { return thread_.team_size(); }

  /// My subgroup (warp, wavefront) in its team, and my lane in it.
  KOHORT_FUNCTION int subgroup_rank() const { return team_rank() / thread_.subgroup_lanes(); }
  KOHORT_FUNCTION int subgroup_size() const { return thread_.subgroup_lanes(); }
  KOHORT_FUNCTION int lane() const { return team_rank() % thread_.subgroup_lanes(); }
  /// Subgroups of the team, a last partial one included.
  KOHORT_FUNCTION int team_subgroups() const {
    return (team_size() + subgroup_size() - 1) / subgroup_size();
  }

  /// The SM (compute unit) that the team runs on, and on the simulator its group's number;
  /// a device that does not tell its groups answers -1. For tests and reports.
  KOHORT_FUNCTION int sm() const { return thread_.sm(); }
  KOHORT_FUNCTION int sm_group() const { return thread_.sm_group(); }

  // Barriers ------------------------------------------------------------------------------------

  /// Waits for every thread of the team; orders their memory accesses. 20 cycles at 128 threads.
  KOHORT_FUNCTION void team_barrier(CallSite site = CallSite::current()) const {
    thread_.team_barrier(site);
  }
  /// The same, after which the copy engine and matrix operations see what the team wrote to
  /// scratch: required between ordinary writes and a store, a push or a product that reads them.
  KOHORT_FUNCTION void team_barrier(BeforeTransfer, CallSite site = CallSite::current()) const {
    this->fence_before_transfer(site);
    thread_.team_barrier(site);
  }

  /// Waits for every lane of the subgroup; orders their memory accesses.
  KOHORT_FUNCTION void subgroup_barrier(CallSite site = CallSite::current()) const {
    thread_.subgroup_barrier(site);
  }

  /// Waits until `subgroups` whole subgroups of the team have come to barrier `id`.
  /// @param id         1 … 7; the others are the library's
  /// @param subgroups  how many meet here: the same number in each of them
  KOHORT_FUNCTION void named_barrier(int id, int subgroups,
                                     CallSite site = CallSite::current()) const {
    thread_.named_barrier(id, subgroups, site);
  }

  /// Waits for every thread of every team of the cluster; what they wrote before, in any memory,
  /// is visible after. 358–387 cycles at 128 threads; a team barrier when the cluster is one team.
  /// As with the team barrier, all threads of a team come to the same call.
  KOHORT_FUNCTION void cluster_barrier(CallSite site = CallSite::current()) const {
    ensure_entered(site);
    thread_.cluster_barrier(site);
  }

  /// The same, with `between` called by every thread between its arrival and its wait. What
  /// `between` accesses is unordered with what peers do there.
  template <class Between>
  requires requires(Between const& between) { between(); }
  KOHORT_FUNCTION void cluster_barrier(Between const& between,
                                       CallSite site = CallSite::current()) const {
    arrive_token token = cluster_arrive(site);
    between();
    cluster_wait(std::move(token), site);
  }

  /// The first half of a cluster barrier: publishes this thread's earlier writes.
  KOHORT_FUNCTION arrive_token cluster_arrive(CallSite site = CallSite::current()) const {
    ensure_entered(site);
    thread_.cluster_arrive(site);
    return arrive_token(thread_, site);
  }

  /// As cluster_arrive(), but orders nothing: 110–135 cycles instead of 358–387. For handing back
  /// a slot that was only read.
  KOHORT_FUNCTION arrive_token cluster_arrive_relaxed(CallSite site = CallSite::current()) const {
    ensure_entered(site);
    thread_.cluster_arrive_relaxed(site);
    return arrive_token(thread_, site);
  }

  /// The second half: waits for all arrivals and sees what they published.
  KOHORT_FUNCTION void cluster_wait(arrive_token&& token,
                                    CallSite site = CallSite::current()) const {
    if (token.spend()) {
      thread_.cluster_wait(site);
    } else {
      thread_.arrive_token_spent_twice(site);
    }
  }

  /// Orders this thread's memory accesses for observers within `Where`.
  template <Scope Where>
  KOHORT_FUNCTION void fence(CallSite site = CallSite::current()) const {
    thread_.template fence<Where>(site);
  }

  /// Waits until all earlier work of the stream is done and its writes are visible: what a kernel
  /// launched with policy.begin_early() does before it touches memory that earlier work touches.
  /// Nothing in others.
  KOHORT_FUNCTION void wait_for_previous() const { thread_.wait_for_previous(); }
  /// Lets a kernel that was launched with policy.begin_early() begin after this one, as soon as
  /// every team has called it or has ended, and there is room. Its teams take the SMs in the order
  /// in which they fall free, small ones several at once: called early, the next kernel may sit on
  /// few SMs, or neighbours far from each other. At the end of a kernel that fills the device, and
  /// earlier where SMs are free anyway.
  KOHORT_FUNCTION void allow_next() const { thread_.allow_next(); }

  // Memory --------------------------------------------------------------------------------------

  /// The TeamScratch object, private to the team. Uninitialised.
  KOHORT_FUNCTION typename Traits::team_scratch& team_scratch() const {
    static_assert(!std::is_same_v<typename Traits::team_scratch, Impl::NoScratch>,
                  "the policy has no TeamScratch trait");
    return *scratch<typename Traits::team_scratch>(layout::team_offset);
  }

  /// The ClusterScratch object of my team, which peer() maps. Uninitialised.
  KOHORT_FUNCTION Shared<typename Traits::cluster_scratch> cluster_scratch() const {
    using Object = typename Traits::cluster_scratch;
    static_assert(!std::is_same_v<Object, Impl::NoScratch>,
                  "the policy has no ClusterScratch trait");
    return Impl::HandleFactory::shared<Object>(
        cluster_place<std::remove_extent_t<Object>>(layout::cluster_offset));
  }

  /// The DynamicTeamScratch array.
  KOHORT_FUNCTION typename Traits::dynamic_team_scratch* dynamic_team_scratch() const {
    static_assert(layout::has_dynamic_team, "the policy has no DynamicTeamScratch trait");
    // Where cluster scratch is no part of the team's memory, the array begins sooner.
    return scratch<typename Traits::dynamic_team_scratch>(
        thread_.is_emulated() ? team_layout::dynamic_team_offset(0)
                              : layout::dynamic_team_offset(
                                    layout::has_dynamic_cluster ? dynamic_cluster_size() : 0));
  }
  KOHORT_FUNCTION int dynamic_team_size() const { return thread_.dynamic_team_count(); }

  /// The DynamicClusterScratch array of my team, which peer() maps.
  KOHORT_FUNCTION Shared<typename Traits::dynamic_cluster_scratch[]> dynamic_cluster_scratch()
      const {
    using Element = typename Traits::dynamic_cluster_scratch;
    static_assert(layout::has_dynamic_cluster, "the policy has no DynamicClusterScratch trait");
    return Impl::HandleFactory::shared<Element[]>(
        cluster_place<Element>(layout::dynamic_cluster_offset), dynamic_cluster_size());
  }
  KOHORT_FUNCTION int dynamic_cluster_size() const { return thread_.dynamic_cluster_count(); }

  /// Maps `object`, a cluster-scratch object of this team, to the same object of team `rank`.
  ///
  /// @param rank  0 … cluster_size() - 1. On the simulator anything else is the finding
  ///              `peer-rank`; on a GPU it is undefined.
  /// @return a handle, valid until the cluster's last barrier.
  /// Cost on an H200: none to map; a load through it takes 195–213 cycles, 28 for one's own.
  /// First use waits for the guard's entry barrier, so call it where the team is converged.
  template <class T>
  KOHORT_FUNCTION Peer<T> peer(Shared<T> const& object, int rank,
                               CallSite site = CallSite::current()) const {
    ensure_entered(site);
    using Factory = Impl::HandleFactory;
    auto* mine = Factory::data(object);
    return Factory::peer<T>(
        static_cast<std::remove_extent_t<T>*>(thread_.map_peer(mine, rank, site)),
        Factory::count(object), rank);
  }

  template <class T>
  void peer(T const&, int, CallSite = CallSite::current()) const {
    static_assert(!std::is_same_v<T, T>,
                  "only cluster scratch can be mapped: pass what cluster_scratch() or "
                  "dynamic_cluster_scratch() returned, not team scratch or a local");
  }

  // Subgroups -----------------------------------------------------------------------------------

  /// This thread's tile of `Lanes` neighbouring lanes: 2, 4, … the subgroup's size.
  template <int Lanes>
  KOHORT_FUNCTION SubgroupTile<Target, Lanes> subgroup_tile() const {
    return SubgroupTile<Target, Lanes>(thread_);
  }

  // The launcher's side -------------------------------------------------------------------------

  /// Runs the kernel between the launcher's guards (docs/guide/semantics.md, "Lifetime").
  template <class Functor>
  KOHORT_FUNCTION void run(Functor const& functor) const {
    if constexpr (!guarded()) {
      functor(*this);
    } else {
      thread_.guard_arrive();
      functor(*this);
      if (!entered_) thread_.guard_wait(CallSite{"the launcher's entry guard", 0});
      thread_.guard_close();
    }
  }

 private:
  friend class Collectives<ClusterMember>;
  friend class Transfers<ClusterMember, Target>;
  template <class, class, class, class, int, MatrixMajor, MatrixMajor>
  friend class WarpgroupMma;
  template <class, class, class, class, int>
  friend class SubgroupMma;

  static constexpr KOHORT_FUNCTION bool size_is_one() {
    return Traits::has_static_shape && Traits::static_shape.count() == 1;
  }
  static constexpr KOHORT_FUNCTION bool guarded() {
    return !Traits::manual_lifetime && !size_is_one();
  }

  /// The wait of the entry guard, put off to the first call that needs the peers.
  KOHORT_FUNCTION void ensure_entered(CallSite site) const {
    if constexpr (guarded()) {
      if (!entered_) {
        entered_ = true;
        thread_.guard_wait(site);
      }
    }
  }

  template <class T>
  KOHORT_FUNCTION T* scratch(std::size_t offset) const {
    return reinterpret_cast<T*>(thread_.scratch() + offset);
  }
  /// Of what peers map: the team's own memory too, or the arena of emulated clusters.
  template <class T>
  KOHORT_FUNCTION T* cluster_place(std::size_t offset) const {
    return reinterpret_cast<T*>(thread_.cluster_scratch() + offset);
  }

  handle_type thread_;
  mutable bool entered_ = false;
};

}  // namespace kohort
