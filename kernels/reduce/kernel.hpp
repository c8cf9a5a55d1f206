// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/packet.hpp>
#include <kernels/reduce/handover.hpp>
#include <kohort/kohort.hpp>

/// The sum of an array, as a ladder: each variant is the one before with one idea changed. All are
/// one launch, also when it is repeated: what they leave between launches is as they found it.
namespace kohort::kernels::reduce {

/// What every variant receives. `workspace` pointers are to zeros at first, and after each launch.
template <class T>
struct Problem {
  T const* in;            ///< aligned to 16 B, as a Buffer's data is
  long long count;        ///< elements
  T* result;              ///< written, never read
  Handover<T>* partials;  ///< workspace of the variants with a partial a team: handover_places()
  T* accumulator;         ///< workspace of the variants with an atomic
  unsigned* arrivals;     ///< workspace of the same: teams or clusters that are done
};

/// Sums thread `thread` of `threads`' share of the array. Neighbouring threads read neighbouring
/// packets, and a thread has `in_flight` loads under way before it adds the first.
template <class T>
KOHORT_FUNCTION T sum_share(Problem<T> const& problem, long long thread, long long threads) {
  constexpr int in_flight = 4;
  constexpr int width = Packet<T>::count;
  Packet<T> const* const packets = as_packets(problem.in);
  long long const packet_count = problem.count / width;

  Packet<T> sums{};
  Packet<T> loaded[in_flight];
  long long packet = thread;
  for (; packet + (in_flight - 1) * threads < packet_count; packet += in_flight * threads) {
    KOHORT_UNROLL
    for (int load = 0; load < in_flight; ++load) loaded[load] = packets[packet + load * threads];
    KOHORT_UNROLL
    for (int load = 0; load < in_flight; ++load) {
      KOHORT_UNROLL
      for (int i = 0; i < width; ++i) sums[i] += loaded[load][i];
    }
  }
  KOHORT_UNROLL
  for (int load = 0; load < in_flight - 1; ++load) {
    loaded[load] = Packet<T>{};
    if (packet + load * threads < packet_count) loaded[load] = packets[packet + load * threads];
  }
  KOHORT_UNROLL
  for (int load = 0; load < in_flight - 1; ++load) {
    KOHORT_UNROLL
    for (int i = 0; i < width; ++i) sums[i] += loaded[load][i];
  }
  long long const rest = packet_count * width + thread;
  T sum = rest < problem.count ? problem.in[rest] : T(0);
  KOHORT_UNROLL
  for (int i = 0; i < width; ++i) sum += sums[i];
  return sum;
}

/// Waits for the launch before, whose end may overlap with this launch's beginning, and lets the
/// next one begin when this team has read its share: what is left is latency, not bandwidth.
template <class T, class Member>
KOHORT_FUNCTION T sum_share(Problem<T> const& problem, Member const& member) {
  long long const size = member.team_size();
  member.wait_for_previous();
  T const sum = sum_share(problem, member.league_rank() * size + member.team_rank(),
                          member.league_size() * size);
  member.allow_next();
  return sum;
}

/// Every team hands its partial over, and the league's first tile adds them up in league order:
/// equal launches give equal bits. It waits for teams that depend on nobody, so all need not be
/// resident together; but a place for them must come free, hence the persistent league.
/// @param team_sum  read in the team's first thread only
template <class T, class Member, class Tile>
KOHORT_FUNCTION void finish_with_partials(Problem<T> const& problem, Member const& member,
                                          Tile const& tile, T team_sum) {
  if (tile.meta_group_rank() != 0) return;
  bool const is_first_thread = tile.thread_rank() == 0;
  if (member.league_rank() != 0) {
    if (is_first_thread) hand_over(problem.partials + member.league_rank(), team_sum);
    return;
  }
  int const first = 1 + tile.thread_rank();
  T sum = is_first_thread ? team_sum : T(0);
  sum += sum_received(problem.partials, first, Tile::size(), member.league_size());
  sum = tile.reduce(sum);
  if (is_first_thread) *problem.result = sum;
  clear_places(problem.partials, first, Tile::size(), member.league_size());
}

/// One thread adds its group's sum to the accumulator; the one that comes last of `groups` moves
/// the total out and leaves zeros for the next launch.
template <class T>
KOHORT_FUNCTION void finish_with_atomic(Problem<T> const& problem, T sum, unsigned groups) {
  atomic_add(problem.accumulator, sum);
  unsigned const earlier =
      atomic_fetch_add<Scope::device, MemoryOrder::acquire_release>(problem.arrivals, 1u);
  if (earlier != groups - 1) return;
  *problem.result = atomic_exchange(problem.accumulator, T(0));
  atomic_store(problem.arrivals, 0u);
}

/// The team's sum from one partial a tile. One team barrier. Right in the first tile's threads.
template <class T, class Tile, class Cells, class Member>
KOHORT_FUNCTION T combine_tiles(Member const& member, Tile const& tile, Cells& cells, T tile_sum) {
  if (tile.thread_rank() == 0) cells[tile.meta_group_rank()] = tile_sum;
  member.team_barrier();
  if (tile.meta_group_rank() != 0) return T(0);
  constexpr int most_cells = 1024 / Tile::size();
  T sum = T(0);
  KOHORT_UNROLL
  for (int first = 0; first < most_cells; first += Tile::size()) {
    int const cell = first + tile.thread_rank();
    if (cell < tile.meta_group_size()) sum += cells[cell];
  }
  return tile.reduce(sum);
}

/// Partials that the tiles of the largest team leave: 32 where a tile has 32 lanes.
template <class T, int Lanes>
using TileCells = T[1024 / Lanes];

/// Registers for all 2048 threads of an SM: 32 a thread on an H200. Loads under way, not registers,
/// are what a reduction needs.
using FullOccupancy = LaunchBounds<1024, 2>;

/// (a) Every thread's sum in the team's scratch, halved by a tree: log2(threads) + 1 barriers.
template <class T, int Lanes>
struct SharedTree {
  template <class Target>
  using policy = ClusterPolicy<Target, DynamicTeamScratch<T>, FullOccupancy>;

  Problem<T> problem;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto const tile = member.template subgroup_tile<Lanes>();
    T* const cells = member.dynamic_team_scratch();
    int const thread = member.team_rank();
    cells[thread] = sum_share(problem, member);
    member.team_barrier();
    for (int half = member.team_size() / 2; half > 0; half /= 2) {
      if (thread < half) cells[thread] += cells[thread + half];
      member.team_barrier();
    }
    finish_with_partials(problem, member, tile, cells[0]);
  }
};

/// (b) The subgroup's sum by shuffles, then one cell a subgroup: one barrier.
template <class T, int Lanes>
struct SubgroupShuffles {
  template <class Target>
  using policy = ClusterPolicy<Target, TeamScratch<TileCells<T, Lanes>>, FullOccupancy>;

  Problem<T> problem;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto const tile = member.template subgroup_tile<Lanes>();
    T sum = sum_share(problem, member);
    KOHORT_UNROLL
    for (int delta = Lanes / 2; delta > 0; delta /= 2) sum += tile.shuffle_down(sum, delta);
    sum = combine_tiles(member, tile, member.team_scratch(), sum);
    finish_with_partials(problem, member, tile, sum);
  }
};

/// (c) The same with the tile's own collective, so that the tile's size is a parameter.
template <class T, int Lanes>
struct SubgroupTiles {
  template <class Target>
  using policy = ClusterPolicy<Target, TeamScratch<TileCells<T, Lanes>>, FullOccupancy>;

  Problem<T> problem;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto const tile = member.template subgroup_tile<Lanes>();
    T const tile_sum = tile.reduce(sum_share(problem, member));
    T const sum = combine_tiles(member, tile, member.team_scratch(), tile_sum);
    finish_with_partials(problem, member, tile, sum);
  }
};

/// (d) The team's sum goes into one accumulator: no partials to read again.
template <class T, int Lanes>
struct OneAtomicATeam {
  template <class Target>
  using policy = ClusterPolicy<Target, TeamScratch<TileCells<T, Lanes>>, FullOccupancy>;

  Problem<T> problem;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto const tile = member.template subgroup_tile<Lanes>();
    T const tile_sum = tile.reduce(sum_share(problem, member));
    T const sum = combine_tiles(member, tile, member.team_scratch(), tile_sum);
    if (member.team_rank() == 0) {
      finish_with_atomic(problem, sum, static_cast<unsigned>(member.league_size()));
    }
  }
};

/// (e) The teams of a cluster push their sums to its first team, which adds to the accumulator.
template <class T, int Lanes>
struct OneAtomicACluster {
  /// A cluster has at most 16 teams on the devices that Kohort knows.
  static constexpr int max_cluster = 16;

  template <class Target>
  using policy = ClusterPolicy<Target, TeamScratch<TileCells<T, Lanes>>,
                               ClusterScratch<T[max_cluster]>, FullOccupancy>;

  Problem<T> problem;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto const tile = member.template subgroup_tile<Lanes>();
    T const tile_sum = tile.reduce(sum_share(problem, member));
    T sum = combine_tiles(member, tile, member.team_scratch(), tile_sum);
    auto const sums = member.cluster_scratch();
    auto const first = member.peer(sums, 0);
    if (member.team_rank() == 0) first[member.cluster_rank()] = sum;
    member.cluster_barrier();
    if (member.cluster_rank() != 0 || member.team_rank() != 0) return;
    for (int rank = 1; rank < member.cluster_size(); ++rank) sum += sums[rank];
    finish_with_atomic(problem, sum, static_cast<unsigned>(member.cluster_league_size()));
  }
};

}  // namespace kohort::kernels::reduce
