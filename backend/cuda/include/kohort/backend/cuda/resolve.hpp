// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/occupancy.hpp>
#include <kohort/backend/cuda/target.hpp>
#include <kohort/launch_request.hpp>

#include <cuda_runtime.h>

#include <cstdint>

namespace kohort::Impl {

/// A launch with nothing left to AUTO.
struct ResolvedLaunch {
  ClusterShape cluster;
  int threads = 0;
  bool prefers = false;  ///< some clusters have the preferred shape, the others `cluster`
  bool clustered = false;
  bool one_dimensional = false;
};

/// One remembered AUTO choice, in one word: what it was made for, and the choice. A launch with
/// other numbers asks again.
class AutoChoice {
 public:
  static std::uint64_t pack(long long scratch_bytes, int threads, int choice) {
    return static_cast<std::uint64_t>(scratch_bytes) << 24 |
           static_cast<std::uint64_t>(threads) << 12 | static_cast<std::uint64_t>(choice);
  }
  /// 0 if `word` was made for something else.
  static int unpack(std::uint64_t word, long long scratch_bytes, int threads) {
    int const choice = static_cast<int>(word & 0xfff);
    return choice != 0 && word == pack(scratch_bytes, threads, choice) ? choice : 0;
  }
};

/// The threads a team that keep most threads resident, as the driver reckons.
inline int automatic_threads(Kernel const& kernel, int device, LaunchRequest const& request) {
  std::atomic<std::uint64_t>& remembered = kernel.on(device).automatic_team;
  if (int const known = AutoChoice::unpack(remembered.load(), request.scratch_bytes, 0))
    return known;
  OutsideCapture const outside;
  int grid = 0, threads = 0;
  if (prepare(kernel, device, request.scratch_bytes, false) != cudaSuccess ||
      cudaOccupancyMaxPotentialBlockSize(&grid, &threads, kernel.function,
                                         static_cast<std::size_t>(request.scratch_bytes),
                                         request.launch_bounds_threads) != cudaSuccess ||
      threads == 0) {
    cudaGetLastError();
    return 32;  // too much scratch, say: the launch finds out, and its refusal says why
  }
  remembered = AutoChoice::pack(request.scratch_bytes, 0, threads);
  return threads;
}

/// The largest portable power of two that divides the league along x and is resident at least once.
inline int automatic_cluster(KernelFamily const& family, TeamResources const& team, int league_x) {
  std::atomic<std::uint64_t>& remembered =
      family.choose(true, team.one_dimensional).on(team.device).automatic_cluster;
  int most = AutoChoice::unpack(remembered.load(), team.scratch_bytes, team.threads);
  if (most == 0) {
    OutsideCapture const outside;
    most = device_facts(team.device).properties.largest_portable_cluster;
    while (most > 1 && active_clusters(family, team, most) == 0) most /= 2;
    remembered = AutoChoice::pack(team.scratch_bytes, team.threads, most);
  }
  while (most > 1 && league_x % most != 0) most /= 2;
  return most;
}

inline ResolvedLaunch resolve(CudaState const& state, KernelFamily const& family,
                              LaunchRequest const& request) {
  ResolvedLaunch resolved;
  resolved.cluster = request.cluster;
  resolved.one_dimensional =
      is_one_dimensional(request.league) && is_one_dimensional(request.cluster) &&
      (!request.has_preferred_cluster || is_one_dimensional(request.preferred_cluster));
  resolved.threads = request.team_threads;
  if (resolved.threads == 0) {
    Kernel const& kernel = family.choose(!family.has_team_kernel(), resolved.one_dimensional);
    resolved.threads = automatic_threads(kernel, state.device, request);
  }
  if (request.cluster_is_automatic) {
    TeamResources const team{state.device, resolved.threads, request.scratch_bytes,
                             resolved.one_dimensional};
    resolved.cluster = ClusterShape(automatic_cluster(family, team, request.league.x));
  }
  resolved.prefers = request.has_preferred_cluster && state.facts.takes_preferred_cluster;
  resolved.clustered = resolved.cluster.count() > 1 || resolved.prefers;
  return resolved;
}

}  // namespace kohort::Impl
