// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/launch_request.hpp>
#include <kohort/targets.hpp>

#include <string>
#include <vector>

namespace kohort {

/// What a target's device offers. Ask these; never compare compute capabilities.
struct DeviceProperties {
  std::string target;  ///< "Simulator", "Cuda"
  std::string device;  ///< the profile's or the driver's name
  int sm_count = 0;
  std::vector<int> domains;  ///< SMs of each group that hosts a cluster; empty: unknown
  int l2_caches = 1;         ///< that are not coherent: one, or one a domain
  int subgroup_size = 0;     ///< lanes
  int max_team_size = 0;     ///< threads
  int max_threads_per_sm = 0;
  int max_teams_per_sm = 0;
  long long max_team_scratch_bytes = 0;  ///< bytes a team can ask for
  long long scratch_bytes_per_sm = 0;
  /// How ClusterMode::automatic makes clusters: native where the hardware has them.
  ClusterMode cluster_mode = ClusterMode::native;
  int largest_portable_cluster = 1;     ///< teams, in that mode
  int largest_nonportable_cluster = 1;  ///< teams, with allow_nonportable_size()
  bool has_dsmem = false;
  bool has_multicast = false;
  bool has_work_queue = false;
  bool has_pair_mma = false;
};

/// Whether a launch would be accepted, and if not, which limit it breaks and what would work.
struct Support {
  bool ok = true;
  std::string reason;      ///< empty when ok
  std::string limit;       ///< the limit that is broken
  std::string would_work;  ///< a launch near to it that would be accepted
  explicit operator bool() const { return ok; }
};

namespace Impl {

/// Backend seam: `static DeviceProperties of(Target const&)`.
template <class Target>
struct Capability;

}  // namespace Impl

template <class Target>
DeviceProperties properties(Target const& target) {
  Impl::require_backend<Target>();
  return Impl::Capability<Target>::of(target);
}

}  // namespace kohort
