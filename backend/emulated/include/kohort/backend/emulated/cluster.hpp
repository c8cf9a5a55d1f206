// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/atomics.hpp>
#include <kohort/backend/emulated/cluster_barrier.hpp>
#include <kohort/backend/emulated/control.hpp>
#include <kohort/backend/emulated/tasks.hpp>

#include <cstddef>

namespace kohort::Impl {

/// A software cluster as one of its threads sees it: which task of the league it does now, its rank
/// there, its barrier and its blocks of the arena. Lives in the stub's frame; the ThreadHandle
/// points to it.
template <class Target>
class EmulatedCluster {
  using Barrier = EmulatedBarrier<Target>;

 public:
  KOHORT_FUNCTION EmulatedCluster(EmulatedLaunch const& launch, Seat const& seat, bool is_manual)
      : launch_(launch),
        seat_(seat),
        line_(launch.cluster_line(seat.cluster)),
        is_manual_(is_manual),
        task_(Tasks::first(launch, seat)) {}

  KOHORT_FUNCTION bool has_task() const { return task_ != launch_.tasks; }

  // Where am I. Ranks count along x first, as a league's do.
  KOHORT_FUNCTION int task() const { return task_; }
  KOHORT_FUNCTION int rank() const { return seat_.rank; }
  KOHORT_FUNCTION int size() const { return launch_.size; }
  KOHORT_EMULATED_FUNCTION int extent(int d) const { return of(launch_.cluster, d); }
  KOHORT_EMULATED_FUNCTION int index(int d) const {
    return coordinate(seat_.rank, launch_.cluster, d);
  }
  KOHORT_EMULATED_FUNCTION int league_extent(int d) const { return of(launch_.league, d); }
  KOHORT_FUNCTION int league_size() const { return launch_.tasks * launch_.size; }
  KOHORT_EMULATED_FUNCTION int league_index(int d) const {
    int const clusters[3] = {launch_.league[0] / launch_.cluster[0],
                             launch_.league[1] / launch_.cluster[1],
                             launch_.league[2] / launch_.cluster[2]};
    return coordinate(task_, clusters, d) * extent(d) + index(d);
  }
  KOHORT_EMULATED_FUNCTION int league_rank() const {
    if (launch_.league[1] == 1 && launch_.league[2] == 1) return task_ * launch_.size + seat_.rank;
    return league_index(0) +
           launch_.league[0] * (league_index(1) + launch_.league[1] * league_index(2));
  }

  /// Whether the device has more domains than one, of which all its teams are in this one.
  KOHORT_FUNCTION bool keeps_to_a_domain() const { return launch_.keys > 1; }

  // The barrier ---------------------------------------------------------------------------------

  template <class Thread>
  KOHORT_EMULATED_FUNCTION void barrier(Thread const& thread, CallSite site) {
    thread.team_barrier(site);
    ++phase_;
    if (thread.team_rank() == 0) {
      add_arrivals(Barrier::subgroups(thread), site);
      await_phase(thread, site);
    }
    thread.team_barrier(site);
  }
  template <class Thread>
  KOHORT_EMULATED_FUNCTION void arrive(Thread const& thread, CallSite site) {
    thread.subgroup_barrier(site);
    ++phase_;
    if (thread.team_rank() % thread.subgroup_lanes() == 0) add_arrivals(1, site);
  }
  template <class Thread>
  KOHORT_EMULATED_FUNCTION void wait(Thread const& thread, CallSite site) const {
    if (thread.team_rank() % thread.subgroup_lanes() == 0) await_phase(thread, site);
    thread.subgroup_barrier(site);
  }

  /// The launcher's closing guard: after it nobody touches this task's scratch, so the next task
  /// may begin. One thread asks meanwhile which that is; the barrier publishes its answer.
  template <class Thread>
  KOHORT_EMULATED_FUNCTION void close(Thread const& thread, CallSite site) {
    ask_for_next(thread);
    barrier(thread, site);
  }

  /// Goes on to the cluster's next task, behind close(), or under ManualLifetime behind the task's
  /// end, where the teams meet here before they use their slot again.
  template <class Thread>
  KOHORT_EMULATED_FUNCTION void go_on(Thread const& thread, CallSite site) {
    if (launch_.handout == TaskHandout::fixed) {
      int const next = Tasks::after(launch_, seat_, task_);
      // A team that has no more to do here leaves at once, as its hardware twin would.
      if (is_manual_) turn_over(thread, next != launch_.tasks, site);
      task_ = next;
    } else {
      if (is_manual_) {
        ask_for_next(thread);
        turn_over(thread, true, site);
      }
      // The domain's scope: what the barrier's acquire made visible to this thread.
      task_ = atomic_load<EmulatedPlatform<Target>::domain>(&line_.next[turn_], site);
    }
    turn_ ^= 1;
  }

  // Memory --------------------------------------------------------------------------------------

  KOHORT_FUNCTION std::byte* block() const { return launch_.block(seat_.cluster, seat_.rank); }
  /// What the policy's offsets of cluster scratch are counted from.
  KOHORT_FUNCTION std::byte* scratch_base() const { return block() - launch_.first_offset; }
  KOHORT_FUNCTION void* map(void* mine, int rank) const {
    std::ptrdiff_t const blocks = rank - seat_.rank;
    return static_cast<std::byte*>(mine) +
           blocks * static_cast<std::ptrdiff_t>(launch_.block_bytes);
  }
  /// The library's own, behind the policy's: two halves of `half_bytes`.
  KOHORT_FUNCTION std::byte* collectives(std::size_t half_bytes, bool second_half) const {
    return block() + launch_.block_bytes - (second_half ? 1 : 2) * half_bytes;
  }

  // The end -------------------------------------------------------------------------------------

  /// Counts the team out, of whose threads none comes back to the cluster's line. The last team
  /// clears it. @return whether it was the last; called by one thread of the team
  KOHORT_EMULATED_FUNCTION bool leave(CallSite site) {
    // Acquire-release: what the others did to the line is over when the last one clears it.
    unsigned const before =
        atomic_fetch_add<EmulatedPlatform<Target>::domain, MemoryOrder::acquire_release>(
            &line_.gone, 1u, site);
    if (before + 1u != static_cast<unsigned>(launch_.size)) return false;
    // Atomic stores: the next launch's atomics must meet them in the same cache.
    atomic_store(&line_.arrivals, 0u, site);
    atomic_store(&line_.turnovers, 0u, site);
    atomic_store(&line_.gone, 0u, site);
    for (int turn = 0; turn < 2; ++turn) {
      atomic_store(&line_.next[turn], 0, site);
      atomic_store(&line_.stays[turn], std::uint64_t{0}, site);
    }
    return true;
  }

 private:
  static KOHORT_FUNCTION int of(int const (&all)[3], int d) {
    return d == 0 ? all[0] : d == 1 ? all[1] : all[2];
  }
  static KOHORT_FUNCTION int coordinate(int rank, int const (&extents)[3], int d) {
    if (d == 0) return rank % extents[0];
    return d == 1 ? rank / extents[0] % extents[1] : rank / extents[0] / extents[1];
  }

  KOHORT_FUNCTION void add_arrivals(unsigned count, CallSite site) const {
    if (is_manual_) {
      Barrier::add(&line_.stays[turn_], std::uint64_t{count}, site);
    } else {
      Barrier::add(&line_.arrivals, count, site);
    }
  }
  template <class Thread>
  KOHORT_FUNCTION void await_phase(Thread const& thread, CallSite site) const {
    unsigned const all = static_cast<unsigned>(launch_.size) * Barrier::subgroups(thread);
    if (is_manual_) {
      Barrier::wait_for_stayers(thread, &line_.stays[turn_], phase_, all, site);
    } else {
      Barrier::wait(thread, &line_.arrivals, phase_ * all, site);
    }
  }

  template <class Thread>
  KOHORT_FUNCTION void ask_for_next(Thread const& thread) {
    if (launch_.handout == TaskHandout::fixed || seat_.rank != 0 || thread.team_rank() != 0) return;
    atomic_store<EmulatedPlatform<Target>::domain>(&line_.next[turn_],
                                                   Tasks::after(launch_, seat_, task_));
  }

  /// Under ManualLifetime: this team leaves the task, and if there is another, waits for its peers.
  template <class Thread>
  KOHORT_FUNCTION void turn_over(Thread const& thread, bool waits, CallSite site) {
    thread.team_barrier(site);
    if (thread.team_rank() == 0) {
      Barrier::leave(thread, &line_.stays[turn_], phase_, site);
      if (waits) {
        // The next task's word is as the task before this one left it. Nobody reads it any more:
        // all teams have left that task, for they have met since. Nobody uses it anew before this
        // thread's arrival below.
        if (seat_.rank == 0) atomic_store(&line_.stays[turn_ ^ 1], std::uint64_t{0}, site);
        Barrier::add(&line_.turnovers, 1u, site);
        Barrier::wait(thread, &line_.turnovers,
                      (turnover_ + 1) * static_cast<unsigned>(launch_.size), site);
      }
    }
    if (!waits) return;
    thread.team_barrier(site);
    ++turnover_;
    phase_ = 0;
  }

  EmulatedLaunch const& launch_;
  Seat seat_;
  ClusterLine& line_;
  bool is_manual_;
  int task_;
  unsigned phase_ = 0;     ///< times that this thread arrived; under ManualLifetime in this task
  unsigned turnover_ = 0;  ///< under ManualLifetime: times that it went on
  int turn_ = 0;
};

}  // namespace kohort::Impl
