// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/capability.hpp>
#include <kohort/cluster_policy.hpp>
#include <kohort/simulator/placement.hpp>

#include <algorithm>

namespace kohort::Impl {

/// Answers from the profile. The registers of a kernel are a compiler's matter and unknown here:
/// they are taken not to limit residency.
template <>
struct Residency<Simulator> {
  /// Threads where the policy leaves them to the library: what LaunchBounds promises, or 256, a
  /// multiple of every subgroup and small enough to leave several teams an SM.
  static int automatic_team(LaunchRequest const& request, simulator::DeviceProfile const& profile) {
    int const wanted = request.launch_bounds_threads > 0 ? request.launch_bounds_threads : 256;
    return std::min(wanted, profile.max_threads_per_team);
  }

  static ResidencyQueries queries(LaunchRequest const& request,
                                  simulator::DeviceProfile const& profile) {
    ResidencyQueries queries;
    queries.max_team_threads = profile.max_threads_per_team;
    queries.max_active_clusters = [&request, &profile](int size) {
      return resident(request, profile, size);
    };
    return queries;
  }

  static int resident(LaunchRequest const& request, simulator::DeviceProfile const& profile,
                      int size) {
    int const threads = request.team_threads;
    bool const fits = threads >= 1 && threads <= profile.max_threads_per_team &&
                      request.scratch_bytes <= profile.max_scratch_bytes_per_team && size >= 1;
    if (!fits) return 0;
    int const teams =
        simulator::teams_per_sm(profile, threads, static_cast<int>(request.scratch_bytes));
    return simulator::max_active_clusters(profile, teams, size);
  }

  /// The request with what was left to the library filled in.
  static LaunchRequest resolved(LaunchRequest request, simulator::DeviceProfile const& profile) {
    if (request.team_threads == 0) request.team_threads = automatic_team(request, profile);
    if (request.cluster_is_automatic) {
      request.cluster = ClusterShape{1};
      for (int size = profile.max_portable_cluster; size > 1; size /= 2) {
        if (request.league.x % size != 0 || resident(request, profile, size) == 0) continue;
        request.cluster = ClusterShape{size};
        break;
      }
    }
    return request;
  }

  template <class Policy, class Functor>
  static int max_active_clusters(Policy const& policy, Functor const&) {
    auto const& profile = policy.target().profile();
    LaunchRequest const request = resolved(policy.request(), profile);
    long long const size = request.cluster.count();
    bool const allowed = size <= profile.max_portable_cluster || request.nonportable_size_allowed;
    return allowed ? resident(request, profile, static_cast<int>(size)) : 0;
  }

  template <class Policy, class Functor>
  static int max_cluster_size(Policy const& policy, Functor const&) {
    auto const& profile = policy.target().profile();
    LaunchRequest const request = resolved(policy.request(), profile);
    int size = request.nonportable_size_allowed ? profile.max_nonportable_cluster
                                                : profile.max_portable_cluster;
    while (size > 0 && resident(request, profile, size) == 0) --size;
    return size;
  }

  template <class Policy, class Functor>
  static Support validate(Policy const& policy, Functor const&) {
    auto const& profile = policy.target().profile();
    LaunchRequest const request = resolved(policy.request(), profile);
    return explain(request, Capability<Simulator>::of(policy.target()), queries(request, profile));
  }
};

}  // namespace kohort::Impl
