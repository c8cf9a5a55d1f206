// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/capability.hpp>
#include <kohort/backend/emulated/plan.hpp>
#include <kohort/cluster_policy.hpp>
#include <kohort/simulator/placement.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace kohort::Impl {

/// A launch of the simulator with nothing left to AUTO.
struct ResolvedSimulation {
  LaunchRequest request;  ///< its scratch_bytes are those of a team's own memory
  bool emulated = false;
  int domains = 1;              ///< of emulated clusters
  std::size_t block_bytes = 0;  ///< of a team in their arena
};

/// Answers from the profile. The registers of a kernel are a compiler's matter and unknown here:
/// they are taken not to limit residency.
template <>
struct Residency<Simulator> {
  using Profile = simulator::DeviceProfile;

  /// Threads where the policy leaves them to the library: what LaunchBounds promises, or 256, a
  /// multiple of every subgroup and small enough to leave several teams an SM.
  static int automatic_team(LaunchRequest const& request, Profile const& profile) {
    int const wanted = request.launch_bounds_threads > 0 ? request.launch_bounds_threads : 256;
    return std::min(wanted, profile.max_threads_per_team);
  }

  /// Teams that each domain of emulated clusters holds at once.
  static std::vector<int> domain_teams(LaunchRequest const& request, Profile const& profile) {
    int const teams =
        simulator::teams_per_sm(profile, request.team_threads, static_cast<int>(request.scratch_bytes));
    std::vector<int> all;
    for (int sms : profile.sm_groups) {
      if (profile.l2_is_per_group || all.empty()) all.push_back(0);
      all.back() += sms * teams;
    }
    return all;
  }

  /// Clusters of `size` teams resident at once.
  static int resident(ResolvedSimulation const& launch, Profile const& profile, int size) {
    LaunchRequest const& request = launch.request;
    int const threads = request.team_threads;
    bool const fits = threads >= 1 && threads <= profile.max_threads_per_team &&
                      request.scratch_bytes <= profile.max_scratch_bytes_per_team && size >= 1;
    if (!fits) return 0;
    if (launch.emulated && size > 1)
      return size <= largest_emulated_cluster
                 ? resident_emulated_clusters(domain_teams(request, profile), size)
                 : 0;
    int const teams =
        simulator::teams_per_sm(profile, threads, static_cast<int>(request.scratch_bytes));
    return simulator::max_active_clusters(profile, teams, size);
  }

  /// The request with what was left to the library filled in.
  template <class Policy>
  static ResolvedSimulation resolved(Policy const& policy) {
    using Split = SplitScratch<typename Policy::traits, scratch_gap<Simulator>>;
    Profile const& profile = policy.target().profile();
    ResolvedSimulation launch;
    LaunchRequest& request = launch.request = policy.request();
    launch.emulated =
        resolved_mode(request.mode, policy.target().cluster_mode()) == ClusterMode::emulated;
    if (request.team_threads == 0) request.team_threads = automatic_team(request, profile);
    LaunchRequest const whole = request;
    if (launch.emulated)
      request.scratch_bytes = static_cast<long long>(
          SplitScratch<typename Policy::traits>::team_bytes(request.dynamic_team_count));
    if (request.cluster_is_automatic) request.cluster = automatic_cluster(launch, profile);
    launch.emulated &= request.cluster.count() > 1;
    if (!launch.emulated) request.scratch_bytes = whole.scratch_bytes;
    launch.domains = profile.l2_is_per_group ? static_cast<int>(profile.sm_groups.size()) : 1;
    launch.block_bytes = Split::block_bytes(request.dynamic_cluster_count);
    return launch;
  }

  template <class Policy, class Functor>
  static int max_active_clusters(Policy const& policy, Functor const&) {
    Profile const& profile = policy.target().profile();
    ResolvedSimulation const launch = resolved(policy);
    long long const size = launch.request.cluster.count();
    bool const allowed =
        size <= properties_of(policy, launch).largest_portable_cluster ||
        launch.request.nonportable_size_allowed;
    return allowed ? resident(launch, profile, static_cast<int>(size)) : 0;
  }

  template <class Policy, class Functor>
  static int max_cluster_size(Policy const& policy, Functor const&) {
    Profile const& profile = policy.target().profile();
    ResolvedSimulation launch = resolved(policy);
    launch.emulated =
        resolved_mode(policy.request().mode, policy.target().cluster_mode()) ==
        ClusterMode::emulated;
    DeviceProperties const properties = properties_of(policy, launch);
    int size = launch.request.nonportable_size_allowed ? properties.largest_nonportable_cluster
                                                       : properties.largest_portable_cluster;
    while (size > 0 && resident(launch, profile, size) == 0) --size;
    return size;
  }

  template <class Policy, class Functor>
  static Support validate(Policy const& policy, Functor const&) {
    Profile const& profile = policy.target().profile();
    ResolvedSimulation const launch = resolved(policy);
    ResidencyQueries queries;
    queries.max_team_threads = profile.max_threads_per_team;
    queries.max_active_clusters = [&](int size) { return resident(launch, profile, size); };
    if (launch.emulated && launch.block_bytes > most_emulated_block_bytes) {
      queries.why_not_emulated = "an emulated cluster's team has " +
                                 std::to_string(most_emulated_block_bytes) +
                                 " B of cluster scratch at most";
      queries.would_be_emulated = "less cluster scratch";
    }
    return explain(launch.request, properties_of(policy, launch), queries);
  }

 private:
  template <class Policy>
  static DeviceProperties properties_of(Policy const& policy, ResolvedSimulation const& launch) {
    return Capability<Simulator>::in_mode(
        policy.target(), launch.emulated ? ClusterMode::emulated : ClusterMode::native);
  }

  /// The largest portable power of two that divides the league and is resident. Where software makes
  /// the clusters, and nobody asked for that, one team: a larger one is no gain by itself.
  static ClusterShape automatic_cluster(ResolvedSimulation const& launch, Profile const& profile) {
    LaunchRequest const& request = launch.request;
    bool const is_asked = request.mode == ClusterMode::emulated;
    int const most = !launch.emulated ? profile.max_portable_cluster
                     : is_asked       ? largest_portable_emulated_cluster
                                      : 1;
    for (int size = most; size > 1; size /= 2)
      if (request.league.x % size == 0 && resident(launch, profile, size) > 0)
        return ClusterShape{size};
    return ClusterShape{1};
  }
};

}  // namespace kohort::Impl
