// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/atomics.hpp>
#include <kohort/backend/emulated/control.hpp>
#include <kohort/backend/emulated/platform.hpp>

#include <cstdint>

namespace kohort::Impl {

/// The cluster barrier of a software cluster: a counter in the domain's memory that only rises, by
/// one for each subgroup that arrives. The n-th phase is complete when all have arrived n times.
/// Which n is meant takes the place of a sense: nothing is reset, so nobody can be late for a
/// reset.
///
/// Whole, it is a team barrier, one thread that arrives for the team and polls, and a team barrier.
/// In two halves each subgroup arrives and polls for itself: the first half must not block, and
/// letting the team's subgroups meet in team memory first is no faster (H200: docs/decisions/
/// 0010-emulated-clusters.md).
///
/// Orders. Writes reach the thread that arrives through the team's or the subgroup's barrier; its
/// release at domain scope hands on all of them (releases are cumulative). Polls are relaxed,
/// because an acquire at each costs more than one at the end (H200: 7 to 22 % of the barrier); the
/// acquire at domain scope, of the same word, follows the last poll, and the same barrier as before
/// gives it to the others. The model in tests/models/ has these steps.
template <class Target>
struct EmulatedBarrier {
  using Platform = EmulatedPlatform<Target>;

  template <class Thread>
  static KOHORT_FUNCTION unsigned subgroups(Thread const& thread) {
    return static_cast<unsigned>((thread.team_size() + thread.subgroup_lanes() - 1) /
                                 thread.subgroup_lanes());
  }

  /// Also of a relaxed arrival, which says that what it hands back was read: nothing less than a
  /// release keeps a load from being overtaken by the arrival.
  template <class Word>
  static KOHORT_FUNCTION void add(Word* word, Word value, CallSite site) {
    atomic_add<Platform::domain, MemoryOrder::release>(word, value, site);
  }

  template <class Thread, class Word, class Done>
  static KOHORT_FUNCTION void poll(Thread const& thread, Word const* word, Done const& done,
                                   CallSite site) {
    while (!done(atomic_load<Platform::domain>(word, site))) Platform::pause(thread);
    (void)atomic_load<Platform::domain, MemoryOrder::acquire>(word, site);
  }

  /// A counter's phase ends at `expected`; both wrap.
  template <class Thread>
  static KOHORT_FUNCTION void wait(Thread const& thread, unsigned const* word, unsigned expected,
                                   CallSite site) {
    poll(
        thread, word, [expected](unsigned seen) { return static_cast<int>(seen - expected) >= 0; },
        site);
  }

  // Under ManualLifetime a team may leave a task before its peers. Its departure takes its arrivals
  // with it, and counts for it in all phases: the n-th is complete when the subgroups that stay,
  // and those alone, have arrived n times each.
  static constexpr unsigned leaver_shift = 48;

  /// @param all  subgroups of the cluster
  template <class Thread>
  static KOHORT_FUNCTION void wait_for_stayers(Thread const& thread, std::uint64_t const* word,
                                               unsigned phase, unsigned all, CallSite site) {
    std::uint64_t const needed = std::uint64_t{phase} * all;
    poll(
        thread, word,
        [=](std::uint64_t seen) {
          std::uint64_t const leavers = seen >> leaver_shift;
          std::uint64_t const arrivals = seen & ((std::uint64_t{1} << leaver_shift) - 1U);
          return arrivals + leavers * phase >= needed;
        },
        site);
  }
  /// By one thread of a team all of whose threads have left the task, each after `phase` arrivals.
  template <class Thread>
  static KOHORT_FUNCTION void leave(Thread const& thread, std::uint64_t* word, unsigned phase,
                                    CallSite site) {
    std::uint64_t const leavers = std::uint64_t{subgroups(thread)} << leaver_shift;
    add(word, leavers - std::uint64_t{phase} * subgroups(thread), site);
  }
};

}  // namespace kohort::Impl
