// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/shape.hpp>

#include <string>

namespace kohort {

/// How a cluster is made: by the hardware, in software, or as the device allows.
enum class ClusterMode { automatic, native, emulated };

/// How an emulated launch hands its tasks, the clusters of the league, to the clusters that are
/// resident. Each way begins lower tasks first.
enum class TaskHandout {
  automatic,  ///< fixed or dynamic where all share one domain, by_domain elsewhere
  fixed,      ///< each takes the tasks that its number tells: no counter
  by_domain,  ///< each domain has a run of the league, so that neighbours meet in its cache; who is
              ///< done with its own takes over from others
  dynamic     ///< one counter for all
};

namespace Impl {

/// A launch as plain numbers: what a policy asks of a backend, and what a refusal quotes.
struct LaunchRequest {
  std::string label;
  Extents league;
  ClusterShape cluster;
  bool cluster_is_automatic = false;
  bool has_static_cluster = false;
  ClusterShape static_cluster;
  bool has_preferred_cluster = false;
  ClusterShape preferred_cluster;
  int team_threads = 0;  ///< 0 stands for AUTO
  int launch_bounds_threads = 0;
  int dynamic_team_count = 0;
  int dynamic_cluster_count = 0;
  long long scratch_bytes = 0;
  bool nonportable_size_allowed = false;
  bool manual_lifetime = false;
  bool begins_early = false;
  ClusterMode mode = ClusterMode::automatic;
  TaskHandout handout = TaskHandout::automatic;
};

}  // namespace Impl
}  // namespace kohort
