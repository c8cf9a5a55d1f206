// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/impl/bits.hpp>
#include <kohort/memory_order.hpp>
#include <kohort/tile_map.hpp>
#include <kohort/transfer_barrier.hpp>

#include <type_traits>

namespace kohort {

/// Tag of arrive(barrier, rank, relaxed): hands back a slot that was only read, orders no writes.
struct Relaxed {};
inline constexpr Relaxed relaxed{};

/// Tag of team_barrier(before_transfer).
struct BeforeTransfer {};
inline constexpr BeforeTransfer before_transfer{};

/// The cluster's axis along which a tile is shared: all ranks that differ from mine in it alone.
enum class ClusterAxis { x = 0, y = 1, z = 2 };

/// The teams that share a multicast: as bits by rank, the caller's place among them, their number.
struct MulticastGroup {
  std::uint32_t ranks;
  int mine;
  int teams;
};

namespace Impl {
/// Backend seam of a member's transfers, static functions over a ThreadHandle<Target>; what each
/// does is said at the member's function of the same name.
///
/// A target without a copy engine may let the rest of a pipeline's producing warpgroup copy for its
/// producer: begin_producing(thread) and end_producing(thread), called by the producer's thread
/// around what it does, and serve_producer(thread), called by the warpgroup's other subgroups
/// meanwhile.
template <class Target>
struct TransferOperations;
}  // namespace Impl

enum class PipelineShape;
template <int Stages, PipelineShape Shape>
class TilePipeline;

/// A member's phased barriers and async copies.
///
/// A copy is issued by the thread that calls it, and done later, by itself: what it brings to
/// scratch may be read after a wait() for the barrier that it completes on, what it takes from
/// scratch may be changed after wait_stores_read(). Barriers and scratch are named as this team's
/// own, also where a peer's are meant.
template <class Member, class Target>
class Transfers {
  using Operations = Impl::TransferOperations<Target>;

  template <int Stages, PipelineShape Shape>
  friend class TilePipeline;

 public:
  // Phased barriers -----------------------------------------------------------------------------

  /// Readies barriers of this team, and makes that known to the cluster: called by every thread of
  /// the cluster, in converged flow, before any other use. Includes a cluster barrier.
  template <class... Groups>
  requires(std::is_convertible_v<Groups, BarrierGroup>&&...)  //
      KOHORT_FUNCTION void init_barriers(Groups const&... groups) const {
    CallSite site = CallSite::current();
    ((site = BarrierGroup(groups).site), ...);
    // Elected, and not simply the first: the device compiler then knows that it is one thread.
    if (self().team_rank() < self().subgroup_size() && is_elected()) {
      (init_group(groups), ...);
      fence_barrier_init(site);
    }
    self().cluster_barrier(site);
  }

  /// One barrier, by the calling thread alone. Peers and the team's own threads know of it only
  /// after fence_barrier_init() by the same thread and a barrier: init_barriers() does all three.
  KOHORT_FUNCTION void init_barrier(TransferBarrier& barrier, int arrivals,
                                    CallSite site = CallSite::current()) const {
    Operations::init(thread(), &barrier, arrivals, site);
  }
  KOHORT_FUNCTION void fence_barrier_init(CallSite site = CallSite::current()) const {
    Operations::fence_init(thread(), site);
  }

  /// Counts one arrival for the calling thread. Publishes its writes to the team.
  KOHORT_FUNCTION void arrive(TransferBarrier& barrier, CallSite site = CallSite::current()) const {
    Operations::arrive(thread(), &barrier, site);
  }
  /// Counts one arrival for the subgroup, once its lanes have met.
  KOHORT_FUNCTION void arrive_once(TransferBarrier& barrier,
                                   CallSite site = CallSite::current()) const {
    self().subgroup_barrier(site);
    if (self().lane() == 0) arrive(barrier, site);
  }
  /// Counts one arrival at the same barrier of team `rank`, and publishes the thread's writes to
  /// the cluster. Two fences beside the arrival on an H200: prefer the relaxed form where it
  /// suffices.
  KOHORT_FUNCTION void arrive(TransferBarrier& barrier, int rank,
                              CallSite site = CallSite::current()) const {
    Operations::arrive_at(thread(), &barrier, rank, true, site);
  }
  KOHORT_FUNCTION void arrive(TransferBarrier& barrier, int rank, Relaxed,
                              CallSite site = CallSite::current()) const {
    Operations::arrive_at(thread(), &barrier, rank, false, site);
  }

  /// The current phase completes only after `bytes` more were brought. Under 2^20 a phase.
  KOHORT_FUNCTION void expect_bytes(TransferBarrier& barrier, int bytes,
                                    CallSite site = CallSite::current()) const {
    Operations::expect(thread(), &barrier, bytes, false, site);
  }
  /// expect_bytes() and arrive() in one.
  KOHORT_FUNCTION void arrive_expecting(TransferBarrier& barrier, int bytes,
                                        CallSite site = CallSite::current()) const {
    Operations::expect(thread(), &barrier, bytes, true, site);
  }

  /// Waits for the phase that `waiter` is at for barrier `index`, and moves it on.
  /// @tparam Where  team: sees what copies brought, and what the team's threads published. cluster:
  ///                also what peers published by arrive(barrier, rank); costs an L1 invalidation.
  template <Scope Where = Scope::team>
  KOHORT_FUNCTION void wait(TransferBarrier& barrier, Waiter& waiter, int index = 0,
                            CallSite site = CallSite::current()) const {
    static_assert(Where == Scope::team || Where == Scope::cluster,
                  "a phased barrier is waited for at team or cluster scope");
    if constexpr (requires { Operations::require_place(thread(), index, site); })
      Operations::require_place(thread(), index, site);
    Operations::template wait<Where>(thread(), &barrier, waiter.parity(index), site);
    waiter.skip(index);
  }

  /// Lets the copy engine and matrix operations see what this thread wrote to scratch.
  KOHORT_FUNCTION void fence_before_transfer(CallSite site = CallSite::current()) const {
    Operations::fence_before_transfer(thread(), site);
  }

  // Copies --------------------------------------------------------------------------------------

  /// Device memory to scratch; completes on `barrier`, of which it brings count * sizeof(T) bytes.
  /// Addresses and bytes are multiples of 16.
  template <class T>
  KOHORT_FUNCTION void copy_async(T* scratch, T const* device, int count, TransferBarrier& barrier,
                                  CallSite site = CallSite::current()) const {
    Operations::load(thread(), scratch, device, bytes_of<T>(count), &barrier, site);
  }
  /// Scratch to device memory, after team_barrier(before_transfer); one of the stores that
  /// wait_stores() counts. Addresses and bytes are multiples of 16.
  template <class T>
  KOHORT_FUNCTION void copy_async(T* device, T const* scratch, int count,
                                  CallSite site = CallSite::current()) const {
    Operations::store(thread(), device, scratch, bytes_of<T>(count), site);
  }

  /// Puts `value` into `object`'s twin in team `rank`, and brings its bytes to that team's
  /// `barrier`. 4, 8 or 16 B, aligned to its size.
  template <class T>
  KOHORT_FUNCTION void push_async(T& object, int rank, std::type_identity_t<T> const& value,
                                  TransferBarrier& barrier,
                                  CallSite site = CallSite::current()) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
                  "push_async of a value moves 4, 8 or 16 B; larger ones go scratch to scratch");
    static_assert(std::is_trivially_copyable_v<T>, "what is pushed is trivially copyable");
    Operations::push_value(thread(), &object, rank, value, &barrier, site);
  }
  /// The same for `count` elements from this team's scratch, after team_barrier(before_transfer).
  /// Addresses and bytes are multiples of 16.
  template <class T>
  KOHORT_FUNCTION void push_async(T* objects, int rank, T const* source, int count,
                                  TransferBarrier& barrier,
                                  CallSite site = CallSite::current()) const {
    Operations::push(thread(), objects, rank, source, bytes_of<T>(count), &barrier, site);
  }

  /// The box at `at` to scratch; completes on `barrier`, of which it brings map.box_bytes(). `at`
  /// counts elements, dimension 0 first, in that one multiples of 16 B; it may be negative or hang
  /// over: such elements are zero.
  /// @param destination  128 B aligned, 1024 B with a swizzle of 128 B
  template <class T, int Rank>
  KOHORT_FUNCTION void tile_load_async(TileMap<T, Rank, Target> const& map,
                                       std::type_identity_t<int const (&)[Rank]> at,
                                       std::remove_const_t<T>* destination,
                                       TransferBarrier& barrier,
                                       CallSite site = CallSite::current()) const {
    Operations::tile_load(thread(), map, at, destination, &barrier, site);
  }

  /// The box to the same scratch of every team of `group`, and its bytes to each one's `barrier`.
  /// One thread of each of these teams calls it: the first of them issues the box, or each its
  /// slice if the map was built with `split` of their number. Each team expects map.box_bytes() on
  /// its own barrier; who issues first knows from every receiver that its scratch is free.
  template <class T, int Rank>
  KOHORT_FUNCTION void tile_load_multicast(TileMap<T, Rank, Target> const& map,
                                           std::type_identity_t<int const (&)[Rank]> at,
                                           std::remove_const_t<T>* destination,
                                           TransferBarrier& barrier, MulticastGroup const& group,
                                           CallSite site = CallSite::current()) const {
    if (group.teams == 1) {
      Operations::tile_load(thread(), map, at, destination, &barrier, site);
    } else {
      Operations::tile_load_multicast(thread(), map, at, destination, &barrier, group, site);
    }
  }
  /// The same to the teams along `axis`. Where it is called often, make the group once.
  template <class T, int Rank>
  KOHORT_FUNCTION void tile_load_multicast(TileMap<T, Rank, Target> const& map,
                                           std::type_identity_t<int const (&)[Rank]> at,
                                           std::remove_const_t<T>* destination,
                                           TransferBarrier& barrier, ClusterAxis axis,
                                           CallSite site = CallSite::current()) const {
    tile_load_multicast(map, at, destination, barrier, multicast_group(axis), site);
  }
  /// The same to the teams whose bits are set in `ranks`, the caller's among them.
  template <class T, int Rank>
  KOHORT_FUNCTION void tile_load_multicast(TileMap<T, Rank, Target> const& map,
                                           std::type_identity_t<int const (&)[Rank]> at,
                                           std::remove_const_t<T>* destination,
                                           TransferBarrier& barrier, std::uint32_t ranks,
                                           CallSite site = CallSite::current()) const {
    tile_load_multicast(map, at, destination, barrier, multicast_group(ranks), site);
  }

  /// The teams that differ from mine in the index along `axis` alone, and mine.
  KOHORT_FUNCTION MulticastGroup multicast_group(ClusterAxis axis) const {
    int const dimension = static_cast<int>(axis);
    return {ranks_along(axis), self().cluster_index(dimension), self().cluster_extent(dimension)};
  }
  /// The teams whose bits are set in `ranks`, mine among them.
  KOHORT_FUNCTION MulticastGroup multicast_group(std::uint32_t ranks) const {
    std::uint32_t const below = ranks & ((std::uint32_t{1} << self().cluster_rank()) - 1U);
    // Of one team without mine, this thread must not take itself for that one.
    bool const holds_mine = (ranks >> self().cluster_rank() & 1U) != 0;
    return {ranks, Impl::count_of_bits(below), holds_mine ? Impl::count_of_bits(ranks) : 32};
  }

  /// Begins to fetch what a transfer needs to know of `map`: the first one is sooner on its way.
  template <class T, int Rank>
  KOHORT_FUNCTION void prefetch(TileMap<T, Rank, Target> const& map) const {
    Operations::prefetch(thread(), map);
  }

  /// Scratch to the box at `at`, after team_barrier(before_transfer); one of the stores that
  /// wait_stores() counts. `at` is 0 or more in every dimension, and a multiple of 16 B in
  /// dimension 0; the box may hang over the tensor's end, where nothing is written.
  template <class T, int Rank>
  KOHORT_FUNCTION void tile_store_async(TileMap<T, Rank, Target> const& map,
                                        std::type_identity_t<int const (&)[Rank]> at,
                                        std::remove_const_t<T> const* source,
                                        CallSite site = CallSite::current()) const {
    static_assert(!std::is_const_v<T>, "a map of const elements is loaded from, not stored to");
    Operations::tile_store(thread(), map, at, source, false, site);
  }
  /// The same, added to what is there: each element is one atomic addition at device scope.
  template <class T, int Rank>
  KOHORT_FUNCTION void tile_add_async(TileMap<T, Rank, Target> const& map,
                                      std::type_identity_t<int const (&)[Rank]> at,
                                      std::remove_const_t<T> const* source,
                                      CallSite site = CallSite::current()) const {
    static_assert(!std::is_const_v<T>, "a map of const elements is loaded from, not stored to");
    static_assert(Impl::can_be_added<T>,
                  "what is added is bf16, fp16, float, double, or integers of 32 or 64 bits");
    Operations::tile_store(thread(), map, at, source, true, site);
  }

  /// Waits until at most `Pending` batches of the calling thread's stores, the latest, still read
  /// scratch. A batch is what was stored since the last wait.
  template <int Pending = 0>
  KOHORT_FUNCTION void wait_stores_read(CallSite site = CallSite::current()) const {
    static_assert(Pending >= 0, "no fewer than 0 batches can be left under way");
    Operations::template wait_stores<Pending, true>(thread(), site);
  }
  /// Waits until at most `Pending` batches of the calling thread's stores, the latest, are not
  /// written.
  template <int Pending = 0>
  KOHORT_FUNCTION void wait_stores(CallSite site = CallSite::current()) const {
    static_assert(Pending >= 0, "no fewer than 0 batches can be left under way");
    Operations::template wait_stores<Pending, false>(thread(), site);
  }

  // Roles ---------------------------------------------------------------------------------------

  /// One lane of the subgroup, the same each time: true in it. Called in converged flow.
  KOHORT_FUNCTION bool is_elected() const { return Operations::is_elected(thread()); }

  /// The calling thread's warpgroup in its team, known to the device compiler to be the same in all
  /// lanes: the matrix unit takes places in scratch from uniform registers, and what is computed
  /// from the thread's rank has to be brought there each time. Called in converged flow.
  KOHORT_FUNCTION int warpgroup_rank() const { return Operations::warpgroup_rank(thread()); }

  /// Hands registers of the calling warpgroup back, or takes them: `Count` a thread from here on, a
  /// multiple of 8 from 24 to 240. Called by whole warpgroups under LaunchBounds<threads, 1>; a
  /// hint where registers can't be moved.
  template <int Count>
  KOHORT_FUNCTION void shrink_registers() const {
    Operations::template set_registers<Count, false>(thread());
  }
  template <int Count>
  KOHORT_FUNCTION void grow_registers() const {
    Operations::template set_registers<Count, true>(thread());
  }

  /// The ranks that differ from mine in the index along `axis` alone, and mine, as bits.
  KOHORT_FUNCTION std::uint32_t ranks_along(ClusterAxis axis) const {
    int const dimension = static_cast<int>(axis);
    int stride = 1;
    for (int d = 0; d < dimension; ++d) stride *= self().cluster_extent(d);
    int const first = self().cluster_rank() - self().cluster_index(dimension) * stride;
    std::uint32_t ranks = 0;
    for (int i = 0; i < self().cluster_extent(dimension); ++i)
      ranks |= std::uint32_t{1} << (first + i * stride);
    return ranks;
  }

 private:
  /// Of `count` elements; more than any scratch has, or less than nothing, if an int can't say it.
  template <class T>
  static KOHORT_FUNCTION int bytes_of(int count) {
    constexpr int most = 0x7ffffff0 / static_cast<int>(sizeof(T));
    int const bounded = count > most ? most : count < -most ? -most : count;
    return bounded * static_cast<int>(sizeof(T));
  }

  KOHORT_FUNCTION Member const& self() const { return static_cast<Member const&>(*this); }
  KOHORT_FUNCTION auto const& thread() const { return self().thread_; }

  // For TilePipeline: nothing on targets with a copy engine.
  KOHORT_FUNCTION void begin_producing() const {
    if constexpr (requires { Operations::begin_producing(thread()); })
      Operations::begin_producing(thread());
  }
  KOHORT_FUNCTION void end_producing() const {
    if constexpr (requires { Operations::end_producing(thread()); })
      Operations::end_producing(thread());
  }
  KOHORT_FUNCTION void serve_producer() const {
    if constexpr (requires { Operations::serve_producer(thread()); })
      Operations::serve_producer(thread());
  }

  KOHORT_FUNCTION void init_group(BarrierGroup const& group) const {
    for (int i = 0; i < group.count; ++i)
      Operations::init(thread(), group.first + i, group.arrivals, group.site);
  }
};

}  // namespace kohort
