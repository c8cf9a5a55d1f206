// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scheduler.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kohort::simulator {
namespace {

using Kind = Schedule::Kind;

}  // namespace

void Scheduler::reset(Schedule const& schedule, int cluster, int teams, int team_threads) {
  bool const applies = !schedule.cluster || *schedule.cluster == cluster;
  kind_ = applies ? schedule.kind : Kind::rank;
  int const threads = teams * team_threads;
  is_rank_order_ = kind_ == Kind::rank || kind_ == Kind::random || kind_ == Kind::steps ||
                   kind_ == Kind::eager || kind_ == Kind::late;
  is_strict_ = kind_ != Kind::random && kind_ != Kind::steps;
  preempts_ = kind_ == Kind::random || kind_ == Kind::steps || kind_ == Kind::pct;
  running_ = sweep_end_ = 0;
  swept_ = 0;
  decisions_ = 0;
  next_step_ = 0;
  next_change_ = 0;
  deviations_.clear();
  too_many_deviations_ = false;
  steps_ = kind_ == Kind::steps ? schedule.steps : std::vector<Schedule::Step>{};
  if (preempts_) {
    // Clusters of one seed differ: the golden ratio spreads neighbours over the state space.
    random_.seed(schedule.seed + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(cluster + 1));
    random_.discard(4);
  }
  int const spare = kind_ == Kind::pct ? schedule.depth : 0;
  ready_.resize(threads + spare);
  first_agent_ = threads + spare + 1;
  if (!is_rank_order_) order(schedule, teams, team_threads);
  ready_.insert_range(0, threads);
}

void Scheduler::order(Schedule const& schedule, int teams, int team_threads) {
  std::size_t const threads = static_cast<std::size_t>(teams) * team_threads;
  std::size_t const spare = kind_ == Kind::pct ? static_cast<std::size_t>(schedule.depth) : 0;
  thread_at_.resize(threads + spare);
  std::iota(thread_at_.begin(), thread_at_.begin() + static_cast<std::ptrdiff_t>(threads), 0);
  auto const end = thread_at_.begin() + static_cast<std::ptrdiff_t>(threads);
  if (kind_ == Kind::reverse) std::reverse(thread_at_.begin(), end);
  if (kind_ == Kind::last || kind_ == Kind::exit_first) {
    auto const of_team = [&](int thread) { return thread / team_threads == schedule.rank; };
    bool const first = kind_ == Kind::exit_first;
    std::stable_partition(thread_at_.begin(), end,
                          [&](int thread) { return of_team(thread) == first; });
  }
  if (kind_ == Kind::pct) {
    for (std::size_t left = threads; left > 1; --left) {
      std::size_t const other = (random_() >> 32U) % left;
      std::swap(thread_at_[left - 1], thread_at_[other]);
    }
    place_change_points(schedule.depth, static_cast<int>(threads));
  }
  position_of_.resize(threads);
  for (std::size_t p = 0; p < threads; ++p)
    position_of_[static_cast<std::size_t>(thread_at_[p])] = static_cast<int>(p);
}

void Scheduler::place_change_points(int depth, int threads) {
  // PCT wants the number of steps; a kernel's is unknown before it ran. Eight decisions a thread
  // is a few barriers and atomics each, the size of kernels worth exploring.
  std::uint64_t const horizon = 8U * static_cast<std::uint64_t>(threads);
  change_points_.clear();
  for (int change = 1; change < depth; ++change)
    change_points_.push_back((random_() >> 16U) % horizon);
  std::sort(change_points_.begin(), change_points_.end());
  lowest_free_position_ = threads;
}

bool Scheduler::agent_completes_at_once() {
  // What stands behind all threads would always come last under `pct`.
  if (kind_ == Kind::pct) return (random_() >> 63U) != 0;
  return kind_ != Kind::late && kind_ != Kind::random && kind_ != Kind::steps;
}

void Scheduler::add_agent(int agent) {
  end_sweep();
  ready_.grow(agent + 1);
  ready_.insert(agent);
}

int Scheduler::pick_at_atomic(int running) {
  if (kind_ == Kind::pct && next_change_ < change_points_.size() &&
      decisions_ >= change_points_[next_change_]) {
    ++next_change_;
    auto const old = static_cast<std::size_t>(running);
    ready_.erase(position_of_[old]);
    position_of_[old] = lowest_free_position_;
    thread_at_[static_cast<std::size_t>(lowest_free_position_++)] = running;
    ready_.insert(position_of_[old]);
  }
  return pick();
}

int Scheduler::pick_otherwise() { return kind_ == Kind::random ? pick_random() : pick_step(); }

int Scheduler::pick_random() {
  int const count = ready_.count();
  if (count == 0) return -1;
  int const thread =
      ready_.select(static_cast<int>((random_() >> 32U) % static_cast<unsigned>(count)));
  if (thread != ready_.first() && !too_many_deviations_) {
    deviations_.push_back({decisions_, thread});
    too_many_deviations_ = deviations_.size() > most_deviations;
    if (too_many_deviations_) deviations_.clear();
  }
  return thread;
}

int Scheduler::pick_step() {
  while (next_step_ < steps_.size() && steps_[next_step_].decision < decisions_) ++next_step_;
  if (next_step_ < steps_.size() && steps_[next_step_].decision == decisions_) {
    int const thread = steps_[next_step_++].thread;
    if (ready_.may_hold(thread) && ready_.contains(thread)) return thread;
  }
  return ready_.first();
}

}  // namespace kohort::simulator
