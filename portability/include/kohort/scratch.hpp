// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

#include <cstddef>
#include <type_traits>

namespace kohort {

/// Trait: an object private to the team. It can't be mapped by peers.
template <class T>
struct TeamScratch {
  using type = T;
};

/// Trait: an object of every team that its cluster's peers can map.
template <class T>
struct ClusterScratch {
  using type = T;
};

/// Trait: an array private to the team; `policy.dynamic_team_scratch(count)` gives its length.
template <class T>
struct DynamicTeamScratch {
  using type = T;
};

/// Trait: a mappable array of every team; `policy.dynamic_cluster_scratch(count)` gives its length.
template <class T>
struct DynamicClusterScratch {
  using type = T;
};

namespace Impl {

/// Stands for "the policy has no such scratch".
struct NoScratch {};

/// Backend seam: bytes between scratch objects, for a target that looks for overruns.
template <class Target>
inline constexpr std::size_t scratch_gap = 0;

template <class T>
inline constexpr std::size_t scratch_size = sizeof(T);
template <>
inline constexpr std::size_t scratch_size<NoScratch> = 0;

constexpr KOHORT_FUNCTION std::size_t align_up(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Where each scratch object lies in a team's block. All but the last offset are constants, so
/// that a kernel's addresses fold; the dynamic team array comes last because its start depends on
/// the length of the dynamic cluster array.
///
/// `Gap` bytes lie between objects: none on a device.
template <class Team, class Cluster, class DynamicTeam, class DynamicCluster, std::size_t Gap = 0>
struct ScratchLayout {
  static_assert(std::is_trivially_destructible_v<Team> && std::is_trivially_destructible_v<Cluster>,
                "scratch is raw memory: nobody would run the destructor of its type");

  static constexpr std::size_t alignment = [] {
    std::size_t largest = 16;
    for (std::size_t one :
         {alignof(Team), alignof(Cluster), alignof(DynamicTeam), alignof(DynamicCluster)}) {
      largest = one > largest ? one : largest;
    }
    return largest;
  }();

  static constexpr std::size_t team_offset = 0;
  static constexpr std::size_t cluster_offset =
      align_up(scratch_size<Team> + Gap, alignof(Cluster));
  static constexpr std::size_t dynamic_cluster_offset =
      align_up(cluster_offset + scratch_size<Cluster> + Gap, alignof(DynamicCluster));

  static constexpr bool has_dynamic_team = !std::is_same_v<DynamicTeam, NoScratch>;
  static constexpr bool has_dynamic_cluster = !std::is_same_v<DynamicCluster, NoScratch>;

  static constexpr KOHORT_FUNCTION std::size_t dynamic_team_offset(int dynamic_cluster_count) {
    return align_up(
        dynamic_cluster_offset + scratch_size<DynamicCluster> * dynamic_cluster_count + Gap,
        alignof(DynamicTeam));
  }

  /// Bytes of a team's whole block.
  static constexpr std::size_t bytes(int dynamic_team_count, int dynamic_cluster_count) {
    if constexpr (!has_dynamic_team && !has_dynamic_cluster) {
      return cluster_offset + scratch_size<Cluster>;
    } else {
      return dynamic_team_offset(dynamic_cluster_count) +
             scratch_size<DynamicTeam> * dynamic_team_count;
    }
  }
};

}  // namespace Impl
}  // namespace kohort
