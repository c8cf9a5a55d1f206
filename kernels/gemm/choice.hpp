// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/plan.hpp>

#include <algorithm>
#include <functional>
#include <optional>
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

/// What the caller has decided of a choice; the library guesses the rest.
struct Wish {
  std::optional<TileKind> kind;
  std::optional<ClusterShape> cluster;
  std::optional<TileOrder> order;

  Wish() = default;
  Wish(Choice const& choice)  // NOLINT: a choice is a wish for all of it
      : kind(choice.kind), cluster(choice.cut.cluster), order(choice.cut.order) {}
  Wish(std::optional<Choice> const& choice)  // NOLINT: none is no wish
      : Wish(choice ? Wish(*choice) : Wish()) {}
};

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

/// Wide tiles leave no room for the peers' sums.
inline bool can_split(Choice const& choice) {
  ClusterShape const& shape = choice.cut.cluster;
  int const splits = shape.z;
  return splits == 1 ||
         (choice.kind != TileKind::wide && splits <= 8 && splits != 7 && shape.x * shape.y == 1);
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
  if (!can_split(choice))
    throw std::invalid_argument("kohort: gemm: " + to_string(choice) +
                                " splits K in a way that there is no kernel for; narrow and slim "
                                "split by 2, 3, 4, 5, 6 or 8 in clusters 1x1");
}

/// @throws std::invalid_argument where a split leaves teams without a step: they would have no
/// sums.
inline void require_steps(Choice const& choice, Extent const& extent) {
  if (choice.cut.cluster.z > extent.steps)
    throw std::invalid_argument("kohort: gemm: " + to_string(choice) + " splits K by " +
                                std::to_string(choice.cut.cluster.z) + ", but it has " +
                                std::to_string(extent.steps) +
                                " steps of 128 B; a split goes up to their number");
}

/// The candidates that a wish leaves; for one that none fulfils, what it literally asks for.
inline std::vector<Choice> candidates_for(Wish const& wish, Extent const& extent,
                                          std::vector<TileKind> const& kinds) {
  std::vector<Choice> all;
  for (Choice const& choice : candidates(extent, kinds)) {
    bool const fits = (!wish.kind || choice.kind == *wish.kind) &&
                      (!wish.cluster || choice.cut.cluster == *wish.cluster) &&
                      (!wish.order || choice.cut.order == *wish.order);
    if (fits) all.push_back(choice);
  }
  if (!all.empty()) return all;
  Cut const cut{wish.cluster.value_or(ClusterShape(1)), wish.order.value_or(TileOrder::blocks)};
  if (wish.kind) return {{*wish.kind, cut}};
  for (TileKind const kind : kinds)
    if (can_split({kind, cut})) all.push_back({kind, cut});
  if (all.empty()) all.push_back({kinds.front(), cut});
  return all;
}

/// The choice with the fewest estimated cycles, of those that the wish leaves; the first of equals.
/// The general kernel if none is ever resident, unless the wish names the cluster: the launch then
/// says why it can't be.
inline Choice best_guess(Extent const& extent, std::vector<TileKind> const& kinds,
                         ResidentClusters const& resident, Wish const& wish = {}) {
  std::vector<Choice> const all = candidates_for(wish, extent, kinds);
  Choice best = wish.cluster ? all.front() : Choice{};
  double fewest = 0;
  for (Choice const& choice : all) {
    if (!wish.order && choice.cut.order != TileOrder::blocks) continue;
    int const clusters = resident(choice.kind, choice.cut.cluster);
    if (clusters < 1) continue;
    double const cycles = estimated_cycles(choice, extent, clusters);
    if (fewest > 0 && cycles >= fewest) continue;
    best = choice;
    fewest = cycles;
  }
  return best;
}

}  // namespace kohort::kernels::gemm
