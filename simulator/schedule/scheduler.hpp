// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/schedule.hpp>

#include "ready_set.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace kohort::simulator {

/// Decides which ready thread of one cluster runs next.
///
/// Every schedule but `random` is a strict priority: threads stand in an order, and the first ready
/// one in it runs. So the ready set is kept by position in that order, and a decision is a search
/// for the lowest bit.
class Scheduler {
 public:
  /// For a cluster of `teams` × `team_threads` threads, all of them ready.
  void reset(Schedule const& schedule, int cluster, int teams, int team_threads);

  void make_ready(int thread) {
    end_sweep();
    ready_.insert(position(thread));
  }
  void make_range_ready(int first, int last) {
    end_sweep();
    if (is_rank_order_) {
      ready_.insert_range(first, last);
    } else {
      for (int thread = first; thread < last; ++thread) make_ready(thread);
    }
  }
  void block(int thread) {
    end_sweep();
    ready_.erase(position(thread));
  }

  /// The common decision, in place of block() and pick(): `thread`, which runs, waits, and the
  /// thread after it is the next. Under `rank` a run of ready threads is swept from its first to
  /// its last, and the set is told of it at the end.
  /// @return false when it is not so; nothing is changed then
  bool advance_sweep(int thread) {
    if (thread + 1 >= sweep_end_) return false;
    running_ = thread + 1;
    return true;
  }

  /// The next thread to run, or the number of an agent whose work is due, or -1 when none is ready.
  int pick() {
    end_sweep();
    ++decisions_;
    int const picked = pick_ready();
    if (picked >= 0 && picked < first_agent_) [[likely]]
      running_ = picked;
    return picked;
  }

  /// Agents are what a cluster has under way besides its threads, such as copies. They stand behind
  /// all threads in the order of their numbers, which rise from first_agent() on.
  int first_agent() const { return first_agent_; }
  /// Whether an agent's work is done as it begins: it needs no number then. Asked once for each.
  bool agent_completes_at_once();
  void add_agent(int agent);
  void remove_agent(int agent) {
    end_sweep();
    ready_.erase(agent);
  }

  /// The thread that was picked last, or that a sweep came to since.
  int running() const { return running_; }
  /// Where that number is kept.
  int const& running_index() const { return running_; }
  /// The same for another OS thread, which learns no more than that it changes.
  int running_unsynchronised() const { return __atomic_load_n(&running_, __ATOMIC_RELAXED); }
  /// Whether `thread` could run, or does.
  bool is_ready(int thread) const {
    bool const was_swept = sweep_end_ != 0 && thread >= sweep_begin_ && thread < running_;
    return !was_swept && ready_.contains(position(thread));
  }
  /// Steps from a thread to the next one that sweeps made so far.
  std::uint64_t swept() const {
    return swept_ + static_cast<std::uint64_t>(sweep_end_ != 0 ? running_ - sweep_begin_ : 0);
  }

  /// Whether atomics are decision points under this schedule.
  bool preempts() const { return preempts_; }
  /// A decision while `running` could go on: lets `pct` change its priority.
  int pick_at_atomic(int running);

  /// Decisions of `random` that `rank` would have taken otherwise; empty when there were too many.
  std::vector<Schedule::Step> const& deviations() const { return deviations_; }
  static constexpr std::size_t most_deviations = 64;

 private:
  void end_sweep() {
    if (sweep_end_ == 0) return;
    ready_.erase_range(sweep_begin_, running_);
    swept_ = swept();
    sweep_end_ = 0;
  }
  int pick_ready() {
    if (!is_strict_) return pick_otherwise();
    int const first = ready_.first();
    if (first < 0) return first;
    if (first >= first_agent_) [[unlikely]]
      return first;
    if (!is_rank_order_) return thread_at_[static_cast<std::size_t>(first)];
    sweep_begin_ = first;
    sweep_end_ = ready_.end_of_run(first);
    return first;
  }
  int position(int thread) const {
    return is_rank_order_ ? thread : position_of_[static_cast<std::size_t>(thread)];
  }
  void order(Schedule const& schedule, int teams, int team_threads);
  void place_change_points(int depth, int threads);
  int pick_otherwise();
  int pick_random();
  int pick_step();

  ReadySet ready_;
  bool is_rank_order_ = true;
  bool is_strict_ = true;
  bool preempts_ = false;
  int running_ = 0;
  /// One place behind all threads': a sweep ends before it.
  int first_agent_ = 0;
  /// The sweep: threads from `begin` on were ready when it began, up to `end`; those below the
  /// running one have blocked since, which the set does not know yet.
  int sweep_begin_ = 0;
  int sweep_end_ = 0;
  std::uint64_t swept_ = 0;
  Schedule::Kind kind_ = Schedule::Kind::rank;
  std::uint64_t decisions_ = 0;
  std::vector<int> position_of_;
  std::vector<int> thread_at_;
  /// Knuth's MMIX generator: 8 bytes to seed a cluster; its high bits are used.
  std::linear_congruential_engine<std::uint64_t, 6364136223846793005U, 1442695040888963407U, 0>
      random_;
  std::vector<std::uint64_t> change_points_;
  std::size_t next_change_ = 0;
  int lowest_free_position_ = 0;
  std::vector<Schedule::Step> steps_;
  std::size_t next_step_ = 0;
  std::vector<Schedule::Step> deviations_;
  bool too_many_deviations_ = false;
};

}  // namespace kohort::simulator
