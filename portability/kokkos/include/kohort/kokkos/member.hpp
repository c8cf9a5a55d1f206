// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/reducers.hpp>
#include <kohort/kokkos/traits.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <type_traits>

namespace kohort {
namespace Impl {

/// What a launch tells its members beside the core's numbers.
struct KokkosLaunch {
  int vector_shift = 0;    ///< log2 of the vector length
  char* level1 = nullptr;  ///< scratch of level 1 of all teams, in device memory
  long long level1_team_bytes = 0;
};

[[noreturn]] inline void throw_foreign_peer() {
  throw std::invalid_argument(
      "kohort: peer(view, rank): the View is not in cluster scratch, or has no data: carve it from "
      "member.cluster_scratch(0), and ask for its bytes by set_scratch_size(0, "
      "kohort::PerCluster(bytes))");
}

}  // namespace Impl

/// What a kernel under a Kokkos execution space's ClusterPolicy receives: Kokkos' team handle, and
/// what ClusterMember has (cluster barriers, transfers, peers).
///
/// As in Kokkos, a "thread" is a group of vector_length() neighbouring lanes: team_rank() and
/// team_size() count those, thread_rank() and thread_count() the lanes. Collectives are called by
/// all of them.
template <class Space, class Traits>
class KokkosMember : public ClusterMember<typename Impl::SpaceTarget<Space>::type, Traits> {
  using Target = typename Impl::SpaceTarget<Space>::type;
  using Core = ClusterMember<Target, Traits>;

 public:
  using execution_space = Space;
  using scratch_memory_space = typename Space::scratch_memory_space;
  using team_handle = KokkosMember;

  explicit KOHORT_FUNCTION KokkosMember(Impl::ThreadHandle<Target> const& thread) : Core(thread) {}

  /// The same as the core sees it: every lane a thread.
  KOHORT_FUNCTION Core const& core() const { return *this; }

  // Where am I ----------------------------------------------------------------------------------

  KOHORT_FUNCTION int team_rank() const { return Core::team_rank() >> launch_.vector_shift; }
  KOHORT_FUNCTION int team_size() const { return Core::team_size() >> launch_.vector_shift; }
  KOHORT_FUNCTION int thread_rank() const { return Core::team_rank(); }
  KOHORT_FUNCTION int thread_count() const { return Core::team_size(); }
  KOHORT_FUNCTION int vector_length() const { return 1 << launch_.vector_shift; }
  KOHORT_FUNCTION int vector_rank() const { return Core::team_rank() & (vector_length() - 1); }

  // Collectives, as Kokkos spells them ----------------------------------------------------------

  /// `value` of thread `source`, in all.
  template <class T>
  KOHORT_FUNCTION void team_broadcast(T& value, int source,
                                      CallSite site = CallSite::current()) const {
    value = core().team_broadcast(value, source << launch_.vector_shift, site);
  }
  template <class Closure, class T>
  KOHORT_FUNCTION void team_broadcast(Closure const& closure, T& value, int source,
                                      CallSite site = CallSite::current()) const {
    closure(value);
    team_broadcast(value, source, site);
  }

  /// Combines the threads' values of the reducer's place into it, in all.
  template <class Reducer>
  requires(Kokkos::is_reducer<Reducer>::value)  //
      KOHORT_FUNCTION
      void team_reduce(Reducer const& reducer, CallSite site = CallSite::current()) const {
    team_reduce(reducer, reducer.reference(), site);
  }
  template <class Reducer>
  requires(Kokkos::is_reducer<Reducer>::value)  //
      KOHORT_FUNCTION void team_reduce(Reducer const& reducer, typename Reducer::value_type& value,
                                       CallSite site = CallSite::current()) const {
    Impl::ReducerOperation<Reducer> const operation{reducer};
    value = core().team_reduce(of_first_lane(value, operation), operation, site);
    reducer.reference() = value;
  }

  /// The sum of the values of the threads below mine.
  template <class T>
  KOHORT_FUNCTION T team_scan(T const& value, CallSite site = CallSite::current()) const {
    return vector_broadcast(core().team_scan(of_first_lane(value, Sum{}), Sum{}, site), 0, site);
  }
  /// The same, added to what `*total` was before the team's sum was added to it, atomically.
  template <class T>
  KOHORT_FUNCTION T team_scan(T const& value, T* total, CallSite site = CallSite::current()) const {
    T const below = team_scan(value, site);
    T before = T(0);
    if (thread_rank() == (team_size() - 1) << launch_.vector_shift)
      before = atomic_fetch_add(total, below + value, site);
    return core().team_broadcast(before, (team_size() - 1) << launch_.vector_shift, site) + below;
  }

  // Memory --------------------------------------------------------------------------------------

  /// What set_scratch_size(level, PerTeam(bytes)) asked for; Views are carved from it in turn.
  KOHORT_FUNCTION scratch_memory_space const& team_scratch(int level) const {
    return team_space_.set_team_thread_mode(level, 1, 0);
  }
  KOHORT_FUNCTION scratch_memory_space const& team_shmem() const { return team_scratch(0); }
  using Core::team_scratch;
  /// The same of PerThread(bytes): each thread receives its own piece.
  KOHORT_FUNCTION scratch_memory_space const& thread_scratch(int level) const {
    return team_space_.set_team_thread_mode(level, team_size(), team_rank());
  }
  /// The same of PerCluster(bytes): each team has as much, and peer() maps it. Every team carves
  /// the same Views in the same order. Level 0 is all there is: of another a View has no data.
  KOHORT_FUNCTION scratch_memory_space const& cluster_scratch(int level) const {
    return cluster_space_.set_team_thread_mode(level, 1, 0);
  }
  using Core::cluster_scratch;

  /// A View of this team's cluster scratch as the same View of team `rank`: its loads, stores and
  /// atomics reach the peer's memory. Any other View of scratch is refused on the simulator, and
  /// undefined on a device.
  template <class Data, class... Properties>
  KOHORT_FUNCTION Kokkos::View<Data, Properties...> peer(
      Kokkos::View<Data, Properties...> const& view, int rank,
      CallSite site = CallSite::current()) const {
    using View = Kokkos::View<Data, Properties...>;
    using Value = typename View::non_const_value_type;
    static_assert(std::is_same_v<typename View::memory_space, scratch_memory_space>,
                  "kohort: peer() maps a View of this space's scratch_memory_space that was carved "
                  "from cluster_scratch(0); one in device memory is the same for all teams");
    auto* const data = const_cast<Value*>(view.data());
    require_cluster_scratch(data);
    auto const mine = Impl::HandleFactory::shared<Value[]>(data, static_cast<int>(view.span()));
    return View(&core().peer(mine, rank, site)[0], view.layout());
  }
  using Core::peer;

  // For the ranges ------------------------------------------------------------------------------

  /// The value in the thread's first lane, the identity in its others: who combines lanes counts
  /// each thread once.
  template <class T, class Operation>
  KOHORT_FUNCTION T of_first_lane(T const& value, Operation const& operation) const {
    if (launch_.vector_shift == 0 || vector_rank() == 0) return value;
    return operation.template identity<T>();
  }

  /// Calls `body(tile)` with the thread's lanes as a tile. Not for a vector length of one.
  template <class Body>
  KOHORT_FUNCTION void with_lanes(Body const& body) const {
    if (launch_.vector_shift == 1) body(core().template subgroup_tile<2>());
    if (launch_.vector_shift == 2) body(core().template subgroup_tile<4>());
    if (launch_.vector_shift == 3) body(core().template subgroup_tile<8>());
    if (launch_.vector_shift == 4) body(core().template subgroup_tile<16>());
    if (launch_.vector_shift == 5) body(core().template subgroup_tile<32>());
  }
  template <class T, class Operation>
  KOHORT_FUNCTION T vector_reduce(T value, Operation const& operation, CallSite site) const {
    if (launch_.vector_shift == 0) return value;
    with_lanes([&](auto const& tile) { value = tile.reduce(value, operation, site); });
    return value;
  }
  /// Exclusive over the thread's lanes.
  template <class T, class Operation>
  KOHORT_FUNCTION T vector_scan(T const& value, Operation const& operation, CallSite site) const {
    T before = operation.template identity<T>();
    if (launch_.vector_shift == 0) return before;
    with_lanes([&](auto const& tile) { before = tile.scan(value, operation, site); });
    return before;
  }
  template <class T>
  KOHORT_FUNCTION T vector_broadcast(T value, int lane, CallSite site) const {
    if (launch_.vector_shift == 0) return value;
    with_lanes([&](auto const& tile) { value = tile.broadcast(value, lane, site); });
    return value;
  }

  /// The launcher's side: before the functor is called.
  KOHORT_FUNCTION void begin(Impl::KokkosLaunch const& launch) const {
    launch_ = launch;
    char* const level1 = launch.level1 == nullptr
                             ? nullptr
                             : launch.level1 + launch.level1_team_bytes * this->league_rank();
    team_space_ = scratch_memory_space(this->dynamic_team_scratch(),
                                       this->dynamic_team_size() * sizeof(Impl::ScratchUnit),
                                       level1, static_cast<std::size_t>(launch.level1_team_bytes));
    auto const cluster = this->dynamic_cluster_scratch();
    cluster_space_ =
        scratch_memory_space(Impl::HandleFactory::data(cluster),
                             static_cast<std::size_t>(cluster.size()) * sizeof(Impl::ScratchUnit));
  }

 private:
  KOHORT_FUNCTION void require_cluster_scratch([[maybe_unused]] void const* data) const {
    KOKKOS_IF_ON_HOST(
        (auto const all = this->dynamic_cluster_scratch();
         auto const* const begin = reinterpret_cast<char const*>(Impl::HandleFactory::data(all));
         auto const* const at = static_cast<char const*>(data); std::less<> const before;
         if (before(at, begin) ||
             !before(at, begin + static_cast<std::size_t>(all.size()) * sizeof(Impl::ScratchUnit)))
             Impl::throw_foreign_peer();))
  }

  mutable Impl::KokkosLaunch launch_;
  mutable scratch_memory_space team_space_;
  mutable scratch_memory_space cluster_space_;
};

namespace Impl {

template <class Space, class Traits>
inline constexpr bool brings_own_ranges<KokkosMember<Space, Traits>> = true;

template <class T>
inline constexpr bool is_kokkos_member = false;
template <class Space, class Traits>
inline constexpr bool is_kokkos_member<KokkosMember<Space, Traits>> = true;

template <class T>
concept AKokkosMember = is_kokkos_member<T>;

}  // namespace Impl
}  // namespace kohort
