// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUVerify's CUDA tests of warp-synchronous code. There a warp is in lockstep; here, as on GPUs
// since Volta, a tile's barrier says so.
#include "case.hpp"

namespace kohort::detect::gpuverify_warps {

constexpr int lanes = 32;
constexpr int threads = lanes * lanes;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;

/// A rotation of each warp's elements in place; tiles of `Synchronised` lanes keep step.
template <int Synchronised, class Target>
void rotate(Target const& target) {
  auto const row = filled<int>(target, threads, 1);
  int* const values = row.data();
  parallel_for(
      "rotate", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        int* const warp = values + thread / lanes * lanes;
        int const next = warp[(thread + 1) % lanes];
        member.template subgroup_tile<Synchronised>().barrier();
        values[thread] = next + thread;
      });
  target.fence();
}

template <class Target>
void half_a_warp_keeps_step(Target const& target) {
  rotate<lanes / 2>(target);
}

template <class Target>
void a_warp_keeps_step(Target const& target) {
  rotate<lanes>(target);
}

/// Sums of each lane's element and those below it in the tile, in place.
template <class Tile>
KOHORT_FUNCTION void scan_in_place(Tile const& tile, int* values) {
  int const lane = tile.thread_rank();
  for (int distance = 1; distance < lanes; distance *= 2) {
    int const below = lane >= distance ? values[lane - distance] : 0;
    tile.barrier();
    values[lane] += below;
    tile.barrier();
  }
}

template <class Target>
void scan_of_each_warp(Target const& target) {
  auto const row = filled<int>(target, threads, 1);
  int* const values = row.data();
  parallel_for(
      "scan_warp", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        scan_in_place(member.template subgroup_tile<lanes>(),
                      values + member.team_rank() / lanes * lanes);
      });
  target.fence();
}

template <class Target>
using WithSums = ClusterPolicy<Target, TeamScratch<int[lanes]>>;
template <class Target>
using SumsMember = typename WithSums<Target>::member_type;

template <class Target>
void scan_of_the_team(Target const& target) {
  auto const row = filled<int>(target, threads, 1);
  int* const values = row.data();
  parallel_for(
      "scan_team", WithSums<Target>(target, 1, threads),
      KOHORT_LAMBDA(SumsMember<Target> const& member) {
        auto const tile = member.template subgroup_tile<lanes>();
        int const warp = tile.meta_group_rank();
        int const lane = tile.thread_rank();
        int* const mine = values + warp * lanes;
        int* const sums = member.team_scratch();
        scan_in_place(tile, mine);
        if (lane == lanes - 1) sums[warp] = mine[lane];
        member.team_barrier();
        if (warp == 0) scan_in_place(tile, sums);
        member.team_barrier();
        if (warp > 0) mine[lane] += sums[warp - 1];
      });
  target.fence();
}

constexpr int side = 4;
constexpr int tiles = 3;
constexpr int width = side * tiles;

template <class Target>
using WithTile = ClusterPolicy<Target, TeamScratch<float[side][side]>>;
template <class Target>
using TileMember = typename WithTile<Target>::member_type;

/// The team is half a warp, so a tile of 16 lanes is all of it.
template <class Target>
void transposition_of_tiles(Target const& target) {
  auto const from = filled<float>(target, width * width, 1.0F);
  auto const to = filled<float>(target, width * width);
  float const* const in = from.data();
  float* const out = to.data();
  parallel_for(
      "transpose", WithTile<Target>(target, {tiles, tiles}, side * side),
      KOHORT_LAMBDA(TileMember<Target> const& member) {
        auto const half = member.template subgroup_tile<side * side>();
        int const x = member.team_rank() % side;
        int const y = member.team_rank() / side;
        int const left = member.league_index(0) * side;
        int const top = member.league_index(1) * side;
        auto& tile = member.team_scratch();
        tile[y][x] = in[(top + y) * width + left + x];
        half.barrier();
        float const mirrored = tile[x][y];
        half.barrier();
        tile[y][x] = mirrored;
        member.team_barrier();
        out[(left + y) * width + top + x] = tile[y][x];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "gpuverify_broken_shuffle",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify warpsync/broken_shuffle",
     .faulty = half_a_warp_keeps_step<UnitTarget>,
     .repaired = a_warp_keeps_step<UnitTarget>},
    {.name = "gpuverify_shuffle",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify warpsync/shuffle",
     .faulty = a_warp_keeps_step<UnitTarget>},
    {.name = "gpuverify_scan_warp",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify warpsync/scan_warp",
     .faulty = scan_of_each_warp<UnitTarget>},
    {.name = "gpuverify_intragroup_scan",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify warpsync/intragroup_scan",
     .faulty = scan_of_the_team<UnitTarget>},
    {.name = "gpuverify_warpsync_2d",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify warpsync/2d",
     .faulty = transposition_of_tiles<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::gpuverify_warps
