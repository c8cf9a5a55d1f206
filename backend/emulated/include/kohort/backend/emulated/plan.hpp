// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/control.hpp>
#include <kohort/launch_request.hpp>
#include <kohort/policy_traits.hpp>
#include <kohort/properties.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

/// The host's part of an emulated launch: how many teams, and how much memory they share.
namespace kohort::Impl {

/// Software clusters are no larger: the collectives' storage has a place a rank, and the portable
/// size is that of the hardware's, so that a source right on one target is right on all.
inline constexpr int largest_emulated_cluster = 16;
inline constexpr int largest_portable_emulated_cluster = 8;

/// A team's block of the arena is no larger, library's part included: as much as a hardware
/// cluster's team has, and some more.
inline constexpr long long most_emulated_block_bytes = 1 << 20;

/// The device as launches in emulated clusters have it. As in hardware, each team of the largest
/// cluster can have an SM to itself.
/// @param domain_sms  SMs of the largest domain
inline DeviceProperties emulated_properties(DeviceProperties properties, int domain_sms) {
  properties.cluster_mode = ClusterMode::emulated;
  properties.largest_portable_cluster = std::min(largest_portable_emulated_cluster, domain_sms);
  properties.largest_nonportable_cluster = std::min(largest_emulated_cluster, domain_sms);
  properties.has_dsmem = properties.has_multicast = false;
  properties.has_work_queue = properties.has_pair_mma = false;
  return properties;
}

/// Bytes of one half of a team's cluster collectives: a value of 32 B a rank.
inline constexpr std::size_t emulated_collective_bytes = largest_emulated_cluster * 32;

/// The scratch of a policy, where cluster scratch is no part of a team's own memory.
template <class Traits, std::size_t Gap = 0>
struct SplitScratch {
  using whole = LayoutOf<Traits, Gap>;
  /// The team's own. Its typed object lies where the whole layout has it.
  using team = TeamLayoutOf<Traits, Gap>;

  /// Of the whole layout, from which on the block in the arena has it; keeps alignments.
  static constexpr std::size_t first_offset =
      whole::cluster_offset / whole::alignment * whole::alignment;
  static constexpr std::size_t block_alignment =
      whole::alignment > 128 ? whole::alignment : std::size_t{128};

  static constexpr std::size_t team_bytes(int dynamic_team_count) {
    return team::bytes(dynamic_team_count, 0);
  }
  static constexpr std::size_t cluster_bytes(int dynamic_cluster_count) {
    return whole::dynamic_cluster_offset +
           scratch_size<typename Traits::dynamic_cluster_scratch> *
               static_cast<std::size_t>(dynamic_cluster_count) +
           Gap - first_offset;
  }
  /// Of a team in the arena, the library's part included.
  static constexpr std::size_t block_bytes(int dynamic_cluster_count) {
    return align_up(cluster_bytes(dynamic_cluster_count) + 2 * emulated_collective_bytes,
                    block_alignment);
  }
};

/// Clusters that can be resident, if each domain holds so many teams.
inline int resident_emulated_clusters(std::vector<int> const& domain_teams, int size) {
  int clusters = 0;
  for (int teams : domain_teams) clusters += teams / size;
  return clusters;
}

/// Teams to launch: no more than are resident together, because they wait for each other, and no
/// more than the tasks need. With several domains the hardware deals teams out, so that each may
/// end with a part of a cluster; dealt in turn, this many fill whole ones.
inline int emulated_workers(std::vector<int> const& domain_teams, int size, long long tasks) {
  auto const domains = static_cast<long long>(domain_teams.size());
  long long resident = 0;
  for (int teams : domain_teams) resident += teams;
  if (domains == 1) return static_cast<int>(std::min(tasks, resident / size) * size);
  long long const rounds = (tasks + domains - 1) / domains;
  return static_cast<int>(std::min(resident, rounds * domains * size));
}

/// What TaskHandout::automatic stands for.
inline TaskHandout chosen_handout(TaskHandout asked, int domains, long long tasks, int clusters) {
  if (asked != TaskHandout::automatic) return asked;
  if (tasks <= clusters) return domains == 1 ? TaskHandout::fixed : TaskHandout::by_domain;
  return domains == 1 ? TaskHandout::dynamic : TaskHandout::by_domain;
}

/// The launch but for its memory. `domain_teams`: teams that each domain holds at once; `keys`: one
/// more than the highest key that a domain can have.
inline EmulatedLaunch plan_emulated(LaunchRequest const& request, ClusterShape const& cluster,
                                    std::vector<int> const& domain_teams, int keys,
                                    std::size_t first_offset, std::size_t block_bytes) {
  EmulatedLaunch launch;
  for (int d = 0; d < 3; ++d) {
    launch.league[d] = request.league[d];
    launch.cluster[d] = cluster[d];
  }
  launch.size = static_cast<int>(cluster.count());
  long long const tasks = request.league.count() / launch.size;
  launch.tasks = static_cast<int>(tasks);
  launch.workers = emulated_workers(domain_teams, launch.size, tasks);
  launch.keys = domain_teams.size() == 1 ? 1 : keys;
  launch.handout = chosen_handout(request.handout, static_cast<int>(domain_teams.size()), tasks,
                                  launch.workers / launch.size);
  launch.first_offset = static_cast<unsigned>(first_offset);
  launch.block_bytes = static_cast<unsigned>(block_bytes);
  return launch;
}

}  // namespace kohort::Impl
