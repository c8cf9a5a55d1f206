// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/launch.hpp>
#include <kohort/simulator/operations.hpp>
#include <kohort/simulator/placement.hpp>
#include <kohort/simulator/transfers.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kohort::simulator {

/// An access that a detector found at fault.
struct AccessFaultEvent {
  char const* id = "";
  void const* address = nullptr;
  bool writes = false;
  bool is_atomic = false;
  /// Of a fault with two sides, the earlier access's thread; -1 where there is none.
  int earlier_cluster = -1;
  int earlier_team = -1;
  int earlier_thread = -1;
  /// Whose access it is: not the running thread's where a team's end found it.
  int team = 0;
  int thread = 0;
  int peer = -1;  ///< the team whose memory it is, for faults of lifetime
};

/// Watches a launch. Hooks of different clusters are called at the same time from different
/// workers; those of one cluster never are. A detector is an observer in a file of its own.
class Observer {
 public:
  virtual ~Observer();
  virtual void launch_started(LaunchShape const&, EngineOptions const&, long long /*clusters*/) {}
  virtual void cluster_started(Cluster const&, int /*slot*/, std::vector<TeamPlace> const&) {}
  virtual void thread_started(Thread const&) {}
  virtual void team_barrier_arrived(Thread const&, Site) {}
  virtual void team_barrier_completed(Team const&) {}
  virtual void cluster_barrier_arrived(Thread const&, ClusterBarrierKind, Site) {}
  virtual void cluster_barrier_completed(Cluster const&) {}
  virtual void exchange_completed(Thread const& /*last*/, Exchange const&) {}
  virtual void atomic_accessed(Thread const&, void const* /*address*/, Site) {}
  /// In check mode: an access at fault, by the thread that runs. Called for every one of them,
  /// while the report counts those of the same lines.
  virtual void access_fault(Thread const&, AccessFaultEvent const&) {}
  /// Whether it is told of every instrumented access in check mode, which takes time.
  virtual bool wants_memory() const { return false; }
  /// Device memory that a copy touches: of a multicast, each slice once, and in software clusters
  /// once for each that receives it. If some observer wants it, also what an instrumented access
  /// touches in check mode, atomics left out.
  virtual void memory_accessed(Thread const&, void const* /*address*/, std::size_t /*bytes*/,
                               bool /*writes*/) {}
  /// The same of a tile transfer: those elements of the box at `at` that are in the tensor.
  virtual void box_accessed(Thread const&, Tile const&, int const* /*at*/, bool /*writes*/) {}
  virtual void thread_returned(Thread const&) {}
  /// `steps`: switches between threads plus threads run, the engine's own measure of length.
  virtual void cluster_ended(Cluster const&, std::uint64_t /*steps*/) {}
  virtual void launch_ended(LaunchCounts const&) {}
};

/// Writes what happened as text, cluster after cluster: the same bytes for any number of workers,
/// if no cluster waits for another through global memory (how often it polls depends on the other).
class EventLog : public Observer {
 public:
  EventLog();
  ~EventLog() override;
  std::string text() const;

  void launch_started(LaunchShape const&, EngineOptions const&, long long clusters) override;
  void cluster_started(Cluster const&, int slot, std::vector<TeamPlace> const&) override;
  void thread_started(Thread const&) override;
  void team_barrier_arrived(Thread const&, Site) override;
  void team_barrier_completed(Team const&) override;
  void cluster_barrier_arrived(Thread const&, ClusterBarrierKind, Site) override;
  void cluster_barrier_completed(Cluster const&) override;
  void exchange_completed(Thread const&, Exchange const&) override;
  void atomic_accessed(Thread const&, void const*, Site) override;
  void thread_returned(Thread const&) override;
  void cluster_ended(Cluster const&, std::uint64_t steps) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes a Chrome trace of where clusters ran: a track a block slot, grouped by SM group. Time is
/// the engine's steps laid out as if every slot ran at once; it predicts nothing.
class PlacementTrace : public Observer {
 public:
  explicit PlacementTrace(std::string path);
  ~PlacementTrace() override;

  void launch_started(LaunchShape const&, EngineOptions const&, long long clusters) override;
  void cluster_started(Cluster const&, int slot, std::vector<TeamPlace> const&) override;
  void cluster_ended(Cluster const&, std::uint64_t steps) override;
  void launch_ended(LaunchCounts const&) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kohort::simulator
