// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races for scratch that peers map: in one, two and three dimensions, in clusters of two to
// sixteen, in the thousandth cluster only, around split and relaxed arrivals.
#include "case.hpp"

#include <cstdint>
#include <utility>

namespace kohort::detect::own_cluster_races {

constexpr int threads = 32;

template <class Target, class Shape, class Scratch>
using Clusters = ClusterPolicy<Target, Shape, ClusterScratch<Scratch>>;
template <class Target, class Shape, class Scratch>
using Member = typename Clusters<Target, Shape, Scratch>::member_type;

template <class Target, bool Repaired>
void halo_along_z(Target const& target) {
  using Cube = ClusterDims<2, 2, 2>;
  using Scratch = float[threads];
  auto const out = filled<float>(target, 16 * threads);
  float* const results = out.data();
  parallel_for(
      "halo_along_z", Clusters<Target, Cube, Scratch>(target, League(4, 2, 2), threads),
      KOHORT_LAMBDA(Member<Target, Cube, Scratch> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = static_cast<float>(member.league_rank());
        int const above = member.cluster_index(0) + 2 * member.cluster_index(1) +
                          4 * (1 - member.cluster_index(2));
        auto const neighbour = member.peer(tile, above);
        if (Repaired) member.cluster_barrier();
        results[member.league_rank() * threads + thread] = neighbour[thread ^ 3];
      });
  target.fence();
}

template <class Target, bool Repaired>
void gather_from_sixteen(Target const& target) {
  using Row = ClusterDims<16>;
  using Scratch = std::int16_t[2];
  auto const out = filled<std::int16_t>(target, 16 * threads);
  std::int16_t* const results = out.data();
  Clusters<Target, Row, Scratch> policy(target, 16, threads);
  policy.allow_nonportable_size();
  parallel_for(
      "gather_from_sixteen", policy, KOHORT_LAMBDA(Member<Target, Row, Scratch> const& member) {
        int const thread = member.team_rank();
        auto const mine = member.cluster_scratch();
        if (thread < 2) mine[thread] = static_cast<std::int16_t>(member.cluster_rank());
        member.cluster_barrier();
        if (thread == 1) mine[1] = 100;
        if (Repaired) member.cluster_barrier();
        results[member.league_rank() * threads + thread] =
            member.peer(mine, thread / 2)[thread % 2];
      });
  target.fence();
}

template <class Target, bool Repaired>
void only_the_thousandth_cluster(Target const& target) {
  using Pair = ClusterDims<2>;
  using Scratch = int[threads];
  constexpr int teams = 2200;
  auto const out = filled<int>(target, teams * threads);
  int* const results = out.data();
  parallel_for(
      "only_the_thousandth_cluster", Clusters<Target, Pair, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Pair, Scratch> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = -1;
        member.cluster_barrier();
        auto const other = member.peer(tile, 1 - member.cluster_rank());
        other[thread] = member.league_rank();
        if (Repaired || member.cluster_league_rank() != 999) member.cluster_barrier();
        results[member.league_rank() * threads + thread] = tile[thread];
      });
  target.fence();
}

struct TwoTiles {
  double first[threads];
  double second[threads];
};

template <class Target, bool Repaired>
void written_after_the_arrival(Target const& target) {
  using Pair = ClusterDims<1, 2>;
  auto const out = filled<double>(target, 4 * threads);
  double* const results = out.data();
  parallel_for(
      "written_after_the_arrival", Clusters<Target, Pair, TwoTiles>(target, League(2, 2), threads),
      KOHORT_LAMBDA(Member<Target, Pair, TwoTiles> const& member) {
        int const thread = member.team_rank();
        auto const tiles = member.cluster_scratch();
        tiles->first[thread] = 1;
        tiles->second[thread] = 0;
        member.cluster_barrier();
        if (Repaired) tiles->second[thread] = 2;
        auto token = member.cluster_arrive();
        if (!Repaired) tiles->second[thread] = 2;
        member.cluster_wait(std::move(token));
        auto const other = member.peer(tiles, 1 - member.cluster_rank());
        results[member.league_rank() * threads + thread] =
            other->first[thread] + other->second[thread];
      });
  target.fence();
}

/// The peer's tile is read between the halves of the barrier that publishes it.
template <class Target, bool Repaired>
void read_between_the_halves(Target const& target) {
  using Pair = ClusterDims<2>;
  using Scratch = unsigned char[threads];
  auto const out = filled<int>(target, 4 * threads);
  int* const results = out.data();
  parallel_for(
      "read_between_the_halves", Clusters<Target, Pair, Scratch>(target, 4, threads),
      KOHORT_LAMBDA(Member<Target, Pair, Scratch> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = 1;
        member.cluster_barrier();
        auto const other = member.peer(tile, 1 - member.cluster_rank());
        int sum = 0;
        if (thread % 2 == 0) tile[thread] = 2;
        member.cluster_barrier([&] { sum += other[Repaired ? thread | 1 : thread]; });
        results[member.league_rank() * threads + thread] = sum + other[thread];
      });
  target.fence();
}

/// A relaxed arrival orders nothing: it may hand back what was read, and publishes no writes.
template <class Target, bool Repaired>
void relaxed_arrival_publishes(Target const& target) {
  using Row = ClusterDims<4>;
  using Scratch = std::int64_t[threads];
  auto const out = filled<std::int64_t>(target, 8 * threads);
  std::int64_t* const results = out.data();
  parallel_for(
      "relaxed_arrival_publishes", Clusters<Target, Row, Scratch>(target, 8, threads),
      KOHORT_LAMBDA(Member<Target, Row, Scratch> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = thread;
        auto token = Repaired ? member.cluster_arrive() : member.cluster_arrive_relaxed();
        member.cluster_wait(std::move(token));
        auto const next = member.peer(tile, (member.cluster_rank() + 1) % 4);
        results[member.league_rank() * threads + thread] = next[thread];
      });
  target.fence();
}

template <class Target>
void control_relaxed_arrival_hands_back(Target const& target) {
  using Row = ClusterDims<4>;
  using Scratch = std::int64_t[threads];
  auto const out = filled<std::int64_t>(target, 8 * threads);
  std::int64_t* const results = out.data();
  parallel_for(
      "control_relaxed_arrival_hands_back", Clusters<Target, Row, Scratch>(target, 8, threads),
      KOHORT_LAMBDA(Member<Target, Row, Scratch> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        auto const next = member.peer(tile, (member.cluster_rank() + 1) % 4);
        std::int64_t sum = 0;
        for (int round = 0; round < 4; ++round) {
          tile[thread] = round * thread;
          member.cluster_barrier();
          sum += next[thread ^ 1];
          auto token = member.cluster_arrive_relaxed();
          member.cluster_wait(std::move(token));
        }
        results[member.league_rank() * threads + thread] = sum;
      });
  target.fence();
}

struct Line {
  double values[8];
};
static_assert(sizeof(Line) == 64);

/// Whole lines of 64 B are pushed to the next team; its own barrier is no cluster barrier.
template <class Target, bool Repaired>
void pushed_lines_behind_a_team_barrier(Target const& target) {
  using Row = ClusterDims<3>;
  using Scratch = Line[4];
  auto const out = filled<Line>(target, 6 * 4);
  Line* const results = out.data();
  parallel_for(
      "pushed_lines_behind_a_team_barrier", Clusters<Target, Row, Scratch>(target, 6, threads),
      KOHORT_LAMBDA(Member<Target, Row, Scratch> const& member) {
        int const thread = member.team_rank();
        auto const inbox = member.cluster_scratch();
        if (thread < 4) inbox[thread] = Line{};
        member.cluster_barrier();
        auto const next = member.peer(inbox, (member.cluster_rank() + 1) % 3);
        if (thread < 4) next[thread] = Line{{1, 2, 3, 4, 5, 6, 7, double(thread)}};
        if (Repaired) {
          member.cluster_barrier();
        } else {
          member.team_barrier();
        }
        if (thread < 4) results[member.league_rank() * 4 + thread] = inbox[thread ^ 1];
      });
  target.fence();
}

struct alignas(16) Packet {
  int words[4];
};

template <class Target, bool Repaired>
void two_teams_push_into_one_slot(Target const& target) {
  using Square = ClusterDims<2, 2>;
  using Scratch = Packet[4];
  auto const out = filled<Packet>(target, 4);
  Packet* const results = out.data();
  parallel_for(
      "two_teams_push_into_one_slot", Clusters<Target, Square, Scratch>(target, League(4, 2), 32),
      KOHORT_LAMBDA(Member<Target, Square, Scratch> const& member) {
        int const rank = member.cluster_rank();
        auto const inbox = member.peer(member.cluster_scratch(), 0);
        int const slot = Repaired ? rank : rank & 2;
        if (member.team_rank() == 7) inbox[slot] = Packet{{rank, rank, rank, rank}};
        member.cluster_barrier();
        if (rank == 0 && member.team_rank() < 2)
          results[member.cluster_league_rank() * 2 + member.team_rank()] =
              inbox[2 * member.team_rank()];
      });
  target.fence();
}

/// Short slots of one word belong to different teams.
template <class Target>
void control_teams_share_words(Target const& target) {
  using Row = ClusterDims<4>;
  using Scratch = std::int16_t[4 * threads];
  auto const out = filled<int>(target, 8 * threads);
  int* const results = out.data();
  parallel_for(
      "control_teams_share_words", Clusters<Target, Row, Scratch>(target, 8, threads),
      KOHORT_LAMBDA(Member<Target, Row, Scratch> const& member) {
        int const thread = member.team_rank();
        auto const mine = member.cluster_scratch();
        for (int rank = 0; rank < 4; ++rank)
          member.peer(mine, rank)[4 * thread + member.cluster_rank()] =
              static_cast<std::int16_t>(thread);
        member.cluster_barrier();
        int sum = 0;
        for (int rank = 0; rank < 4; ++rank) sum += mine[4 * (31 - thread) + rank];
        results[member.league_rank() * threads + thread] = sum;
      });
  target.fence();
}

template <class Handle>
struct Plane {
  Handle data;
  int columns;
  KOHORT_FUNCTION double& operator()(int row, int column) const {
    return data[row * columns + column];
  }
};
template <class Plane>
KOHORT_FUNCTION double edge(Plane const& plane, int thread) {
  return plane(thread / 8, 7 - thread % 8);
}
template <class Plane>
KOHORT_FUNCTION double mean_of_edges(Plane const& mine, Plane const& other, int thread) {
  return 0.5 * (edge(mine, thread) + edge(other, thread));
}

/// Everything read lies before everything overwritten, in each team by itself.
template <class Target, bool Repaired>
void sweep_in_place(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicClusterScratch<double>>;
  auto const out = filled<double>(target, 6 * threads);
  double* const results = out.data();
  Policy policy(target, 6, threads, ClusterShape{3});
  policy.dynamic_cluster_scratch(threads);
  parallel_for(
      "sweep_in_place", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        auto const tile = member.dynamic_cluster_scratch();
        auto const next = member.peer(tile, (member.cluster_rank() + 1) % member.cluster_size());
        Plane<double*> const mine{&tile[0], 8};
        Plane<double*> const other{&next[0], 8};
        tile[thread] = thread;
        member.cluster_barrier();
        for (int sweep = 0; sweep < 3; ++sweep) {
          double const mean = mean_of_edges(mine, other, thread);
          if (Repaired) {
            member.cluster_barrier();
          } else {
            member.team_barrier();
          }
          mine(thread / 8, thread % 8) = mean;
          member.cluster_barrier();
        }
        results[member.league_rank() * threads + thread] = tile[thread];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {"halo_along_z", "race", "race-cluster-scratch", "own", halo_along_z<UnitTarget, false>,
     halo_along_z<UnitTarget, true>},
    {"gather_from_sixteen", "race", "race-cluster-scratch", "own",
     gather_from_sixteen<UnitTarget, false>, gather_from_sixteen<UnitTarget, true>},
    {"only_the_thousandth_cluster", "race", "race-cluster-scratch", "own",
     only_the_thousandth_cluster<UnitTarget, false>, only_the_thousandth_cluster<UnitTarget, true>},
    {"written_after_the_arrival", "race", "race-cluster-scratch", "own",
     written_after_the_arrival<UnitTarget, false>, written_after_the_arrival<UnitTarget, true>},
    {"read_between_the_halves", "race", "race-cluster-scratch", "own",
     read_between_the_halves<UnitTarget, false>, read_between_the_halves<UnitTarget, true>},
    {"relaxed_arrival_publishes", "race", "race-cluster-scratch", "own",
     relaxed_arrival_publishes<UnitTarget, false>, relaxed_arrival_publishes<UnitTarget, true>},
    {"control_relaxed_arrival_hands_back", "control", "", "own",
     control_relaxed_arrival_hands_back<UnitTarget>},
    {"pushed_lines_behind_a_team_barrier", "race", "race-cluster-scratch", "own",
     pushed_lines_behind_a_team_barrier<UnitTarget, false>,
     pushed_lines_behind_a_team_barrier<UnitTarget, true>},
    {"two_teams_push_into_one_slot", "race", "race-cluster-scratch", "own",
     two_teams_push_into_one_slot<UnitTarget, false>,
     two_teams_push_into_one_slot<UnitTarget, true>},
    {"control_teams_share_words", "control", "", "own", control_teams_share_words<UnitTarget>},
    {"sweep_in_place", "race", "race-cluster-scratch", "own", sweep_in_place<UnitTarget, false>,
     sweep_in_place<UnitTarget, true>},
};
}  // namespace

}  // namespace kohort::detect::own_cluster_races
