// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels without the launcher's guards, which touch a peer before it started or after it ended,
// and those that see to it in ways of their own.
#include "case.hpp"

#include <cstdint>
#include <utility>

#if defined(__CUDACC__)
#define KOHORT_DETECT_CALLED __host__ __device__ __noinline__
#else
#define KOHORT_DETECT_CALLED __attribute__((noinline))
#endif

namespace kohort::detect::own_lifetimes {

constexpr int threads = 32;

template <class Target, class Shape, class Scratch>
using Unguarded = ClusterPolicy<Target, Shape, ClusterScratch<Scratch>, ManualLifetime>;
template <class Target, class Shape, class Scratch>
using Member = typename Unguarded<Target, Shape, Scratch>::member_type;

using Pair = ClusterDims<2>;
using Cube = ClusterDims<2, 2, 2>;
using Tile = float[threads];

template <class Target, bool Repaired>
void pushed_before_the_start(Target const& target) {
  auto const out = filled<float>(target, 4 * threads);
  float* const results = out.data();
  parallel_for(
      "pushed_before_the_start", Unguarded<Target, Pair, Tile>(target, 4, threads),
      KOHORT_LAMBDA(Member<Target, Pair, Tile> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        if (Repaired) member.cluster_barrier();
        member.peer(tile, 1 - member.cluster_rank())[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        results[member.league_rank() * threads + thread] = tile[thread ^ 1];
      });
  target.fence();
}

/// One thread of one corner stores into the opposite one.
template <class Target, bool Repaired>
void stored_before_a_corner_started(Target const& target) {
  auto const out = filled<std::int64_t>(target, 16);
  std::int64_t* const results = out.data();
  parallel_for(
      "stored_before_a_corner_started",
      Unguarded<Target, Cube, std::int64_t>(target, League(2, 4, 2), threads),
      KOHORT_LAMBDA(Member<Target, Cube, std::int64_t> const& member) {
        auto const cell = member.cluster_scratch();
        auto const opposite = member.peer(cell, 7 - member.cluster_rank());
        if (Repaired) member.cluster_barrier();
        if (member.cluster_rank() == 2 && member.team_rank() == 19)
          atomic_store<Scope::cluster>(&*opposite, member.league_rank());
        member.cluster_barrier();
        if (member.cluster_rank() == 5 && member.team_rank() == 0)
          results[member.league_rank()] = *cell;
      });
  target.fence();
}

enum class Last { read, push, update };

/// The last access to a peer, of each kind, with nothing behind it.
template <class Target, Last Access, bool Repaired>
void nothing_behind_the_last_access(Target const& target) {
  using Counts = std::uint32_t[threads];
  auto const out = filled<std::uint32_t>(target, 4 * threads);
  std::uint32_t* const results = out.data();
  parallel_for(
      "nothing_behind_the_last_access", Unguarded<Target, Pair, Counts>(target, 4, threads),
      KOHORT_LAMBDA(Member<Target, Pair, Counts> const& member) {
        int const thread = member.team_rank();
        auto const counts = member.cluster_scratch();
        counts[thread] = 1;
        member.cluster_barrier();
        auto const first = member.peer(counts, 0);
        if (member.cluster_rank() == 1) {
          if (Access == Last::read)
            results[member.league_rank() * threads + thread] = first[thread];
          if (Access == Last::push) first[thread] = 2;
          if (Access == Last::update) atomic_add(&first[thread / 4], 1);
        }
        if (Repaired) member.cluster_barrier();
      });
  target.fence();
}

struct Line {
  double values[8];
};

KOHORT_DETECT_CALLED inline void copied(Line* to, Line const* from) { *to = *from; }

/// Of eight teams only rank 3 is late, by a call, at rank 6.
template <class Target, class Shape, bool Repaired>
void one_of_eight_is_late(Target const& target) {
  auto const out = filled<Line>(target, 16);
  Line* const results = out.data();
  parallel_for(
      "one_of_eight_is_late", Unguarded<Target, Shape, Line[2]>(target, League(8, 2, 2), threads),
      KOHORT_LAMBDA(Member<Target, Shape, Line[2]> const& member) {
        int const thread = member.team_rank();
        auto const lines = member.cluster_scratch();
        if (thread < 2) lines[thread] = Line{{1, 2, 3, 4, 5, 6, 7, 8}};
        member.cluster_barrier();
        auto const other = member.peer(lines, 6);
        if (member.cluster_rank() == 3 && thread < 2)
          copied(&results[member.cluster_league_rank() * 2 + thread], &other[thread]);
        if (Repaired) member.cluster_barrier();
      });
  target.fence();
}

/// Rank 0 stays until the flag is raised: by one thread, which speaks for all only after a barrier.
template <class Target, bool Repaired>
void flag_raised_for_others(Target const& target) {
  auto const raised = filled<int>(target, 1);
  auto const out = filled<float>(target, 64);
  int* const flag = raised.data();
  float* const results = out.data();
  parallel_for(
      "flag_raised_for_others", Unguarded<Target, Pair, float[64]>(target, 2, 64),
      KOHORT_LAMBDA(Member<Target, Pair, float[64]> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = 1;
        member.cluster_barrier();
        auto const first = member.peer(tile, 0);
        if (member.cluster_rank() == 1) {
          results[thread] = first[thread];
          if (Repaired) member.team_barrier();
          if (thread == 0) atomic_store<Scope::device, MemoryOrder::release>(flag, 1);
        } else if (thread == 17) {
          while (atomic_load<Scope::device, MemoryOrder::acquire>(flag) == 0) {
          }
        }
      });
  target.fence();
}

/// Seven of eight teams are done: nobody touches their memory, and the barrier counts who is left.
template <class Target>
void control_seven_leave_early(Target const& target) {
  using Row = ClusterDims<8>;
  auto const out = filled<float>(target, 16 * threads);
  float* const results = out.data();
  parallel_for(
      "control_seven_leave_early", Unguarded<Target, Row, Tile>(target, 16, threads),
      KOHORT_LAMBDA(Member<Target, Row, Tile> const& member) {
        int const thread = member.team_rank();
        if (member.cluster_rank() != 4) return;
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(thread);
        member.cluster_barrier();
        results[member.league_rank() * threads + thread] = tile[threads - 1 - thread];
      });
  target.fence();
}

/// What the launcher's guards do, by hand: a relaxed arrival tells of the start, and one behind the
/// last reads tells that they were made.
template <class Target>
void control_relaxed_arrivals_guard(Target const& target) {
  auto const out = filled<float>(target, 8 * threads);
  float* const results = out.data();
  parallel_for(
      "control_relaxed_arrivals_guard",
      Unguarded<Target, Cube, Tile>(target, League(2, 2, 2), threads),
      KOHORT_LAMBDA(Member<Target, Cube, Tile> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        auto started = member.cluster_arrive_relaxed();
        member.cluster_wait(std::move(started));
        auto const opposite = member.peer(tile, 7 - member.cluster_rank());
        opposite[thread] = 1;
        member.cluster_barrier();
        results[member.league_rank() * threads + thread] = tile[thread] + opposite[thread];
        auto read = member.cluster_arrive_relaxed();
        member.cluster_wait(std::move(read));
      });
  target.fence();
}

/// One thread waits for the reader, and keeps its team's memory while the others return.
template <class Target>
void control_one_thread_stays(Target const& target) {
  auto const raised = filled<int>(target, 2);
  auto const out = filled<float>(target, threads);
  int* const flags = raised.data();
  float* const results = out.data();
  parallel_for(
      "control_one_thread_stays", Unguarded<Target, Pair, Tile>(target, 2, threads),
      KOHORT_LAMBDA(Member<Target, Pair, Tile> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        if (member.cluster_rank() == 0) {
          tile[thread] = static_cast<float>(thread);
          member.team_barrier();
          if (thread != 9) return;
          atomic_store<Scope::cluster, MemoryOrder::release>(&flags[0], 1);
          while (atomic_load<Scope::cluster, MemoryOrder::acquire>(&flags[1]) == 0) {
          }
        } else {
          if (thread == 0) {
            while (atomic_load<Scope::cluster, MemoryOrder::acquire>(&flags[0]) == 0) {
            }
          }
          member.team_barrier();
          results[thread] = member.peer(tile, 0)[thread];
          member.team_barrier();
          if (thread == 0) atomic_store<Scope::cluster, MemoryOrder::release>(&flags[1], 1);
        }
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {"pushed_before_the_start", "lifetime", "peer-not-started", "own",
     pushed_before_the_start<UnitTarget, false>, pushed_before_the_start<UnitTarget, true>},
    {"stored_before_a_corner_started", "lifetime", "peer-not-started", "own",
     stored_before_a_corner_started<UnitTarget, false>,
     stored_before_a_corner_started<UnitTarget, true>},
    {"read_after_the_end", "lifetime", "peer-ended", "own",
     nothing_behind_the_last_access<UnitTarget, Last::read, false>,
     nothing_behind_the_last_access<UnitTarget, Last::read, true>},
    {"pushed_after_the_end", "lifetime", "peer-ended", "own",
     nothing_behind_the_last_access<UnitTarget, Last::push, false>,
     nothing_behind_the_last_access<UnitTarget, Last::push, true>},
    {"updated_after_the_end", "lifetime", "peer-ended", "own",
     nothing_behind_the_last_access<UnitTarget, Last::update, false>,
     nothing_behind_the_last_access<UnitTarget, Last::update, true>},
    {"one_of_eight_in_a_row_is_late", "lifetime", "peer-ended", "own",
     one_of_eight_is_late<UnitTarget, ClusterDims<8>, false>,
     one_of_eight_is_late<UnitTarget, ClusterDims<8>, true>},
    {"one_of_a_cube_is_late", "lifetime", "peer-ended", "own",
     one_of_eight_is_late<UnitTarget, Cube, false>, one_of_eight_is_late<UnitTarget, Cube, true>},
    {"flag_raised_for_others", "lifetime", "peer-ended", "own",
     flag_raised_for_others<UnitTarget, false>, flag_raised_for_others<UnitTarget, true>},
    {"control_seven_leave_early", "control", "", "own", control_seven_leave_early<UnitTarget>},
    {"control_relaxed_arrivals_guard", "control", "", "own",
     control_relaxed_arrivals_guard<UnitTarget>},
    {"control_one_thread_stays", "control", "", "own", control_one_thread_stays<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::own_lifetimes
