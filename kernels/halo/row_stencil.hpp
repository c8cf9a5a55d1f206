// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/persistent_league.hpp>
#include <kernels/halo/kernel.hpp>
#include <kohort/kohort.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>

namespace kohort::kernels::halo {

inline constexpr int largest_radius = 16;

/// Elements from one row to the next, so that each starts at a multiple of 16 B.
template <class T>
constexpr long long pitch_of(long long width) {
  constexpr long long count = Packet<T>::count;
  return (width + count - 1) / count * count;
}

/// The harness: picks the kernel that is unrolled for the radius, and lays the league over the
/// rows. Kernels are unrolled for radii of 4, 8 and 16; weights beyond the radius are zeros.
template <class Target, class T>
class RowStencil {
 public:
  /// @param weights  from the centre outwards; radius = size - 1, 1 … 16
  /// @param cluster  neighbours exchange halos along its x extent
  RowStencil(Target const& target, std::span<T const> weights, ClusterShape cluster)
      : target_(target), cluster_(cluster) {
    int const radius = static_cast<int>(weights.size()) - 1;
    if (radius < 1 || radius > largest_radius)
      throw std::invalid_argument("kohort: halo with radius " + std::to_string(radius) +
                                  ": kernels are unrolled for radii of 1 to " +
                                  std::to_string(largest_radius));
    if (radius <= 4) {
      select_radius<4>(weights);
    } else if (radius <= 8) {
      select_radius<8>(weights);
    } else {
      select_radius<16>(weights);
    }
  }
  RowStencil(RowStencil const&) = delete;
  RowStencil& operator=(RowStencil const&) = delete;

  /// Queues the stencil over `rows` rows of `width` elements, pitch_of<T>(width) apart.
  void launch(T const* in, T* out, long long width, long long rows) const {
    launch_(in, out, width, rows);
  }

  /// Clusters along a row and over the rows: as many as are resident at once, fewer for short rows.
  League league(long long width, long long rows) const {
    long long const tiles = (width + tile_elements_ - 1) / tile_elements_;
    long long const down = (rows + cluster_.y - 1) / cluster_.y;
    long long const along = std::clamp<long long>((tiles + cluster_.x - 1) / cluster_.x, 1,
                                                  std::max<long long>(1, resident_ / down));
    return League(static_cast<int>(along * cluster_.x), static_cast<int>(down * cluster_.y),
                  cluster_.z);
  }

  int team_threads() const { return team_threads_; }
  int tile_elements() const { return tile_elements_; }

 private:
  template <int MaxRadius>
  void select_radius(std::span<T const> weights) {
    // 3 packets a thread: 5 teams an SM with 37 KB of scratch each have enough bytes under way, and
    // leave L1 what loads under way need. 2 and 4 packets were slower on an H200.
    if (properties(target_).max_team_size >= 256)
      return select<Stencil<T, MaxRadius, 256, 3>, MaxRadius>(weights);
    if constexpr (!targets_have_32_lanes<Target>)
      select<Stencil<T, MaxRadius, 32, 1>, MaxRadius>(weights);
  }

  template <class Functor, int MaxRadius>
  void select(std::span<T const> weights) {
    Problem<T, MaxRadius> problem{};
    std::copy(weights.begin(), weights.end(), problem.weights);
    team_threads_ = Functor::tile_elements / (Functor::width * Functor::packets_a_thread);
    tile_elements_ = Functor::tile_elements;
    resident_ = std::max(1, policy<Functor>(League(cluster_.x, cluster_.y, cluster_.z))
                                .max_active_clusters(Functor{problem}));
    launch_ = [this, problem](T const* in, T* out, long long width, long long rows) mutable {
      problem.in = in;
      problem.out = out;
      problem.width = width;
      problem.pitch = pitch_of<T>(width);
      problem.rows = rows;
      parallel_for("halo", policy<Functor>(league(width, rows)), Functor{problem});
    };
  }

  template <class Functor>
  auto policy(League const& league) const {
    typename Functor::template policy<Target> policy(target_, league, team_threads_, cluster_);
    policy.allow_nonportable_size();
    return policy;
  }

  Target target_;
  ClusterShape cluster_;
  int team_threads_ = 0;
  int tile_elements_ = 0;
  int resident_ = 1;
  std::function<void(T const*, T*, long long, long long)> launch_;
};

}  // namespace kohort::kernels::halo
