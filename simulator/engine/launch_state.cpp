// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_state.hpp"

#include "../check/cluster_check.hpp"
#include "../matrix/warpgroup.hpp"
#include "../transfer/transfer_table.hpp"

#include <kohort/simulator/observer.hpp>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>

namespace kohort::simulator {
namespace {

// With 64 KiB a thread of 264 resident teams of 1024 reserves 17 GB of addresses, not of memory.
// Sanitized frames are several times larger.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t default_stack_bytes = 256 * 1024;
#else
constexpr std::size_t default_stack_bytes = 64 * 1024;
#endif

int count(int const (&extents)[3]) { return extents[0] * extents[1] * extents[2]; }

Placement placement_of(LaunchShape const& shape, DeviceProfile const& profile, int teams_per_sm) {
  int const size = count(shape.cluster);
  return shape.preferred[0] > 0 ? Placement(profile, teams_per_sm, count(shape.preferred), size)
                                : Placement(profile, teams_per_sm, size);
}

/// Slot of the first cluster. Persistent teams are dealt out from wherever the hardware's turn
/// stands: so with each seed from another group.
int first_slot_of(LaunchShape const& shape, Schedule const& schedule, int slots) {
  if (shape.cluster_scope == ClusterScopeReach::cluster || slots == 0) return 0;
  std::uint64_t const spread = schedule.seed * 0x9e3779b97f4a7c15U;
  return static_cast<int>((spread >> 32U) % static_cast<std::uint64_t>(slots));
}

int workers_for(EngineOptions const& options, long long clusters) {
  if (options.schedule.serial) return 1;
  int const cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  int const wanted = options.workers > 0 ? options.workers : cores;
  return static_cast<int>(std::clamp<long long>(clusters, 1, wanted));
}

}  // namespace

ClusterState::ClusterState() = default;
ClusterState::~ClusterState() = default;
LaunchState::~LaunchState() = default;

LaunchState::LaunchState(LaunchShape const& shape, EngineOptions const& options,
                         ThreadFunction function, void const* functor)
    : shape_(shape),
      options_(options),
      function_(function),
      functor_(functor),
      teams_per_sm_(
          teams_per_sm(*options.profile, shape.threads, static_cast<int>(shape.scratch_bytes))),
      plan_(shape, *options.profile, teams_per_sm_),
      placement_(placement_of(shape, *options.profile, teams_per_sm_)),
      stacks_(
          StackPool::of_size(options.stack_bytes == 0 ? default_stack_bytes : options.stack_bytes)),
      worker_count_(workers_for(options, plan_.size())),
      observers_(options.observers),
      slot_taken_(
          static_cast<std::size_t>(plan_.wave() > 0 ? plan_.wave() : placement_.resident_limit()),
          false),
      first_slot_(first_slot_of(shape, options.schedule, static_cast<int>(slot_taken_.size()))),
      stop_after_(plan_.size()) {
  if (options.mode == Mode::check)
    check_ = std::make_unique<LaunchCheck>(shape, worker_count_, plan_.size());
  if (!options.trace_path.empty()) {
    owned_observers_.push_back(std::make_unique<PlacementTrace>(options.trace_path));
    observers_.push_back(owned_observers_.back().get());
  }
}

LaunchState::Start LaunchState::try_start() {
  std::scoped_lock lock(mutex_);
  if (next_ >= plan_.size() || next_ > stop_after_.load()) return {-2, 0};
  int const slot = free_slot();
  if (slot < 0) return {-1, 0};
  slot_taken_[static_cast<std::size_t>(slot)] = true;
  ++resident_;
  return {next_++, slot};
}

int LaunchState::free_slot() const {
  if (resident_ >= resident_limit()) return -1;
  // A cluster's slot follows from its index, so that where it runs does not depend on the number
  // of workers. Only when clusters wait for each other must one take whichever place is free.
  auto const own = static_cast<int>((next_ + first_slot_) % resident_limit());
  if (!slot_taken_[static_cast<std::size_t>(own)]) return own;
  if (stuck_clusters_.load() == 0) return -1;
  for (int slot = 0; slot < resident_limit(); ++slot) {
    if (!slot_taken_[static_cast<std::size_t>(slot)] &&
        placement_.cluster_size(slot) == placement_.cluster_size(own))
      return slot;
  }
  return -1;
}

void LaunchState::ended(ClusterState const& cluster) {
  std::scoped_lock lock(mutex_);
  slot_taken_[static_cast<std::size_t>(cluster.slot)] = false;
  --resident_;
}

void LaunchState::faulted(ClusterState& cluster) {
  std::scoped_lock lock(mutex_);
  if (finding_ && finding_cluster_ <= cluster.index) return;
  finding_ = std::move(cluster.finding);
  finding_cluster_ = cluster.index;
  stop_after_.store(cluster.index);
}

void LaunchState::log(Finding const& finding) {
  std::scoped_lock lock(mutex_);
  std::fprintf(stderr, "%s\n", finding.what());
}

void LaunchState::give_up() {
  std::scoped_lock lock(mutex_);
  if (has_given_up_.exchange(true)) return;
  waits_for_room_ = next_ < plan_.size() && free_slot() < 0;
}

bool LaunchState::waits_for_room() {
  std::scoped_lock lock(mutex_);
  return waits_for_room_;
}

bool LaunchState::more_may_start() {
  std::scoped_lock lock(mutex_);
  return next_ < plan_.size() && next_ <= stop_after_.load();
}

long long LaunchState::started() {
  std::scoped_lock lock(mutex_);
  return next_;
}

bool LaunchState::nobody_goes_on(int worker, std::uint64_t progress, int sweeps) {
  std::scoped_lock lock(mutex_);
  workers_[static_cast<std::size_t>(worker)].progress = progress;
  workers_[static_cast<std::size_t>(worker)].sweeps = sweeps;
  if (progress != progress_.load()) return false;
  return std::all_of(workers_.begin(), workers_.end(), [&](WorkerView const& view) {
    return view.left || (view.progress == progress && view.sweeps >= sweeps_before_giving_up);
  });
}

void LaunchState::worker_came(int worker) {
  std::scoped_lock lock(mutex_);
  auto const index = static_cast<std::size_t>(worker);
  if (workers_.size() <= index) workers_.resize(index + 1);
  workers_[index] = WorkerView{~std::uint64_t{0}, 0, false};
}

void LaunchState::worker_left(int worker) {
  std::scoped_lock lock(mutex_);
  workers_[static_cast<std::size_t>(worker)].left = true;
}

void LaunchState::add(LaunchCounts const& counts) {
  std::scoped_lock lock(mutex_);
  counts_.clusters += counts.clusters;
  counts_.teams += counts.teams;
  counts_.threads += counts.threads;
  counts_.team_barriers = std::max(counts_.team_barriers, counts.team_barriers);
  counts_.cluster_barriers = std::max(counts_.cluster_barriers, counts.cluster_barriers);
  counts_.guard_barriers = std::max(counts_.guard_barriers, counts.guard_barriers);
  counts_.subgroup_exchanges += counts.subgroup_exchanges;
  counts_.global_atomics += counts.global_atomics;
  counts_.team_atomics += counts.team_atomics;
  counts_.remote_atomics += counts.remote_atomics;
  counts_.scratch_bytes_used = std::max(counts_.scratch_bytes_used, counts.scratch_bytes_used);
  counts_.switches += counts.switches;
  counts_.transfers += counts.transfers;
  counts_.multicasts += counts.multicasts;
  counts_.bytes_to_scratch += counts.bytes_to_scratch;
  counts_.bytes_from_scratch += counts.bytes_from_scratch;
  counts_.bytes_pushed += counts.bytes_pushed;
  counts_.phased_waits += counts.phased_waits;
  counts_.multiply_adds += counts.multiply_adds;
  counts_.scratch_bytes = static_cast<long long>(shape_.scratch_bytes);
  counts_.resident_limit = resident_limit();
}

std::string LaunchState::replay_schedule(ClusterState const* cluster) const {
  Schedule schedule = options_.schedule;
  // What another cluster did may have mattered: then only the whole, in one order, shows it again.
  if (communicates()) {
    schedule.serial = true;
    return to_string(schedule);
  }
  if (cluster != nullptr && !schedule.cluster && schedule.kind != Schedule::Kind::rank) {
    schedule.cluster = cluster->index;
    auto const& steps = cluster->scheduler.deviations();
    if (schedule.kind == Schedule::Kind::random && !steps.empty()) {
      schedule.kind = Schedule::Kind::steps;
      schedule.steps = steps;
    }
  }
  return to_string(schedule);
}

}  // namespace kohort::simulator
