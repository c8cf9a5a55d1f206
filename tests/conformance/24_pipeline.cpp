// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline of stages: within a team, and with stages that the teams of a row and a column share.
#include "device.hpp"

namespace kohort::conformance::pipeline {

inline constexpr int stages = 3;
inline constexpr int tile = 8 * 32;  ///< elements: 8 rows of 128 B
inline constexpr int threads = 256;  ///< one warpgroup that fills, one that empties

struct alignas(128) Stages {
  int left[stages][tile];
  int right[stages][tile];
  PipelineBarriers<stages> barriers;
};

/// Tile `step` of source `source`.
KOHORT_FUNCTION int row_of(int source, int step, int steps) { return (source * steps + step) * 8; }

template <class Target>
TileMap<int const, 2, Target> map_of(Target const& target, Buffer<int, Target> const& memory,
                                     int split) {
  return {target,
          memory.data(),
          {.extents = {32, static_cast<long long>(memory.size() / 32)},
           .box = {32, 8},
           .split = split}};
}

/// Every team sums left(y) · (step + 1) + right(x) over the steps; left comes along x to a row of
/// teams, right along y to a column. Each team issues its slice of both: so none is a stage ahead
/// of a team that has not seen its own stage free.
template <class Target>
void sums_match(Target const& target, ClusterShape shape, int steps) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Stages>>;
  needs_team_size(target, threads);
  int const width = shape.x;
  int const height = shape.y;
  std::vector<int> const left = random_values<int>(height * steps * tile, 31);
  std::vector<int> const right = random_values<int>(width * steps * tile, 32);
  auto const left_memory = upload(target, left);
  auto const right_memory = upload(target, right);
  auto const left_map = map_of(target, left_memory, width);
  auto const right_map = map_of(target, right_memory, height);
  auto const results = poisoned<int>(target, static_cast<std::size_t>(width * height * tile));
  int* const result = results.data();
  Policy policy(target, League{shape.x, shape.y, shape.z}, threads, shape);
  policy.allow_nonportable_size();
  parallel_for(
      "pipeline", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Stages& mine = *member.cluster_scratch();
        TilePipeline<stages> const pipeline(member, mine.barriers);
        pipeline.run(
            member,
            [&](auto& producer) {
              for (int step = 0; step < steps; ++step)
                producer.fill(2 * tile * 4, [&](int stage, TransferBarrier& full) {
                  int const left_at[2] = {0, row_of(member.cluster_index(1), step, steps)};
                  int const right_at[2] = {0, row_of(member.cluster_index(0), step, steps)};
                  member.tile_load_multicast(left_map, left_at, mine.left[stage], full,
                                             ClusterAxis::x);
                  member.tile_load_multicast(right_map, right_at, mine.right[stage], full,
                                             ClusterAxis::y);
                });
            },
            [&](auto& consumer) {
              int sums[2] = {0, 0};
              for (int step = 0; step < steps; ++step) {
                int const stage = consumer.wait();
                for (int i = 0; i < 2; ++i) {
                  int const element = member.team_rank() + 128 * i;
                  sums[i] += mine.left[stage][element] * (step + 1) + mine.right[stage][element];
                }
                member.named_barrier(1, 128 / member.subgroup_size());
                consumer.release(stage);
              }
              for (int i = 0; i < 2; ++i)
                result[member.cluster_rank() * tile + member.team_rank() + 128 * i] = sums[i];
            });
      });
  std::vector<int> expected;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int element = 0; element < tile; ++element) {
        int sum = 0;
        for (int step = 0; step < steps; ++step)
          sum += left[(y * steps + step) * tile + element] * (step + 1) +
                 right[(x * steps + step) * tile + element];
        expected.push_back(sum);
      }
    }
  }
  require_all_equal(download(results), expected, to_string(shape));
}

template <class Target>
void a_team_alone_goes_round_its_stages(Target const& target) {
  for (int const steps : {1, 2, 3, 10}) sums_match(target, {1, 1, 1}, steps);
}

template <class Target>
void teams_share_their_stages(Target const& target) {
  needs_cluster_size(target, 2);
  int const most = properties(target).largest_nonportable_cluster;
  for (int const steps : {2, 7}) {
    sums_match(target, {2, 1, 1}, steps);
    if (most >= 4) sums_match(target, {2, 2, 1}, steps);
    if (most >= 8) sums_match(target, {2, 4, 1}, steps);
  }
}

template <class Target>
void threads_know_their_warpgroup(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  needs_team_size(target, 384);
  auto const results = poisoned<int>(target, 384);
  int* const result = results.data();
  parallel_for(
      "warpgroups", Policy(target, 1, 384),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        result[member.team_rank()] = member.warpgroup_rank();
      });
  std::vector<int> expected;
  for (int thread = 0; thread < 384; ++thread) expected.push_back(thread / 128);
  require_all_equal(download(results), expected, "warpgroups of a team of 384");
}

namespace {
Rung<UnitTarget> const rung(
    "24_pipeline",
    {{"ThreadsKnowTheirWarpgroup", threads_know_their_warpgroup<UnitTarget>},
     {"ATeamAloneGoesRoundItsStages", a_team_alone_goes_round_its_stages<UnitTarget>},
     {"TeamsShareTheirStages", teams_share_their_stages<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::pipeline
