// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/space_target.hpp>

#include <type_traits>

namespace kohort::Impl {

/// Elements of the scratch that set_scratch_size() asks for: Kokkos counts bytes.
struct alignas(16) ScratchUnit {
  char bytes[16];

  static constexpr int needed(long long bytes_asked) {
    constexpr long long most = 1LL << 30U;  // more than any device has; the launch refuses it
    long long const units = (bytes_asked + 15) / 16;
    return static_cast<int>(units < most ? units : most);
  }
};

template <class... Traits>
struct TraitList {};

template <class T>
inline constexpr bool is_core_trait = false;
template <int X, int Y, int Z>
inline constexpr bool is_core_trait<ClusterDims<X, Y, Z>> = true;
template <class T>
inline constexpr bool is_core_trait<TeamScratch<T>> = true;
template <class T>
inline constexpr bool is_core_trait<ClusterScratch<T>> = true;
template <int Threads, int Teams>
inline constexpr bool is_core_trait<LaunchBounds<Threads, Teams>> = true;
template <>
inline constexpr bool is_core_trait<ManualLifetime> = true;

template <class T>
inline constexpr bool is_dynamic_scratch_trait = false;
template <class T>
inline constexpr bool is_dynamic_scratch_trait<DynamicTeamScratch<T>> = true;
template <class T>
inline constexpr bool is_dynamic_scratch_trait<DynamicClusterScratch<T>> = true;

/// A policy's traits apart: the core's, and what Kokkos' own trait list (which is closed) takes.
template <class Core, class Others, class... Traits>
struct SplitTraits;

template <class... Core, class... Others>
struct SplitTraits<TraitList<Core...>, TraitList<Others...>> {
  using core = TraitList<Core...>;
  template <class Space>
  using kokkos = Kokkos::Impl::PolicyTraits<Space, Others...>;
};

template <class... Core, class... Others, class First, class... Rest>
struct SplitTraits<TraitList<Core...>, TraitList<Others...>, First, Rest...>
    : std::conditional_t<is_core_trait<First>,
                         SplitTraits<TraitList<Core..., First>, TraitList<Others...>, Rest...>,
                         SplitTraits<TraitList<Core...>, TraitList<Others..., First>, Rest...>> {
  static_assert(!is_dynamic_scratch_trait<First>,
                "kohort: in Kokkos' manner the lengths of scratch are given to "
                "set_scratch_size(0, Kokkos::PerTeam(bytes), kohort::PerCluster(bytes))");
};

/// The core's traits for a list of its own and Kokkos' LaunchBounds.
template <class List, class Bounds>
struct CoreTraits;
template <class... Core, unsigned Threads, unsigned Teams>
struct CoreTraits<TraitList<Core...>, Kokkos::LaunchBounds<Threads, Teams>> {
  template <template <class...> class Wanted, class... Before>
  using apply = std::conditional_t<
      Threads == 0,
      Wanted<Before..., Core..., DynamicTeamScratch<ScratchUnit>,
             DynamicClusterScratch<ScratchUnit>>,
      Wanted<Before..., Core..., DynamicTeamScratch<ScratchUnit>,
             DynamicClusterScratch<ScratchUnit>, LaunchBounds<Threads == 0 ? 1 : Threads, Teams>>>;
};

}  // namespace kohort::Impl
