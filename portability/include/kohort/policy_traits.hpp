// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/scratch.hpp>
#include <kohort/shape.hpp>

#include <type_traits>

namespace kohort {

/// Trait: at most `Threads` threads a team, and registers for `Teams` teams an SM (0: no demand).
template <int Threads, int Teams = 0>
struct LaunchBounds {
  static_assert(Threads >= 1 && Threads <= 1024, "a team has 1 to 1024 threads");
  static_assert(Teams >= 0, "a count of teams is not negative");
};

/// Trait: no entry and no exit guard around the kernel. A peer may then be touched only after a
/// cluster barrier of the kernel's own, and a team may leave only when nobody touches its memory
/// any more.
struct ManualLifetime {};

namespace Impl {

/// What a policy's trait list says, independent of its order.
template <class... Traits>
struct PolicyTraits;

template <>
struct PolicyTraits<> {
  using team_scratch = NoScratch;
  using cluster_scratch = NoScratch;
  using dynamic_team_scratch = NoScratch;
  using dynamic_cluster_scratch = NoScratch;
  static constexpr bool has_static_shape = false;
  static constexpr ClusterShape static_shape{1, 1, 1};
  static constexpr int launch_bounds_threads = 0;
  static constexpr int launch_bounds_teams = 0;
  static constexpr bool manual_lifetime = false;
};

template <class Unknown, class... Rest>
struct PolicyTraits<Unknown, Rest...> : PolicyTraits<Rest...> {
  static_assert(!std::is_same_v<Unknown, Unknown>,
                "not a trait of ClusterPolicy: ClusterDims, TeamScratch, ClusterScratch, "
                "DynamicTeamScratch, DynamicClusterScratch, LaunchBounds and ManualLifetime are");
};

template <int X, int Y, int Z, class... Rest>
struct PolicyTraits<ClusterDims<X, Y, Z>, Rest...> : PolicyTraits<Rest...> {
  static_assert(!PolicyTraits<Rest...>::has_static_shape, "ClusterDims is given twice");
  static constexpr bool has_static_shape = true;
  static constexpr ClusterShape static_shape = ClusterDims<X, Y, Z>::shape;
};

template <class T, class... Rest>
struct PolicyTraits<TeamScratch<T>, Rest...> : PolicyTraits<Rest...> {
  static_assert(std::is_same_v<typename PolicyTraits<Rest...>::team_scratch, NoScratch>,
                "TeamScratch is given twice: put both objects into one struct");
  using team_scratch = T;
};

template <class T, class... Rest>
struct PolicyTraits<ClusterScratch<T>, Rest...> : PolicyTraits<Rest...> {
  static_assert(std::is_same_v<typename PolicyTraits<Rest...>::cluster_scratch, NoScratch>,
                "ClusterScratch is given twice: put both objects into one struct");
  using cluster_scratch = T;
};

template <class T, class... Rest>
struct PolicyTraits<DynamicTeamScratch<T>, Rest...> : PolicyTraits<Rest...> {
  static_assert(std::is_same_v<typename PolicyTraits<Rest...>::dynamic_team_scratch, NoScratch>,
                "DynamicTeamScratch is given twice: carve one array into parts");
  using dynamic_team_scratch = T;
};

template <class T, class... Rest>
struct PolicyTraits<DynamicClusterScratch<T>, Rest...> : PolicyTraits<Rest...> {
  static_assert(std::is_same_v<typename PolicyTraits<Rest...>::dynamic_cluster_scratch, NoScratch>,
                "DynamicClusterScratch is given twice: carve one array into parts");
  using dynamic_cluster_scratch = T;
};

template <int Threads, int Teams, class... Rest>
struct PolicyTraits<LaunchBounds<Threads, Teams>, Rest...> : PolicyTraits<Rest...> {
  static_assert(sizeof(LaunchBounds<Threads, Teams>) > 0, "instantiates the trait's own checks");
  static_assert(PolicyTraits<Rest...>::launch_bounds_threads == 0, "LaunchBounds is given twice");
  static constexpr int launch_bounds_threads = Threads;
  static constexpr int launch_bounds_teams = Teams;
};

template <class... Rest>
struct PolicyTraits<ManualLifetime, Rest...> : PolicyTraits<Rest...> {
  static constexpr bool manual_lifetime = true;
};

template <class Traits, std::size_t Gap = 0>
using LayoutOf = ScratchLayout<typename Traits::team_scratch, typename Traits::cluster_scratch,
                               typename Traits::dynamic_team_scratch,
                               typename Traits::dynamic_cluster_scratch, Gap>;

/// The same without what peers map.
template <class Traits, std::size_t Gap = 0>
using TeamLayoutOf = ScratchLayout<typename Traits::team_scratch, NoScratch,
                                   typename Traits::dynamic_team_scratch, NoScratch, Gap>;

}  // namespace Impl
}  // namespace kohort
