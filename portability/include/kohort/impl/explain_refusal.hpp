// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/launch_error.hpp>

#include <algorithm>

namespace kohort::Impl {

inline std::string times(Extents const& extents) {
  return std::to_string(extents.x) + "×" + std::to_string(extents.y) + "×" +
         std::to_string(extents.z);
}

inline std::string describe(LaunchRequest const& request) {
  std::string text = "league " + times(request.league) + ", cluster ";
  text += request.cluster_is_automatic ? std::string("AUTO") : times(request.cluster);
  text += request.team_threads == 0 ? std::string(", AUTO threads")
                                    : ", " + std::to_string(request.team_threads) + " threads";
  text += ", " + std::to_string(request.scratch_bytes) + " B scratch a team";
  if (request.mode == ClusterMode::native) text += ", mode native";
  if (request.mode == ClusterMode::emulated) text += ", mode emulated";
  return text;
}

inline Support refused(std::string limit, std::string would_work) {
  return Support{false, limit, limit, std::move(would_work)};
}

inline bool divides(Extents const& part, Extents const& whole) {
  return whole.x % part.x == 0 && whole.y % part.y == 0 && whole.z % part.z == 0;
}

/// The nearest league below and above of which every extent is a multiple of the cluster's.
inline std::string league_that_fits(LaunchRequest const& request) {
  auto const down = [](int whole, int part) { return std::max(whole / part, 1) * part; };
  auto const up = [](int whole, int part) { return (whole + part - 1) / part * part; };
  ClusterShape const c = request.cluster;
  Extents const l = request.league;
  Extents const below{down(l.x, c.x), down(l.y, c.y), down(l.z, c.z)};
  Extents const above{up(l.x, c.x), up(l.y, c.y), up(l.z, c.z)};
  if (divides(c, l) || !divides(c, below) || below.count() > l.count())
    return "a league of " + times(above);
  return "a league of " + times(below) + " or " + times(above);
}

inline Support explain_extents(LaunchRequest const& request) {
  Extents const l = request.league;
  ClusterShape const c = request.cluster;
  if (l.x < 1 || l.y < 1 || l.z < 1)
    return refused("every extent of a league is at least 1", "a league of 1 team or more");
  if (c.x < 1 || c.y < 1 || c.z < 1)
    return refused("every extent of a cluster is at least 1", "a cluster of 1 team or more");
  if (l.count() > 2147483647LL)
    return refused("a league has at most 2147483647 teams", "a smaller league whose teams loop");
  // The grid limits of CUDA, kept on every target so that one source runs on all of them.
  if (l.y > 65535 || l.z > 65535)
    return refused("a league's second and third extents are at most 65535",
                   "the long extent first");
  if (request.has_static_cluster && !(request.static_cluster == c))
    return refused(
        "the run-time shape must agree with ClusterDims<" +
            std::to_string(request.static_cluster.x) + "," +
            std::to_string(request.static_cluster.y) + "," +
            std::to_string(request.static_cluster.z) + ">",
        "cluster " + times(request.static_cluster) + ", or a policy without ClusterDims");
  if (!divides(c, l))
    return refused("every league extent must be a multiple of the cluster's extent",
                   league_that_fits(request));
  if (request.has_preferred_cluster &&
      (!divides(c, request.preferred_cluster) || !divides(request.preferred_cluster, l)))
    return refused("a preferred cluster is a multiple of its fallback and divides the league",
                   "prefer() with shapes of which each divides the next");
  return {};
}

inline Support explain_team(LaunchRequest const& request, DeviceProperties const& properties,
                            ResidencyQueries const& queries) {
  int const threads = request.team_threads;
  if (threads < 0)
    return refused("a team has at least 1 thread",
                   "1 to " + std::to_string(properties.max_team_size) + " threads");
  if (request.launch_bounds_threads > 0 && threads > request.launch_bounds_threads)
    return refused("LaunchBounds promises at most " +
                       std::to_string(request.launch_bounds_threads) + " threads a team",
                   std::to_string(request.launch_bounds_threads) + " threads, or larger bounds");
  if (threads > properties.max_team_size)
    return refused("a team has at most " + std::to_string(properties.max_team_size) + " threads",
                   std::to_string(properties.max_team_size) + " threads and more teams");
  if (threads > queries.max_team_threads)
    return refused("this kernel's registers allow at most " +
                       std::to_string(queries.max_team_threads) + " threads a team",
                   std::to_string(queries.max_team_threads) + " threads, or LaunchBounds<" +
                       std::to_string(threads) + ">");
  if (request.scratch_bytes > properties.max_team_scratch_bytes)
    return refused(
        "a team has at most " + std::to_string(properties.max_team_scratch_bytes) + " B of scratch",
        "the object spread over a larger cluster, or a smaller one");
  return {};
}

/// "cluster 8 (15 resident at once)" for the largest size up to `most` that fits.
inline std::string cluster_that_fits(ResidencyQueries const& queries, int most) {
  for (int size = most; size >= 1; size /= 2) {
    int const resident = queries.max_active_clusters(size);
    if (resident > 0)
      return "cluster " + std::to_string(size) + " (" + std::to_string(resident) +
             " resident at once)";
  }
  return "less scratch or fewer threads a team: not even one team fits";
}

inline std::string nonportable_alternative(LaunchRequest const& request,
                                           DeviceProperties const& properties,
                                           ResidencyQueries const& queries) {
  int const size = static_cast<int>(request.cluster.count());
  int const resident = queries.max_active_clusters(size);
  if (resident == 0) return "";
  std::string text = ", or " + std::to_string(size) + " with allow_nonportable_size() (" +
                     std::to_string(resident) + " resident";
  int const used = resident * size;
  if (used < properties.sm_count)
    text += "; " + std::to_string(properties.sm_count - used) + " of " +
            std::to_string(properties.sm_count) + " SMs stand idle";
  return text + ")";
}

inline Support explain_cluster(LaunchRequest const& request, DeviceProperties const& properties,
                               ResidencyQueries const& queries) {
  long long const size = request.cluster.count();
  int const portable = properties.largest_portable_cluster;
  int const largest = properties.largest_nonportable_cluster;
  if (size > 1 && !queries.why_not_emulated.empty())
    return refused(queries.why_not_emulated, queries.would_be_emulated);
  if (size > 1 && largest <= 1)
    return refused(properties.device + " has no thread-block clusters",
                   "a cluster of 1, or ClusterMode::automatic, which emulates clusters there");
  if (size > largest) {
    bool const only_portable = !request.nonportable_size_allowed && portable < largest;
    std::string fits = cluster_that_fits(queries, only_portable ? std::max(portable, 1) : largest);
    if (only_portable)
      fits += ", or up to " + std::to_string(largest) + " with allow_nonportable_size()";
    return refused("this device's largest cluster is " + std::to_string(largest) + " teams", fits);
  }
  if (size > portable && !request.nonportable_size_allowed)
    return refused("a cluster over " + std::to_string(portable) + " needs allow_nonportable_size()",
                   cluster_that_fits(queries, portable) +
                       nonportable_alternative(request, properties, queries));
  if (queries.max_active_clusters(static_cast<int>(size)) == 0)
    return refused(properties.cluster_mode == ClusterMode::emulated
                       ? "no domain has room for one such cluster at once"
                       : "no group of SMs has room for one such cluster at once",
                   cluster_that_fits(queries, static_cast<int>(size)));
  return {};
}

inline Support explain(LaunchRequest const& request, DeviceProperties const& properties,
                       ResidencyQueries const& queries) {
  if (Support extents = explain_extents(request); !extents) return extents;
  if (Support team = explain_team(request, properties, queries); !team) return team;
  return explain_cluster(request, properties, queries);
}

}  // namespace kohort::Impl
