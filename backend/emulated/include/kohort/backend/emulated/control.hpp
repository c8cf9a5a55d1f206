// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/launch_request.hpp>
#include <kohort/macros.hpp>

#include <cstddef>
#include <cstdint>

/// Functions of emulated clusters that a kernel calls in many places: inlined on devices, where the
/// form is a constant, and calls on the simulator, where it is not and every kernel would carry
/// them.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define KOHORT_EMULATED_FUNCTION KOHORT_FUNCTION
#else
#define KOHORT_EMULATED_FUNCTION __attribute__((noinline))
#endif

/// What the teams of an emulated launch share in device memory. All of it is zero between launches:
/// who leaves last clears it (cluster.hpp, run.hpp), so that a launch needs no help of the host,
/// and a graph can replay it.
namespace kohort::Impl {

/// One resident cluster's. Alone on its cache lines: its members poll it.
struct alignas(128) ClusterLine {
  unsigned arrivals = 0;        ///< of subgroups at the cluster barrier, since the launch began
  unsigned turnovers = 0;       ///< under ManualLifetime: of teams between tasks
  unsigned gone = 0;            ///< teams that have left the launch
  int next[2] = {};             ///< the task after this one; by turns
  std::uint64_t stays[2] = {};  ///< under ManualLifetime, of one task: arrivals, and from bit 48 on
                                ///< the subgroups that have left it; by turns
};

/// One domain's.
struct alignas(128) DomainLine {
  unsigned joined = 0;  ///< tickets taken
  unsigned head = 0;    ///< tasks handed out of the domain's queue, beyond one a cluster
};

/// The launch's.
struct alignas(128) LaunchLine {
  unsigned joined = 0;  ///< teams with a ticket
  unsigned gone = 0;    ///< teams that are done
  unsigned head = 0;    ///< tasks handed out, beyond one a cluster
};

/// A team's place in the software cluster that it became a rank of.
struct Seat {
  int cluster = -1;  ///< among the launch's; -1: it found no room in one, and stands aside
  int clusters = 0;  ///< of the launch
  int rank = 0;
  int key = 0;              ///< its domain's
  int in_domain = 0;        ///< the cluster's number in its domain
  int domain_clusters = 0;  ///< and how many those are
  int before = 0;           ///< clusters of domains with lower keys
};

/// An emulated launch as its teams are told of it.
struct EmulatedLaunch {
  int league[3] = {1, 1, 1};   ///< teams
  int cluster[3] = {1, 1, 1};  ///< teams
  int size = 1;                ///< teams of a cluster
  int tasks = 0;               ///< clusters of the league
  int workers = 0;             ///< teams that were launched: all are resident together
  int keys = 1;                ///< domains have keys below; 1: a team's number tells its rank
  TaskHandout handout = TaskHandout::fixed;
  unsigned block_bytes = 0;    ///< of a team's block in the arena
  unsigned first_offset = 0;   ///< of the policy's scratch, what the block begins with
  std::byte* arena = nullptr;  ///< blocks of cluster after cluster, rank after rank
  std::byte* control = nullptr;
  /// With several domains: where a team's threads read the seat that one of them has found. Not in
  /// the control memory, whose every byte is zero between launches of any shape.
  Seat* seats = nullptr;
  /// Keys by the place (SM) that a team runs on, where the host divides the device; null where the
  /// hardware tells.
  int const* domain_of_place = nullptr;

  KOHORT_FUNCTION LaunchLine& launch_line() const {
    return *reinterpret_cast<LaunchLine*>(control);
  }
  KOHORT_FUNCTION DomainLine& domain_line(int key) const {
    return reinterpret_cast<DomainLine*>(control + sizeof(LaunchLine))[key];
  }
  KOHORT_FUNCTION ClusterLine& cluster_line(int cluster) const {
    return reinterpret_cast<ClusterLine*>(control + sizeof(LaunchLine) +
                                          sizeof(DomainLine) * keys)[cluster];
  }
  KOHORT_FUNCTION std::byte* block(int cluster, int rank) const {
    return arena + (static_cast<std::size_t>(cluster) * size + rank) * block_bytes;
  }
};

/// Bytes of control memory for so many domains and resident clusters.
constexpr std::size_t control_bytes(int keys, int clusters) {
  return sizeof(LaunchLine) + sizeof(DomainLine) * static_cast<std::size_t>(keys) +
         sizeof(ClusterLine) * static_cast<std::size_t>(clusters);
}

}  // namespace kohort::Impl
