// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace kohort::simulator {

/// A place in the user's source.
struct Site {
  char const* file = "";
  int line = 0;
};

/// What a kernel reads of its cluster, without a call into the engine.
struct Cluster {
  int size = 1;  ///< teams
  int extents[3] = {1, 1, 1};
  int origin[3] = {0, 0, 0};  ///< league index of the cluster's first team
  int index = 0;              ///< in the league of clusters, along x first
  int group = -1;             ///< the SM group that it occupies
};

/// What a kernel reads of its team.
struct Team {
  Cluster* cluster = nullptr;
  int rank = 0;  ///< in the cluster, along x first
  int league_rank = 0;
  int league_index[3] = {0, 0, 0};
  int league_extents[3] = {1, 1, 1};
  int threads = 0;
  int subgroup_lanes = 32;
  int sm = 0;
  std::byte* scratch = nullptr;              ///< the policy's scratch block
  std::byte* team_collectives = nullptr;     ///< `collective_bytes`, the library's own
  std::byte* cluster_collectives = nullptr;  ///< `collective_bytes`, mappable
};

/// Bytes of each collective storage: 512 subgroups of 2 lanes, two halves, values of 32 B.
inline constexpr std::size_t collective_bytes = 512 * 2 * 32;

/// One simulated thread. The engine keeps more behind it.
struct Thread {
  Team* team = nullptr;
  int rank = 0;  ///< in the team
};

}  // namespace kohort::simulator
