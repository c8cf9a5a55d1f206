// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/plan.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kohort::kernels::gemm {

/// The columns of a team's tile; its rows are 128. `general` takes any size and layout.
enum class TileKind { wide, narrow, slim, general };

inline constexpr TileKind all_tile_kinds[] = {TileKind::wide, TileKind::narrow, TileKind::slim,
                                              TileKind::general};

inline std::string to_string(TileKind kind) {
  switch (kind) {
    case TileKind::wide:
      return "wide";
    case TileKind::narrow:
      return "narrow";
    case TileKind::slim:
      return "slim";
    default:
      return "general";
  }
}
inline int columns_of(TileKind kind) {
  return kind == TileKind::wide ? 256 : kind == TileKind::slim ? 64 : 128;
}

/// A kernel of the family and how it cuts the problem up.
struct Choice {
  TileKind kind = TileKind::general;
  Cut cut;
};

inline std::string to_string(Choice const& choice) {
  if (choice.kind == TileKind::general) return "general";
  ClusterShape const& shape = choice.cut.cluster;
  return to_string(choice.kind) + " " + std::to_string(shape.x) + "x" + std::to_string(shape.y) +
         "x" + std::to_string(shape.z) + " " + to_string(choice.cut.order);
}

/// What is known of a problem before anything runs.
struct Extent {
  long long m = 0;
  long long n = 0;
  long long steps = 0;  ///< along K, 128 B each
  long long batch = 1;
};

/// Clusters of such a choice that are resident at once.
using ResidentClusters = std::function<int(TileKind, ClusterShape)>;

/// Cycles that a choice takes, estimated: waves of tiles, each so many steps and an epilogue.
///
/// Cycles a step and an epilogue were read off the clock of an H200 while the kernels ran
/// (docs/results/gemm.md): a step of a wide tile is bound by the matrix units (1,024 cycles for
/// 128 × 256 × 64), of the others by scratch; a split adds a round trip to its peers.
inline double estimated_cycles(Choice const& choice, Extent const& extent, int resident) {
  double const step = choice.kind == TileKind::wide     ? 1030
                      : choice.kind == TileKind::narrow ? 730
                                                        : 700;
  double const epilogue = choice.kind == TileKind::wide     ? 2700
                          : choice.kind == TileKind::narrow ? 1800
                                                            : 1400;
  ClusterShape const& shape = choice.cut.cluster;
  long long const rows = (extent.m + 128LL * shape.x - 1) / (128LL * shape.x);
  long long const wide = static_cast<long long>(columns_of(choice.kind)) * shape.y;
  long long const tiles = rows * ((extent.n + wide - 1) / wide) * extent.batch;
  long long const waves = (tiles + resident - 1) / std::max(resident, 1);
  double const steps = static_cast<double>((extent.steps + shape.z - 1) / shape.z);
  double const start = shape.count() > 1 ? 5000 : 2500;
  double const exchange = shape.z > 1 ? 6000 : 0;
  // The waves of a split are launches of clusters, each with its own start.
  double const starts = shape.z > 1 ? start * static_cast<double>(waves) : start;
  return starts + static_cast<double>(waves) * (steps * step + epilogue + exchange);
}

/// What is worth trying for a problem whose operands tile maps can describe.
/// @param kinds  that exist for its types and layouts
inline std::vector<Choice> candidates(Extent const& extent, std::vector<TileKind> const& kinds) {
  std::vector<Choice> all;
  for (TileKind const kind : kinds) {
    if (kind == TileKind::general) continue;
    for (ClusterShape const shape :
         {ClusterShape{1, 1, 1}, ClusterShape{2, 1, 1}, ClusterShape{1, 2, 1},
          ClusterShape{2, 2, 1}, ClusterShape{4, 1, 1}, ClusterShape{1, 4, 1}})
      for (TileOrder const order : all_tile_orders) all.push_back({kind, {shape, order}});
    if (kind == TileKind::wide) continue;
    for (int const splits : {2, 3, 4, 5, 6, 8})
      if (splits <= extent.steps) all.push_back({kind, {{1, 1, splits}, TileOrder::blocks}});
  }
  return all;
}

/// @throws std::invalid_argument unless `choice` is of one of `kinds` and splits as they can.
inline void require_kind(Choice const& choice, std::vector<TileKind> const& kinds) {
  std::string known;
  bool is_known = false;
  for (TileKind const kind : kinds) {
    known += (known.empty() ? "" : ", ") + to_string(kind);
    is_known |= kind == choice.kind;
  }
  if (!is_known)
    throw std::invalid_argument("kohort: gemm: no " + to_string(choice.kind) +
                                " tile for these types and layouts; there are " + known +
                                " and general");
  ClusterShape const& shape = choice.cut.cluster;
  int const splits = shape.z;
  bool const can_split = splits == 1 || (choice.kind != TileKind::wide && splits <= 8 &&
                                         splits != 7 && shape.x * shape.y == 1);
  if (!can_split)
    throw std::invalid_argument("kohort: gemm: " + to_string(choice) +
                                " splits K in a way that there is no kernel for; narrow and slim "
                                "split by 2, 3, 4, 5, 6 or 8 in clusters 1x1");
}

/// The choice with the fewest estimated cycles; the first of equals.
inline Choice best_guess(Extent const& extent, std::vector<TileKind> const& kinds,
                         ResidentClusters const& resident) {
  Choice best;
  double fewest = 0;
  for (Choice const& choice : candidates(extent, kinds)) {
    if (choice.cut.order != TileOrder::blocks) continue;
    int const clusters = resident(choice.kind, choice.cut.cluster);
    if (clusters < 1) continue;
    double const cycles = estimated_cycles(choice, extent, clusters);
    if (best.kind != TileKind::general && cycles >= fewest) continue;
    best = choice;
    fewest = cycles;
  }
  return best;
}

}  // namespace kohort::kernels::gemm
