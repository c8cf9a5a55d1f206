// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One box to the scratch of several teams: along an axis, whole and in slices, and by a mask.
#include "tile_model.hpp"

namespace kohort::conformance::multicast {

inline constexpr int columns = 32;

struct alignas(1024) Slot {
  int tile[16 * columns];
  TransferBarrier full;
};

/// A tensor whose element is its number: what a box of rows holds is easily said.
template <class Target>
Buffer<int, Target> numbered(Target const& target, int rows) {
  std::vector<int> values(static_cast<std::size_t>(rows) * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  return upload(target, values);
}

inline void append_rows(std::vector<int>& expected, int first_row, int rows) {
  for (int i = 0; i < rows * columns; ++i) expected.push_back(first_row * columns + i);
}

/// The teams along an axis of a shape share a box; each waits for all of its bytes.
template <class Target>
void share_along(Target const& target, ClusterShape shape, ClusterAxis axis, bool splits) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Slot>>;
  int const threads = team_threads(target, 64);
  int const size = static_cast<int>(shape.count());
  int const sharers = axis == ClusterAxis::x ? shape.x : shape.y;
  int const rows = 16;
  int const rounds = 3;
  auto const memory = numbered(target, rounds * rows * 8);
  TileMap<int const, 2, Target> const map(target, memory.data(),
                                          {.extents = {columns, rounds * rows * 8},
                                           .box = {columns, rows},
                                           .split = splits ? sharers : 1});
  auto const results =
      poisoned<int>(target, static_cast<std::size_t>(size * rounds * rows * columns));
  int* const result = results.data();
  Policy policy(target, League{shape.x, shape.y, shape.z}, threads, shape);
  policy.allow_nonportable_size();
  parallel_for(
      "multicast", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Slot& slot = *member.cluster_scratch();
        member.init_barriers(BarrierGroup(slot.full, 1));
        int const other =
            axis == ClusterAxis::x ? member.cluster_index(1) : member.cluster_index(0);
        Waiter waiter;
        for (int round = 0; round < rounds; ++round) {
          int const at[2] = {0, (other * rounds + round) * rows};
          if (member.team_rank() == 0) {
            member.arrive_expecting(slot.full, map.box_bytes());
            member.tile_load_multicast(map, at, slot.tile, slot.full, axis);
          }
          member.wait(slot.full, waiter);
          int const first = (member.cluster_rank() * rounds + round) * rows * columns;
          for (int i = member.team_rank(); i < rows * columns; i += threads)
            result[first + i] = slot.tile[i];
          member.cluster_barrier();
        }
      });
  std::vector<int> expected;
  for (int rank = 0; rank < size; ++rank) {
    int const other = axis == ClusterAxis::x ? rank / shape.x : rank % shape.x;
    for (int round = 0; round < rounds; ++round)
      append_rows(expected, (other * rounds + round) * rows, rows);
  }
  require_all_equal(download(results), expected, to_string(shape) + (splits ? " in slices" : ""));
}

template <class Target>
void teams_along_x_share_a_box(Target const& target) {
  for (int size : cluster_sizes(target)) share_along(target, {size, 1, 1}, ClusterAxis::x, false);
}

template <class Target>
void teams_along_an_axis_share_a_box(Target const& target) {
  needs_cluster_size(target, 4);
  share_along(target, {2, 2, 1}, ClusterAxis::x, false);
  share_along(target, {2, 2, 1}, ClusterAxis::y, false);
  if (cluster_teams(target, 8) < 8) return;
  share_along(target, {4, 2, 1}, ClusterAxis::y, true);
  share_along(target, {4, 2, 1}, ClusterAxis::x, true);
}

/// Each team issues a slice to all.
template <class Target>
void teams_issue_a_slice_each(Target const& target) {
  for (int size : cluster_sizes(target))
    if (16 % size == 0) share_along(target, {size, 1, 1}, ClusterAxis::x, true);
}

/// Even and odd ranks share a box each, named by a mask.
template <class Target>
void a_mask_names_the_teams(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Slot>>;
  needs_cluster_size(target, 4);
  int const size = cluster_teams(target, 8) / 2 * 2;
  int const threads = team_threads(target, 64);
  int const rows = 8;
  auto const memory = numbered(target, 2 * rows);
  TileMap<int const, 2, Target> const map(target, memory.data(),
                                          {.extents = {columns, 2 * rows}, .box = {columns, rows}});
  auto const results = poisoned<int>(target, static_cast<std::size_t>(size * rows * columns));
  int* const result = results.data();
  Policy policy(target, size, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "multicast_by_mask", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Slot& slot = *member.cluster_scratch();
        member.init_barriers(BarrierGroup(slot.full, 1));
        int const half = member.cluster_rank() % 2;
        std::uint32_t const all = (std::uint32_t{1} << size) - 1U;
        std::uint32_t const ranks = all & (half == 0 ? 0x55555555U : 0xaaaaaaaaU);
        if (member.team_rank() == 0) {
          int const at[2] = {0, half * rows};
          member.arrive_expecting(slot.full, map.box_bytes());
          member.tile_load_multicast(map, at, slot.tile, slot.full, ranks);
        }
        Waiter waiter;
        member.wait(slot.full, waiter);
        for (int i = member.team_rank(); i < rows * columns; i += threads)
          result[member.cluster_rank() * rows * columns + i] = slot.tile[i];
      });
  std::vector<int> expected;
  for (int rank = 0; rank < size; ++rank) append_rows(expected, rank % 2 * rows, rows);
  require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
}

namespace {
Rung<UnitTarget> const rung("22_multicast",
                            {{"TeamsAlongXShareABox", teams_along_x_share_a_box<UnitTarget>},
                             {"TeamsAlongAnAxisShareABox",
                              teams_along_an_axis_share_a_box<UnitTarget>},
                             {"TeamsIssueASliceEach", teams_issue_a_slice_each<UnitTarget>},
                             {"AMaskNamesTheTeams", a_mask_names_the_teams<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::multicast
