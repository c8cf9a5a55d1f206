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

/// What a policy's scratch takes, in plain numbers: every kernel of a program is compiled with this
/// header, so what can be is no template.
struct SimulatedScratch {
  long long team_bytes = 0;      ///< of a team's own memory, where cluster scratch is no part of it
  std::size_t block_bytes = 0;   ///< of a team in the arena of emulated clusters
  std::size_t first_offset = 0;  ///< see SplitScratch
  std::size_t block_alignment = 128;

  template <class Policy>
  static SimulatedScratch of(LaunchRequest const& request) {
    using Split = SplitScratch<typename Policy::traits>;
    using Padded = SplitScratch<typename Policy::traits, scratch_gap<Simulator>>;
    return {static_cast<long long>(Split::team_bytes(request.dynamic_team_count)),
            Padded::block_bytes(request.dynamic_cluster_count), Padded::first_offset,
            Padded::block_alignment};
  }
};

/// A launch of the simulator with nothing left to AUTO.
struct ResolvedSimulation {
  LaunchRequest request;  ///< its scratch_bytes are those of a team's own memory
  bool emulated = false;
  SimulatedScratch scratch;
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
    int const teams = simulator::teams_per_sm(profile, request.team_threads,
                                              static_cast<int>(request.scratch_bytes));
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
    return resolve(policy.target(), policy.request(),
                   SimulatedScratch::of<Policy>(policy.request()));
  }

  template <class Policy, class Functor>
  static int max_active_clusters(Policy const& policy, Functor const&) {
    return active(policy.target(), resolved(policy));
  }

  template <class Policy, class Functor>
  static int max_cluster_size(Policy const& policy, Functor const&) {
    return largest(policy.target(), resolved(policy));
  }

  template <class Policy, class Functor>
  static Support validate(Policy const& policy, Functor const&) {
    return explained(policy.target(), resolved(policy));
  }

  static Support explained(Simulator const& target, ResolvedSimulation const& launch) {
    Profile const& profile = target.profile();
    ResidencyQueries queries;
    queries.max_team_threads = profile.max_threads_per_team;
    queries.max_active_clusters = [&](int size) { return resident(launch, profile, size); };
    if (launch.emulated && launch.scratch.block_bytes > most_emulated_block_bytes) {
      queries.why_not_emulated = "an emulated cluster's team has " +
                                 std::to_string(most_emulated_block_bytes) +
                                 " B of cluster scratch at most";
      queries.would_be_emulated = "less cluster scratch";
    }
    return explain(launch.request, properties_of(target, launch.emulated), queries);
  }

 private:
  static bool emulates(Simulator const& target, LaunchRequest const& request) {
    return resolved_mode(request.mode, target.cluster_mode()) == ClusterMode::emulated;
  }
  static DeviceProperties properties_of(Simulator const& target, bool emulated) {
    return Capability<Simulator>::in_mode(target,
                                          emulated ? ClusterMode::emulated : ClusterMode::native);
  }

  static ResolvedSimulation resolve(Simulator const& target, LaunchRequest const& asked,
                                    SimulatedScratch const& scratch) {
    Profile const& profile = target.profile();
    ResolvedSimulation launch{asked, emulates(target, asked), scratch};
    LaunchRequest& request = launch.request;
    if (request.team_threads == 0) request.team_threads = automatic_team(request, profile);
    if (launch.emulated) request.scratch_bytes = scratch.team_bytes;
    if (request.cluster_is_automatic) request.cluster = automatic_cluster(launch, profile);
    launch.emulated &= request.cluster.count() > 1;
    if (!launch.emulated) request.scratch_bytes = asked.scratch_bytes;
    return launch;
  }

  static int active(Simulator const& target, ResolvedSimulation const& launch) {
    long long const size = launch.request.cluster.count();
    bool const allowed = size <= properties_of(target, launch.emulated).largest_portable_cluster ||
                         launch.request.nonportable_size_allowed;
    return allowed ? resident(launch, target.profile(), static_cast<int>(size)) : 0;
  }

  static int largest(Simulator const& target, ResolvedSimulation launch) {
    launch.emulated = emulates(target, launch.request);
    DeviceProperties const properties = properties_of(target, launch.emulated);
    int size = launch.request.nonportable_size_allowed ? properties.largest_nonportable_cluster
                                                       : properties.largest_portable_cluster;
    while (size > 0 && resident(launch, target.profile(), size) == 0) --size;
    return size;
  }

  /// The largest portable power of two that divides the league and is resident. Where software
  /// makes the clusters, and nobody asked for that, one team: a larger one is no gain by itself.
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
