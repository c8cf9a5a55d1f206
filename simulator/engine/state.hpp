// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/launch.hpp>
#include <kohort/simulator/observer.hpp>
#include <kohort/simulator/operations.hpp>
#include <kohort/simulator/placement.hpp>

#include "../fiber/context.hpp"
#include "../fiber/stack_pool.hpp"
#include "../memory/arena.hpp"
#include "../schedule/scheduler.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kohort::simulator {

class ClusterCheck;
struct ClusterState;
class LaunchState;
struct TransferTable;
struct WarpgroupMeetings;
struct Worker;

/// What keeps a simulated thread from running. `nothing` notes no reason: the thread runs, or is
/// ready, or else waits at a team barrier (block_at_team_barrier()); `team_barrier` is noted of the
/// thread alone whose arrival shows that the barrier can't complete.
enum class Waiting : std::uint8_t {
  not_started,
  nothing,
  team_barrier,
  named_barrier,
  cluster_barrier,
  exchange,
  transfer_barrier,
  stores,
  product,
  spin,
  returned
};

/// The lanes of a tile that have come to an exchange.
struct Rendezvous {
  int arrived = 0;
  int lanes = 0;
  ExchangeKind kind = ExchangeKind::barrier;
  std::size_t bytes = 0;
  Site site;
};

/// The first cache line is all that a pass through a team barrier touches.
struct alignas(64) ThreadState : Thread {
  int index = 0;              ///< in the cluster
  Context context = nullptr;  ///< null: it has no fiber yet
  /// From its first wait on; a fiber that no thread of a cluster uses any more is kept here as
  /// well.
  Stack stack;
  std::uint32_t cluster_phase = 0;  ///< in which it arrived at the cluster barrier
  Waiting waiting = Waiting::not_started;
  ClusterBarrierKind cluster_barrier_kind = ClusterBarrierKind::inner;
  bool owes_cluster_wait = false;  ///< arrived at the cluster barrier, has not waited yet
  std::uint8_t named_barrier = 0;
  int idle_atomics = 0;                ///< in a row that changed nothing
  std::uint32_t cluster_arrivals = 0;  ///< inner ones, so far

  Site site;                             ///< of what it waits for, or of its last cluster arrival
  void const* atomic_address = nullptr;  ///< of the operation that it is in
  AtomicAccess atomic_access;
  void const* sent = nullptr;
  void* received = nullptr;
  int argument = 0;
};

struct NamedBarrier {
  int arrived = 0;
  int expected = 0;
  Site site;
};

struct TeamState : Team {
  int first = 0;    ///< index of its thread 0 in the cluster
  int arrived = 0;  ///< at the team barrier
  /// While `arrived` is below this, one more arrival is neither the first nor the last, nor one
  /// after which nobody else can come, nor watched.
  int ordinary_below = 0;
  int returned = 0;                        ///< threads
  Site site;                               ///< of the team barrier's first arrival
  std::uint32_t cluster_site_phase = ~0U;  ///< for which cluster_site holds
  Site cluster_site;                       ///< of the team's first arrival at the cluster barrier
  long long barriers = 0;                  ///< completed
  int highest_named = 0;
  std::array<NamedBarrier, 16> named;
  std::vector<Rendezvous> meetings;  ///< empty until the first exchange (exchange.cpp)
};

/// How a run of a cluster's fibers ended.
enum class RunResult { finished, stuck, faulted };

/// How far ahead of the running thread the next ones' stacks are fetched (switching.hpp).
inline constexpr int switches_ahead = 2;

struct ClusterState : Cluster {
  LaunchState* launch = nullptr;
  Worker* worker = nullptr;
  ExceptionState* exceptions = nullptr;  ///< the worker's
  bool observed = false;                 ///< somebody listens to events
  ClusterCheck* check = nullptr;         ///< in check mode
  bool ends_teams_early = false;         ///< ManualLifetime: a whole team may leave before others
  int slot = 0;
  int live = 0;          ///< threads that have not returned
  int first_thread = 0;  ///< that ran
  int team_threads = 0;

  Context main = nullptr;  ///< of the worker, while fibers run
  RunResult result = RunResult::finished;

  int barrier_arrived = 0;
  int barrier_expected = 0;  ///< threads of teams that have not left
  std::uint32_t barrier_phase = 0;
  ClusterBarrierKind barrier_kind = ClusterBarrierKind::entry;
  int barrier_first = 0;  ///< the thread that arrived first in this phase
  long long inner_barriers = 0;
  long long guard_barriers = 0;

  std::uint64_t progress = 0;        ///< steps that may have changed what others wait for
  std::uint64_t other_switches = 0;  ///< that no sweep of the scheduler made
  /// Steps of a sweep from a thread that returned to one that starts: no switches.
  std::uint64_t swept_starts = 0;
  int spinning = 0;  ///< threads that wait in a spin
  std::uint64_t progress_at_last_retry = ~std::uint64_t{0};

  std::vector<TeamState> teams;
  /// The last `switches_ahead` are nobody's: looking ahead needs no bounds.
  std::vector<ThreadState> thread_storage;
  std::span<ThreadState> threads;
  Scheduler scheduler;
  Arena arena;
  std::unique_ptr<Finding> finding;
  std::unique_ptr<ClusterCheck> owned_check;
  std::unique_ptr<TransferTable> transfers;       ///< null until the kernel's first use of one
  std::unique_ptr<WarpgroupMeetings> warpgroups;  ///< the same for products

  ClusterState();
  ~ClusterState();
  std::uint64_t switches() const { return scheduler.swept() + other_switches - swept_starts; }
  /// threads is a span: const here is the cluster's, not its threads'.
  ThreadState& current() const { return threads[static_cast<std::size_t>(scheduler.running())]; }
  ThreadState& thread(int index) { return threads[static_cast<std::size_t>(index)]; }
  TeamState& team_of(ThreadState const& thread) { return static_cast<TeamState&>(*thread.team); }
};

inline ClusterState& cluster_of(ThreadState const& thread) {
  return static_cast<ClusterState&>(*thread.team->cluster);
}
inline ThreadState& state_of(Thread& thread) { return static_cast<ThreadState&>(thread); }

inline bool same_site(Site const& left, Site const& right) {
  return left.line == right.line &&
         (left.file == right.file || __builtin_strcmp(left.file, right.file) == 0);
}

}  // namespace kohort::simulator
