// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many clusters, large clusters, and everything at once.
#include "device.hpp"

namespace kohort::conformance::stress {

/// Ten thousand pairs, each with a barrier, a push, a pull and a remote atomic.
template <class Target>
void ten_thousand_clusters(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<unsigned[3]>>;
  int const size = cluster_teams(target, 2);
  int const teams = 10000 * size;
  int const threads = team_threads(target, 32);
  auto const results = poisoned<unsigned>(target, teams);
  unsigned* const result = results.data();
  parallel_for(
      "ten_thousand_clusters", Policy(target, teams, threads, size),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto cells = member.cluster_scratch();
        if (member.team_rank() == 0) {
          cells[0] = member.league_rank();
          cells[2] = 0;
        }
        member.cluster_barrier();
        auto other = member.peer(cells, size - 1 - member.cluster_rank());
        atomic_add(&other[2], 1u);
        if (member.team_rank() == 0) other[1] = 3 * other[0];
        member.cluster_barrier();
        if (member.team_rank() == 0) result[member.league_rank()] = cells[1] * 100 + cells[2];
      });
  std::vector<unsigned> expected;
  for (int team = 0; team < teams; ++team) expected.push_back(300u * team + threads);
  require_all_equal(download(results), expected, "cells of each team");
}

/// The largest cluster of the largest teams: 16 × 1024 on an H200.
template <class Target>
void the_largest_cluster_of_the_largest_teams(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<unsigned>>;
  int const size = properties(target).largest_nonportable_cluster;
  int const threads = properties(target).max_team_size;
  int const rounds = 4;
  auto const results = poisoned<unsigned>(target, size * threads);
  unsigned* const result = results.data();
  Policy policy(target, size, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "largest_cluster", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto cell = member.cluster_scratch();
        int const rank = member.cluster_rank();
        if (member.team_rank() == 0) *cell = 0;
        member.cluster_barrier();
        for (int round = 0; round < rounds; ++round) {
          atomic_add(&*member.peer(cell, (rank + round) % size), 1u);
          member.cluster_barrier();
        }
        unsigned const all = member.cluster_reduce(1u);
        result[rank * threads + member.team_rank()] = *cell + 10 * all;
      });
  require_all_equal(download(results),
                    std::vector<unsigned>(size * threads, rounds * threads + 10 * size * threads),
                    std::to_string(size) + " teams of " + std::to_string(threads));
}

/// A 2D heat step over tiles with halos from four neighbours in the cluster, many times, against
/// the same loops on the host: every part of the ladder below in one kernel.
inline constexpr int tile_edge = 8;

struct HeatState {
  float tile[2][tile_edge][tile_edge];
};

/// The cell at (x, y) of the cluster's grid, which wraps around.
inline std::vector<float> heat_on_the_host(std::vector<float> field, int width, int height,
                                           int steps) {
  for (int step = 0; step < steps; ++step) {
    std::vector<float> const before = field;
    auto const at = [&](int x, int y) {
      return before[(y + height) % height * width + (x + width) % width];
    };
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        float const sum = (at(x - 1, y) + at(x + 1, y)) + (at(x, y - 1) + at(x, y + 1));
        field[y * width + x] = 0.25f * sum;
      }
    }
  }
  return field;
}

struct HeatStep {
  float const* input;
  float* output;
  int steps;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto state = member.cluster_scratch();
    int const columns = member.cluster_extent(0);
    int const rows = member.cluster_extent(1);
    int const width = columns * tile_edge;
    int const height = rows * tile_edge;
    int const left = member.cluster_index(0) * tile_edge;
    int const top = member.cluster_index(1) * tile_edge;
    int const first = member.cluster_league_rank() * width * height;
    for (int i : TeamThreadRange(member, tile_edge * tile_edge)) {
      int const x = i % tile_edge;
      int const y = i / tile_edge;
      state->tile[0][y][x] = input[first + (top + y) * width + left + x];
    }
    for (int step = 0; step < steps; ++step) {
      member.cluster_barrier();
      auto const at = [&](int x, int y) {
        int const column = (x + width) % width;
        int const row = (y + height) % height;
        int const rank = row / tile_edge * columns + column / tile_edge;
        return member.peer(state, rank)->tile[step % 2][row % tile_edge][column % tile_edge];
      };
      for (int i : TeamThreadRange(member, tile_edge * tile_edge)) {
        int const x = left + i % tile_edge;
        int const y = top + i / tile_edge;
        float const sum = (at(x - 1, y) + at(x + 1, y)) + (at(x, y - 1) + at(x, y + 1));
        state->tile[(step + 1) % 2][i / tile_edge][i % tile_edge] = 0.25f * sum;
      }
    }
    member.team_barrier();
    for (int i : TeamThreadRange(member, tile_edge * tile_edge)) {
      output[first + (top + i / tile_edge) * width + left + i % tile_edge] =
          state->tile[steps % 2][i / tile_edge][i % tile_edge];
    }
  }
};

template <class Target>
void heat_flows_between_tiles_of_a_cluster(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<HeatState>>;
  int const columns = cluster_teams(target, 4) / cluster_teams(target, 2);
  int const rows = cluster_teams(target, 2);
  int const clusters = 6;
  int const steps = 7;
  int const width = columns * tile_edge;
  int const height = rows * tile_edge;
  std::vector<float> const input = random_values<float>(clusters * width * height, 91);
  auto const inputs = upload(target, input);
  auto const outputs = poisoned<float>(target, input.size());
  Policy policy(target, {clusters * columns, rows}, team_threads(target, 48),
                ClusterShape(columns, rows));
  policy.allow_nonportable_size();
  parallel_for("heat", policy, HeatStep{inputs.data(), outputs.data(), steps});
  std::vector<float> expected;
  for (int cluster = 0; cluster < clusters; ++cluster) {
    auto const first = input.begin() + cluster * width * height;
    std::vector<float> const field =
        heat_on_the_host({first, first + width * height}, width, height, steps);
    expected.insert(expected.end(), field.begin(), field.end());
  }
  require_all_equal(download(outputs), expected, "temperatures after 7 steps");
}

/// Random shapes, each with a cluster sum: what a hand-picked list forgets.
struct SumOfCluster {
  int* result;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    int const sum = member.cluster_reduce(member.league_rank() * 3 + member.team_rank());
    if (member.team_rank() == 0) result[member.league_rank()] = sum;
  }
};

template <class Target>
void random_shapes(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  std::mt19937 engine(4711);
  auto const random = [&](int most) { return static_cast<int>(engine() % most) + 1; };
  for (int repetition = 0; repetition < 40; ++repetition) {
    int const size = random(properties(target).largest_nonportable_cluster);
    int const teams = size * random(20);
    int const threads = random(std::min(properties(target).max_team_size, 200));
    auto const results = poisoned<int>(target, teams);
    Policy policy(target, teams, threads, size);
    policy.allow_nonportable_size();
    parallel_for("random_shape", policy, SumOfCluster{results.data()});
    std::vector<int> expected;
    for (int team = 0; team < teams; ++team) {
      int sum = 0;
      for (int rank = 0; rank < size; ++rank) {
        sum += (team / size * size + rank) * 3 * threads + threads * (threads - 1) / 2;
      }
      expected.push_back(sum);
    }
    require_all_equal(download(results), expected,
                      std::to_string(teams) + " teams of " + std::to_string(threads) +
                          " in clusters of " + std::to_string(size));
  }
}

namespace {
Rung<UnitTarget> const rung(
    "18_stress",
    {{"TenThousandClusters", ten_thousand_clusters<UnitTarget>},
     {"TheLargestClusterOfTheLargestTeams", the_largest_cluster_of_the_largest_teams<UnitTarget>},
     {"HeatFlowsBetweenTilesOfACluster", heat_flows_between_tiles_of_a_cluster<UnitTarget>},
     {"RandomShapes", random_shapes<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::stress
