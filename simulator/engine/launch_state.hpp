// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "state.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace kohort::simulator {

class LaunchCheck;
class WatchedWorker;

/// Where a cluster lies in the league, and how large it is.
struct ClusterPlan {
  int origin[3];
  int extents[3];
};

/// Enumerates a league's clusters; with a preferred shape, sizes vary by the device's room.
class LeaguePlan {
 public:
  LeaguePlan(LaunchShape const& shape, DeviceProfile const& profile, int teams_per_sm);
  long long size() const { return size_; }
  ClusterPlan cluster(long long index) const;
  int largest_cluster() const { return largest_; }
  /// With a preferred shape: clusters that fill the device, in the order of a Placement's slots;
  /// otherwise 0.
  int wave() const { return wave_; }

 private:
  void plan_preferred(LaunchShape const& shape, DeviceProfile const& profile, int teams_per_sm);

  int extents_[3];
  int clusters_[3];
  long long size_ = 0;
  int largest_ = 1;
  int wave_ = 0;
  std::vector<ClusterPlan> varied_;
};

/// What all workers of a launch share.
class LaunchState {
 public:
  LaunchState(LaunchShape const& shape, EngineOptions const& options, ThreadFunction function,
              void const* functor);
  ~LaunchState();

  LaunchShape const& shape() const { return shape_; }
  EngineOptions const& options() const { return options_; }
  LeaguePlan const& plan() const { return plan_; }
  Placement const& placement() const { return placement_; }
  StackPool& stacks() const { return stacks_; }
  /// OS threads that run clusters.
  int workers() const { return worker_count_; }
  /// Null in run mode.
  LaunchCheck* check() const { return check_.get(); }
  bool observed() const { return !observers_.empty(); }
  /// Clusters that are resident at once.
  int resident_limit() const { return static_cast<int>(slot_taken_.size()); }
  std::vector<Observer*> const& observers() const { return observers_; }
  void call(Thread& thread) const { function_(functor_, thread, nullptr); }

  /// The next cluster that may start now and its slot; index -1: none now, -2: none ever again.
  struct Start {
    long long index;
    int slot;
  };
  Start try_start();
  /// `cluster` left its slot.
  void ended(ClusterState const& cluster);
  void faulted(ClusterState& cluster);
  /// An access fault that ends nothing.
  void log(Finding const& finding);

  bool is_stopping() const { return stop_after_.load(std::memory_order_relaxed) < plan_.size(); }
  /// Nobody goes on any more: notes, before the first cluster is dropped, whether others wait for
  /// its slot.
  void give_up();
  bool has_given_up() const { return has_given_up_.load(); }
  /// Whether clusters waited for a slot while every slot was taken, when the launch gave up.
  bool waits_for_room();
  /// Clusters that have started so far.
  long long started();

  /// Progress that clusters made, as seen by workers whose own are stuck.
  std::uint64_t progress() const { return progress_.load(std::memory_order_acquire); }
  void add_progress(std::uint64_t steps) { progress_.fetch_add(steps, std::memory_order_acq_rel); }
  void change_stuck_clusters(int change) { stuck_clusters_ += change; }
  /// Whether a worker without clusters of its own may get one later.
  bool more_may_start();

  /// A worker that swept its stuck clusters in vain `sweeps` times at `progress`.
  /// @return whether every worker has, often enough: nobody will ever go on
  bool nobody_goes_on(int worker, std::uint64_t progress, int sweeps);
  void worker_came(int worker);
  void worker_left(int worker);

  void add(LaunchCounts const& counts);
  LaunchCounts const& counts() const { return counts_; }
  std::unique_ptr<Finding> take_finding() { return std::move(finding_); }

  void note_communication() { communicates_.store(true, std::memory_order_relaxed); }
  bool communicates() const { return communicates_.load(std::memory_order_relaxed); }

  /// The replay schedule for a fault in `cluster`; -1: of the whole launch.
  std::string replay_schedule(ClusterState const* cluster) const;

  static constexpr int sweeps_before_giving_up = 2000;

 private:
  /// A free slot for the next cluster, or -1: its own, or any when clusters wait for each other.
  int free_slot() const;

  struct WorkerView {
    std::uint64_t progress = ~std::uint64_t{0};
    int sweeps = 0;
    bool left = true;
  };
  LaunchShape shape_;
  EngineOptions options_;
  ThreadFunction function_;
  void const* functor_;
  int teams_per_sm_;
  LeaguePlan plan_;
  Placement placement_;
  StackPool& stacks_;
  int worker_count_;
  std::unique_ptr<LaunchCheck> check_;
  std::vector<std::unique_ptr<Observer>> owned_observers_;
  std::vector<Observer*> observers_;

  std::mutex mutex_;
  long long next_ = 0;
  int resident_ = 0;
  std::vector<bool> slot_taken_;
  int first_slot_;
  std::atomic<long long> stop_after_;
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<int> stuck_clusters_{0};
  std::atomic<bool> communicates_{false};
  std::atomic<bool> has_given_up_{false};
  bool waits_for_room_ = false;
  std::vector<WorkerView> workers_;
  std::unique_ptr<Finding> finding_;
  long long finding_cluster_ = -1;
  LaunchCounts counts_;
};

/// One OS thread's share of a launch.
struct Worker {
  LaunchState* launch = nullptr;
  int number = 0;
  ExceptionState* exceptions = nullptr;
  Stack native_stack;
  WatchedWorker* watched = nullptr;
  std::vector<Stack> free_stacks;
  std::vector<std::unique_ptr<ClusterState>> spare_clusters;
  std::deque<std::unique_ptr<ClusterState>> stuck;
  LaunchCounts counts;

  void run();
  /// Takes the stacks of a cluster whose threads are done with them.
  void take_stacks(ClusterState& cluster);

 private:
  bool start_one();
  void resume_one();
  void run_slice(std::unique_ptr<ClusterState> cluster);
  void finish(std::unique_ptr<ClusterState> cluster);
  void discard_stuck();
  void give_up();
  int sweeps_ = 0;
  std::size_t resumed_in_sweep_ = 0;
  std::uint64_t progress_seen_ = 0;
};

/// Fills a cluster's state for its place in the league.
void begin_cluster(ClusterState& cluster, LaunchState& launch, Worker& worker, long long index,
                   int slot);

/// The launch's workers on oneTBB.
void run_workers(LaunchState& launch);

/// The cluster that this OS thread is running, or null. Never inlined: fibers stay on their OS
/// thread, but a compiler may not know.
KOHORT_OPAQUE ClusterState* running_cluster() noexcept;
KOHORT_OPAQUE void set_running_cluster(ClusterState* cluster) noexcept;

}  // namespace kohort::simulator
