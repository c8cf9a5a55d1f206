// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/persistent_league.hpp>
#include <kernels/reduce/kernel.hpp>
#include <kohort/kohort.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

namespace kohort::kernels::reduce {

enum class Variant {
  shared_tree,
  subgroup_shuffles,
  subgroup_tiles_32,
  subgroup_tiles_16,
  one_atomic_a_team,
  one_atomic_a_cluster,
};

inline constexpr Variant all_variants[] = {
    Variant::shared_tree,       Variant::subgroup_shuffles, Variant::subgroup_tiles_32,
    Variant::subgroup_tiles_16, Variant::one_atomic_a_team, Variant::one_atomic_a_cluster};

inline std::string to_string(Variant variant) {
  switch (variant) {
    case Variant::shared_tree:
      return "shared_tree";
    case Variant::subgroup_shuffles:
      return "subgroup_shuffles";
    case Variant::subgroup_tiles_32:
      return "subgroup_tiles_32";
    case Variant::subgroup_tiles_16:
      return "subgroup_tiles_16";
    case Variant::one_atomic_a_team:
      return "one_atomic_a_team";
    case Variant::one_atomic_a_cluster:
      return "one_atomic_a_cluster";
  }
  throw std::invalid_argument("kohort: no such variant of reduce");
}

/// The harness that all variants share: the workspace, and the size of the league.
///
/// The league is persistent: as many clusters as are resident at once (asked of the device once,
/// here), or fewer where the array is too short to occupy them.
template <class Target, class T>
class Reduction {
 public:
  /// @param team_threads  a multiple of the tile's lanes; for shared_tree a power of two
  /// @throws std::invalid_argument for a team that the variant can't have.
  Reduction(Target const& target, Variant variant, int team_threads, ClusterShape cluster)
      : target_(target),
        label_("reduce/" + to_string(variant)),
        team_threads_(team_threads),
        cluster_(cluster),
        state_(target, 2),
        arrivals_(target, 1),
        partials_(target, 0) {
    select(variant);
    partials_ = Buffer<Handover<T>, Target>(
        target,
        static_cast<std::size_t>(handover_places<T>(resident_ * cluster_.count(), widest_tile)));
    deep_copy(state_, T(0));
    deep_copy(arrivals_, 0u);
    deep_copy(partials_, Handover<T>{});
  }
  Reduction(Reduction const&) = delete;
  Reduction& operator=(Reduction const&) = delete;

  /// Queues one launch that writes the sum of `count` elements at `in` to `*result`.
  void launch(T const* in, long long count, T* result) const {
    launch_({in, count, result, partials_.data(), state_.data(), arrivals_.data()});
  }
  /// The same into a cell of the harness.
  void launch(T const* in, long long count) const { launch(in, count, result()); }
  T* result() const { return state_.data() + 1; }

  T read_result() const {
    std::vector<T> cells(2);
    deep_copy(cells, state_);
    return cells[1];
  }

  int resident_clusters() const { return resident_; }
  std::string const& label() const { return label_; }

  /// Clusters that `count` elements are spread over: each team gets 16 KB or more, small ones four
  /// packets a thread. Fewer teams read more slowly than they start, more cost more to add up (2^20
  /// floats on an H200: docs/results/kernels.md).
  int clusters_for(long long count) const {
    long long const packets_a_team = std::min(4 * team_threads_, 1024);
    return persistent_clusters(count, packets_a_team * Packet<T>::count * cluster_.count(),
                               resident_);
  }

 private:
  static constexpr int widest_tile = 32;

  void select(Variant variant) {
    int const lanes = properties(target_).subgroup_size;
    switch (variant) {
      case Variant::shared_tree:
        require(team_threads_ > 0 && (team_threads_ & (team_threads_ - 1)) == 0,
                "the tree halves the team: its threads are a power of two");
        return select_lanes<SharedTree>(lanes);
      case Variant::subgroup_shuffles:
        return select_lanes<SubgroupShuffles>(lanes);
      case Variant::subgroup_tiles_32:
        return select_tile<SubgroupTiles, 32>(lanes);
      case Variant::subgroup_tiles_16:
        return select_tile<SubgroupTiles, 16>(lanes);
      case Variant::one_atomic_a_team:
        return select_lanes<OneAtomicATeam>(lanes);
      case Variant::one_atomic_a_cluster:
        return select_lanes<OneAtomicACluster>(lanes);
    }
  }

  /// Tiles of 32 lanes where the device has them; of 4 on the small device of the tests.
  template <template <class, int> class Kernel>
  void select_lanes(int subgroup_lanes) {
    if (subgroup_lanes >= 32) {
      select_tile<Kernel, 32>(subgroup_lanes);
    } else {
      if constexpr (!targets_have_32_lanes<Target>) select_tile<Kernel, 4>(subgroup_lanes);
    }
  }

  template <template <class, int> class Kernel, int Lanes>
  void select_tile(int subgroup_lanes) {
    require(subgroup_lanes >= Lanes, "a tile has at most the lanes of the device's subgroup, " +
                                         std::to_string(subgroup_lanes));
    require(team_threads_ % Lanes == 0,
            "a team is whole tiles: its threads are a multiple of " + std::to_string(Lanes));
    using Functor = Kernel<T, Lanes>;
    resident_ = std::max(1, policy<Functor>(1).max_active_clusters(Functor{}));
    launch_ = [this](Problem<T> const& problem) {
      parallel_for(label_, policy<Functor>(clusters_for(problem.count)), Functor{problem});
    };
  }

  template <class Functor>
  auto policy(int clusters) const {
    typename Functor::template policy<Target> policy(target_, league_of(clusters, cluster_),
                                                     team_threads_, cluster_);
    if constexpr (decltype(policy)::layout::has_dynamic_team)
      policy.dynamic_team_scratch(team_threads_);
    policy.allow_nonportable_size().begin_early();
    return policy;
  }

  void require(bool holds, std::string const& sentence) const {
    if (!holds)
      throw std::invalid_argument("kohort: " + label_ + " with " + std::to_string(team_threads_) +
                                  " threads a team: " + sentence);
  }

  Target target_;
  std::string label_;
  int team_threads_;
  ClusterShape cluster_;
  int resident_ = 1;
  std::function<void(Problem<T> const&)> launch_;
  Buffer<T, Target> state_;  ///< the accumulator, then the result
  Buffer<unsigned, Target> arrivals_;
  Buffer<Handover<T>, Target> partials_;
};

}  // namespace kohort::kernels::reduce
