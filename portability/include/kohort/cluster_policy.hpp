// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/launch_error.hpp>
#include <kohort/member.hpp>
#include <kohort/policy_traits.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace kohort {
namespace Impl {

/// Backend seam of the questions before a launch:
///   static int max_cluster_size(Policy, Functor)
///   static int max_active_clusters(Policy, Functor)
///   static Support validate(Policy, Functor)
template <class Target>
struct Residency;

}  // namespace Impl

/// A league of teams in co-resident clusters.
///
/// @tparam Target  where it runs: kohort::Simulator, kohort::Cuda.
/// @tparam Traits  ClusterDims, TeamScratch, ClusterScratch, DynamicTeamScratch,
///                 DynamicClusterScratch, LaunchBounds, ManualLifetime, in any order.
template <class Target, class... Traits>
class ClusterPolicy {
  static_assert(Impl::backend_is_available<Target>, KOHORT_NO_BACKEND_SENTENCE);
  using stored_target =
      std::conditional_t<Impl::backend_is_available<Target>, Target, Impl::NoBackend>;

 public:
  using target_type = Target;
  using traits = Impl::PolicyTraits<Traits...>;
  using layout = Impl::LayoutOf<traits>;
  using member_type = ClusterMember<Target, traits>;

  /// `league` counts teams, `team` counts threads of a team. The cluster's shape is ClusterDims,
  /// or one team.
  ClusterPolicy(Target const& target, League league, TeamSize team)
      : ClusterPolicy(target, league, team, traits::static_shape) {}

  /// A shape at run time; it must agree with ClusterDims where both are given.
  ClusterPolicy(Target const& target, League league, TeamSize team, ClusterShape cluster)
      : target_(target) {
    request_.league = league;
    request_.cluster = cluster;
    request_.team_threads = team.threads;
    request_.launch_bounds_threads = traits::launch_bounds_threads;
    request_.has_static_cluster = traits::has_static_shape;
    request_.static_cluster = traits::static_shape;
    request_.manual_lifetime = traits::manual_lifetime;
    request_.scratch_bytes = static_cast<long long>(layout::bytes(0, 0));
  }

  /// The library chooses the shape: the largest portable power of two along x that divides the
  /// league and of which at least one cluster is resident.
  ClusterPolicy(Target const& target, League league, TeamSize team, AutoType)
      : ClusterPolicy(target, league, team) {
    request_.cluster_is_automatic = !traits::has_static_shape;
  }

  /// Accepts clusters over the portable size (8 on NVIDIA), as large as the device has.
  ClusterPolicy& allow_nonportable_size() {
    request_.nonportable_size_allowed = true;
    return *this;
  }

  /// Clusters of `shape` where the device has room, of `fallback` elsewhere: cluster_size() then
  /// varies within the league.
  ClusterPolicy& prefer(ClusterShape shape, ClusterShape fallback) {
    static_assert(!traits::has_static_shape,
                  "prefer() varies the cluster's size within a league: leave out ClusterDims");
    request_.has_preferred_cluster = true;
    request_.preferred_cluster = shape;
    request_.cluster = fallback;
    return *this;
  }

  /// The kernel may begin while the one before it in the stream still ends, where the device can do
  /// that: then it reads and writes no device memory that earlier work touches before
  /// member.wait_for_previous(). Hides a launch's cost behind the end of the kernel before, if that
  /// one calls member.allow_next().
  ClusterPolicy& begin_early() {
    request_.begins_early = true;
    return *this;
  }

  /// How clusters are made; emulated ones are for devices that have none, and for comparison.
  ClusterPolicy& mode(ClusterMode mode) {
    request_.mode = mode;
    return *this;
  }

  /// How emulated clusters come by their tasks. Hardware clusters are begun by the device.
  ClusterPolicy& task_handout(TaskHandout handout) {
    request_.handout = handout;
    return *this;
  }

  /// Elements of the DynamicTeamScratch array.
  ClusterPolicy& dynamic_team_scratch(int count) {
    static_assert(layout::has_dynamic_team, "the policy has no DynamicTeamScratch trait");
    return set_dynamic_counts(count, request_.dynamic_cluster_count);
  }

  /// Elements of the DynamicClusterScratch array of each team.
  ClusterPolicy& dynamic_cluster_scratch(int count) {
    static_assert(layout::has_dynamic_cluster, "the policy has no DynamicClusterScratch trait");
    return set_dynamic_counts(request_.dynamic_team_count, count);
  }

  Target const& target() const { return target_; }
  Impl::LaunchRequest const& request() const { return request_; }

  /// The largest cluster, in teams, that this launch could have; 0 when no team fits.
  template <class Functor>
  int max_cluster_size(Functor const& functor) const {
    return Impl::Residency<Target>::max_cluster_size(*this, functor);
  }

  /// Clusters of this shape that are resident at once: the size of a persistent league.
  template <class Functor>
  int max_active_clusters(Functor const& functor) const {
    return Impl::Residency<Target>::max_active_clusters(*this, functor);
  }

  /// Whether a launch would be accepted, without launching.
  template <class Functor>
  Support validate(Functor const& functor) const {
    return Impl::Residency<Target>::validate(*this, functor);
  }

 private:
  ClusterPolicy& set_dynamic_counts(int team_count, int cluster_count) {
    if (team_count < 0 || cluster_count < 0)
      throw std::invalid_argument("kohort: a dynamic scratch array has 0 elements or more, not " +
                                  std::to_string(std::min(team_count, cluster_count)));
    request_.dynamic_team_count = team_count;
    request_.dynamic_cluster_count = cluster_count;
    request_.scratch_bytes = static_cast<long long>(layout::bytes(team_count, cluster_count));
    return *this;
  }

  stored_target target_;
  Impl::LaunchRequest request_;
};

}  // namespace kohort
