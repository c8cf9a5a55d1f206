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
  bool emulated = false;  ///< then not clustered
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

/// What a policy's emulated launch needs of memory.
struct EmulatedNeeds {
  long long team_bytes = 0;
  std::size_t first_offset = 0;
  std::size_t block_bytes = 0;
};

template <class Policy>
EmulatedNeeds emulated_needs(LaunchRequest const& request) {
  using Split = SplitScratch<typename Policy::traits>;
  return {static_cast<long long>(Split::team_bytes(request.dynamic_team_count)),
          Split::first_offset, Split::block_bytes(request.dynamic_cluster_count)};
}

/// Teams that each domain holds at once.
inline std::vector<int> emulated_domain_teams(CudaState const& state, int teams_per_sm) {
  std::vector<int> teams = state.emulated.domains();
  if (teams.empty()) teams = {state.facts.properties.sm_count};
  for (int& one : teams) one *= teams_per_sm;
  return teams;
}

/// Teams of the emulated kernel that an SM holds: asked once for each size of a team.
inline int emulated_teams_per_sm(KernelFamily const& family, TeamResources const& team) {
  if (!family.has_emulated_kernel()) return 0;
  std::atomic<std::uint64_t>& remembered = family.emulated.on(team.device).teams_per_sm;
  if (int const known = AutoChoice::unpack(remembered.load(), team.scratch_bytes, team.threads))
    return known;
  OutsideCapture const outside;
  int const teams = teams_per_sm(family.emulated, team);
  if (teams > 0) remembered = AutoChoice::pack(team.scratch_bytes, team.threads, teams);
  return teams;
}

/// Emulated clusters of `size` teams that are resident at once.
inline int active_emulated_clusters(CudaState const& state, KernelFamily const& family,
                                    TeamResources const& team, int size) {
  if (size < 1 || size > largest_emulated_cluster) return 0;
  return resident_emulated_clusters(
      emulated_domain_teams(state, emulated_teams_per_sm(family, team)), size);
}

/// The threads a team that keep most threads resident, as the driver reckons.
inline int automatic_threads(Kernel const& kernel, int device, long long scratch_bytes,
                             int launch_bounds_threads) {
  std::atomic<std::uint64_t>& remembered = kernel.on(device).automatic_team;
  if (int const known = AutoChoice::unpack(remembered.load(), scratch_bytes, 0)) return known;
  OutsideCapture const outside;
  int grid = 0, threads = 0;
  if (prepare(kernel, device, scratch_bytes, false) != cudaSuccess ||
      cudaOccupancyMaxPotentialBlockSize(&grid, &threads, kernel.function,
                                         static_cast<std::size_t>(scratch_bytes),
                                         launch_bounds_threads) != cudaSuccess ||
      threads == 0) {
    cudaGetLastError();
    return 32;  // too much scratch, say: the launch finds out, and its refusal says why
  }
  remembered = AutoChoice::pack(scratch_bytes, 0, threads);
  return threads;
}

/// The largest power of two up to `most` that divides `league_x`.
inline int largest_divisor(int most, int league_x) {
  while (most > 1 && league_x % most != 0) most /= 2;
  return most;
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
  return largest_divisor(most, league_x);
}

/// The same of emulated ones. Where the mode was left to the library too, a cluster of one: what
/// software makes of a larger one is no gain by itself.
inline int automatic_emulated_cluster(CudaState const& state, KernelFamily const& family,
                                      TeamResources const& team, LaunchRequest const& request) {
  if (request.mode != ClusterMode::emulated) return 1;
  int most = largest_portable_emulated_cluster;
  while (most > 1 && active_emulated_clusters(state, family, team, most) == 0) most /= 2;
  return largest_divisor(most, request.league.x);
}

inline ResolvedLaunch resolve(CudaState const& state, KernelFamily const& family,
                              LaunchRequest const& request, EmulatedNeeds const& needs) {
  ResolvedLaunch resolved;
  bool const emulates = resolved_mode(request.mode, state.cluster_mode) == ClusterMode::emulated;
  resolved.cluster = request.cluster;
  resolved.one_dimensional =
      is_one_dimensional(request.league) && is_one_dimensional(request.cluster) &&
      (!request.has_preferred_cluster || is_one_dimensional(request.preferred_cluster));
  resolved.threads = request.team_threads;
  long long const scratch = emulates ? needs.team_bytes : request.scratch_bytes;
  if (resolved.threads == 0) {
    Kernel const& kernel = emulates && family.has_emulated_kernel()
                               ? family.emulated
                               : family.choose(!family.has_team_kernel(), resolved.one_dimensional);
    resolved.threads =
        automatic_threads(kernel, state.device, scratch, request.launch_bounds_threads);
  }
  if (request.cluster_is_automatic) {
    TeamResources const team{state.device, resolved.threads, scratch, resolved.one_dimensional};
    resolved.cluster =
        ClusterShape(emulates ? automatic_emulated_cluster(state, family, team, request)
                              : automatic_cluster(family, team, request.league.x));
  }
  resolved.emulated = emulates && resolved.cluster.count() > 1;
  resolved.prefers =
      request.has_preferred_cluster && state.facts.takes_preferred_cluster && !emulates;
  resolved.clustered = !resolved.emulated && (resolved.cluster.count() > 1 || resolved.prefers);
  return resolved;
}

}  // namespace kohort::Impl
