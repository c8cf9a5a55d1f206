// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/finding.hpp>
#include <kohort/simulator/profile.hpp>
#include <kohort/simulator/schedule.hpp>
#include <kohort/simulator/thread.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kohort::simulator {

class Observer;

/// A scratch object of the policy, for reports.
struct ScratchObject {
  char const* name = "";   ///< "cluster_scratch", …
  std::size_t offset = 0;  ///< in the padded block
  std::size_t bytes = 0;
  std::size_t element_bytes = 1;
  bool is_mapped = false;  ///< peers can map it
};

/// What a launch is watched for (docs/guide/checking.md).
enum class Mode : std::uint8_t { run, check };
/// @throws std::invalid_argument that lists the modes.
Mode parse_mode(std::string const& text);

/// What becomes of an access at fault: the launch throws it; it is printed on stderr, and the
/// process ends; or it is printed, and the launch goes on. Other faults are always thrown.
enum class OnFault : std::uint8_t { throws, aborts, logs };
/// @throws std::invalid_argument that lists the three.
OnFault parse_on_fault(std::string const& text);

/// What atomics and fences of cluster scope reach: the hardware cluster; or in a launch of software
/// clusters, whose teams are clusters of one to the engine, the teams of the same software cluster
/// that share a cache: an SM group's, or the device's.
enum class ClusterScopeReach : std::uint8_t { cluster, group, device };

/// A launch as plain numbers; the caller has made sure that it fits the device.
struct LaunchShape {
  std::string label;
  int league[3] = {1, 1, 1};
  int cluster[3] = {1, 1, 1};
  int preferred[3] = {0, 0, 0};          ///< zeros: none
  int threads = 1;                       ///< of a team
  std::size_t scratch_bytes = 0;         ///< of a team, as a device counts them
  std::size_t padded_scratch_bytes = 0;  ///< with the gaps between objects that show overruns
  std::size_t scratch_alignment = 16;
  std::vector<ScratchObject> scratch_objects = {};
  bool manual_lifetime = false;
  ClusterScopeReach cluster_scope = ClusterScopeReach::cluster;
  bool is_instrumented = false;  ///< the kernel's unit was compiled for check mode
};

struct EngineOptions {
  Mode mode = Mode::run;
  OnFault on_fault = OnFault::throws;
  DeviceProfile const* profile = nullptr;
  Schedule schedule;
  int workers = 0;              ///< 0: one a core
  std::size_t stack_bytes = 0;  ///< of a simulated thread; 0: 64 KiB
  std::string trace_path;       ///< a Chrome trace of the placement, unless empty
  std::vector<Observer*> observers;
};

/// What a launch did, counted and not estimated.
struct LaunchCounts {
  long long clusters = 0;
  long long teams = 0;
  long long threads = 0;
  long long team_barriers = 0;       ///< of a team, the largest
  long long cluster_barriers = 0;    ///< of a cluster, the largest, without the launcher's guards
  long long guard_barriers = 0;      ///< of a cluster: the launcher's
  long long subgroup_exchanges = 0;  ///< shuffles, ballots and subgroup barriers, by tile
  long long global_atomics = 0;      ///< on memory outside scratch, all threads
  long long team_atomics = 0;        ///< on one's own team's scratch
  long long remote_atomics = 0;      ///< on a peer's scratch
  long long scratch_bytes = 0;       ///< allocated, a team
  long long scratch_bytes_used = 0;  ///< written, the largest of a team
  long long resident_limit = 0;      ///< clusters at once
  long long switches = 0;            ///< between simulated threads
  long long transfers = 0;           ///< async copies begun; a multicast is one
  long long multicasts = 0;          ///< of these
  long long bytes_to_scratch = 0;    ///< that copies fetch from device memory, a multicast's once
  long long bytes_from_scratch = 0;  ///< that stores bring to device memory
  long long bytes_pushed = 0;        ///< to peers' scratch
  long long phased_waits = 0;        ///< for phased barriers, by thread
  long long multiply_adds = 0;       ///< of matrix products
};

/// `own` is null where the engine calls it: the caller's, for calls of its own.
using ThreadFunction = void (*)(void const* functor, Thread& thread, void* own);

/// Runs every thread of the league. @throws Finding for the first cluster, in league order, that a
/// fault was diagnosed in; the clusters before it have ended.
LaunchCounts launch(LaunchShape const& shape, EngineOptions const& options, ThreadFunction function,
                    void const* functor);

/// Ends the replay line of reports, such as "--gtest_filter=Ring.Exchanges". Process-wide.
void set_replay_arguments(std::string arguments);

}  // namespace kohort::simulator
