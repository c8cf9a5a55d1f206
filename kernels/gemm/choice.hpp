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

/// How large a team's tile is: 128 × 256, 128 × 192, 128 × 128 or 64 × 128; where a team has less
/// scratch, compact 128 × 128 in 128 KB, and small 64 × 64 in 48 KB. `general` takes any size and
/// layout.
enum class TileKind { wide, middle, narrow, slim, compact, small, general };

inline constexpr TileKind all_tile_kinds[] = {TileKind::wide,   TileKind::middle,  TileKind::narrow,
                                              TileKind::slim,   TileKind::compact, TileKind::small,
                                              TileKind::general};

inline std::string to_string(TileKind kind) {
  switch (kind) {
    case TileKind::wide:
      return "wide";
    case TileKind::middle:
      return "middle";
    case TileKind::narrow:
      return "narrow";
    case TileKind::slim:
      return "slim";
    case TileKind::compact:
      return "compact";
    case TileKind::small:
      return "small";
    default:
      return "general";
  }
}
inline int rows_of(TileKind kind) {
  return kind == TileKind::slim || kind == TileKind::small ? 64 : 128;
}
inline int columns_of(TileKind kind) {
  return kind == TileKind::wide     ? 256
         : kind == TileKind::middle ? 192
         : kind == TileKind::small  ? 64
                                    : 128;
}
/// Those for devices on which no other fits.
inline bool is_for_less_scratch(TileKind kind) {
  return kind == TileKind::compact || kind == TileKind::small;
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
         "x" + std::to_string(shape.z) + " " + to_string(choice.cut.order) +
         (choice.cut.parts == 1 ? "" : " in " + std::to_string(choice.cut.parts) + " parts") +
         (choice.cut.by_cache ? "" : " for all caches alike");
}

/// What the caller has decided of a choice; the library guesses the rest.
struct Wish {
  std::optional<TileKind> kind;
  std::optional<ClusterShape> cluster;
  std::optional<TileOrder> order;
  std::optional<int> parts;
  std::optional<bool> by_cache;

  Wish() = default;
  Wish(Choice const& choice)  // NOLINT: a choice is a wish for all of it
      : kind(choice.kind),
        cluster(choice.cut.cluster),
        order(choice.cut.order),
        parts(choice.cut.parts),
        by_cache(choice.cut.by_cache) {}
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

/// What a tile of a kind costs on an H200, in cycles of the matrix units.
struct TileCost {
  double step;      ///< 128 B along K
  double epilogue;  ///< and the start of the next tile
};

/// Fitted to a dozen problems from 256 × 256 × 8192 to 16384³, each timed in several ways
/// (docs/results/gemm.md). A step of a wide tile takes the matrix units 1,024 cycles; a slim one's
/// is bound by scratch and by what the L2 cache gives. A narrow one fetches a third more for the
/// same products than a wide one, which shows when the operands are more than the cache holds.
inline TileCost cost_of(TileKind kind, double operand_bytes) {
  switch (kind) {
    case TileKind::wide:
      return {1040, 2600};
    case TileKind::middle:
      return {780, 2100};
    case TileKind::narrow:
      return {operand_bytes < 4e7 ? 505.0 : 525.0, 1500};
    case TileKind::compact:  // as narrow; not fitted, like all on devices where it is chosen
      return {525, 1500};
    case TileKind::small:
      return {230, 500};
    default:
      return {410, 500};
  }
}

/// Cycles that a choice takes, estimated: a start, waves of tiles, each so many steps and an
/// epilogue, and what it takes to bring pieces of K together.
inline double estimated_cycles(Choice const& choice, Extent const& extent, int resident) {
  ClusterShape const& shape = choice.cut.cluster;
  int const parts = choice.cut.parts;
  double const operand_bytes =
      128.0 * static_cast<double>((extent.m + extent.n) * extent.steps * extent.batch);
  TileCost const cost = cost_of(choice.kind, operand_bytes);
  auto const up = [](long long extent, long long tile) { return (extent + tile - 1) / tile; };
  long long const tiles = up(extent.m, static_cast<long long>(rows_of(choice.kind)) * shape.x) *
                          up(extent.n, static_cast<long long>(columns_of(choice.kind)) * shape.y) *
                          extent.batch;
  auto const waves = static_cast<double>(up(tiles * parts, std::max(resident, 1)));
  auto const steps = static_cast<double>(up(extent.steps, static_cast<long long>(shape.z) * parts));
  double const start = shape.count() > 1 ? 5500 : 3000;
  // A split's waves are launches of clusters, each with a start and a round trip to its peers.
  double const starts = shape.z > 1 ? start * waves : start;
  double const exchange = shape.z > 1 ? 8000 + 1500 * shape.z : 0;
  // Parts are a second kernel, and every part's sums go to memory and back.
  double const megabytes = static_cast<double>(extent.m * extent.n * extent.batch) * 4 / 0x1p20;
  double const sums = parts > 1 ? 2500 + 2200 * parts * megabytes : 0;
  return starts + waves * (steps * cost.step + cost.epilogue + exchange) + sums;
}

/// Wide and middle tiles leave no room for the peers' sums; parts are of clusters that don't split.
inline bool can_split(Choice const& choice) {
  ClusterShape const& shape = choice.cut.cluster;
  int const splits = shape.z;
  if (splits == 1) return true;
  bool const has_room = choice.kind == TileKind::narrow || choice.kind == TileKind::slim;
  return has_room && splits <= 8 && splits != 7 && shape.x * shape.y == 1 && choice.cut.parts == 1;
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
    for (int const parts : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16})
      if (parts <= extent.steps) all.push_back({kind, {{1, 1, 1}, TileOrder::blocks, parts}});
    for (int const splits : {2, 3, 4, 5, 6, 8}) {
      Choice const choice{kind, {{1, 1, splits}, TileOrder::blocks}};
      if (splits <= extent.steps && can_split(choice)) all.push_back(choice);
    }
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
                                " tile for these types and layouts on this target; there are " +
                                known + " and general");
  if (!can_split(choice))
    throw std::invalid_argument("kohort: gemm: " + to_string(choice) +
                                " splits K in a way that there is no kernel for; narrow and slim "
                                "split by 2, 3, 4, 5, 6 or 8 in clusters 1x1 and without parts");
}

/// @throws std::invalid_argument where pieces of K leave teams without a step: they would have no
/// sums.
inline void require_steps(Choice const& choice, Extent const& extent) {
  int const pieces = choice.cut.cluster.z * choice.cut.parts;
  if (pieces > extent.steps)
    throw std::invalid_argument("kohort: gemm: " + to_string(choice) + " cuts K into " +
                                std::to_string(pieces) + " pieces, but it has " +
                                std::to_string(extent.steps) +
                                " steps of 128 B; there can be as many pieces");
}

/// @throws std::invalid_argument for a number that counts nothing.
inline void require_parts(Wish const& wish) {
  if (wish.parts && *wish.parts < 1)
    throw std::invalid_argument("kohort: gemm: K is cut into 1 or more parts, not " +
                                std::to_string(*wish.parts));
}

/// The candidates that a wish leaves; for one that none fulfils, what it literally asks for.
inline std::vector<Choice> candidates_for(Wish const& wish, Extent const& extent,
                                          std::vector<TileKind> const& kinds) {
  std::vector<Choice> all;
  for (Choice const& choice : candidates(extent, kinds)) {
    bool const fits = (!wish.kind || choice.kind == *wish.kind) &&
                      (!wish.cluster || choice.cut.cluster == *wish.cluster) &&
                      (!wish.order || choice.cut.order == *wish.order) &&
                      (!wish.parts || choice.cut.parts == *wish.parts);
    if (fits) all.push_back(choice);
  }
  for (Choice& choice : all) choice.cut.by_cache = wish.by_cache.value_or(true);
  if (!all.empty()) return all;
  Cut const cut{wish.cluster.value_or(ClusterShape(1)), wish.order.value_or(TileOrder::blocks),
                wish.parts.value_or(1), wish.by_cache.value_or(true)};
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
    // Kinds for less scratch come last, and only where none before them is ever resident.
    if (fewest > 0 && is_for_less_scratch(choice.kind) && choice.kind != best.kind) continue;
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
