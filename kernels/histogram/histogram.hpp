// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/persistent_league.hpp>
#include <kernels/histogram/kernel.hpp>
#include <kohort/kohort.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

namespace kohort::kernels::histogram {

/// The harness: spreads the bins over a cluster, and sizes the league.
///
/// Without a shape it takes the smallest cluster that holds the bins: one team where they fit,
/// because scattered remote adds are sixteen times slower than local ones (docs/results/h200.md).
template <class Target>
class Histogram {
 public:
  /// @param team_threads  0 for the largest team
  /// @throws std::invalid_argument if the cluster can't hold the bins (naming the most it can), or
  ///         if bins * width exceeds 2^31.
  Histogram(Target const& target, Bins const& bins, int team_threads = 0,
            std::optional<ClusterShape> cluster = std::nullopt)
      : target_(target), bins_(bins), device_(kohort::properties(target)) {
    require(bins.count >= 1, "a histogram has at least 1 bin");
    require(static_cast<unsigned long long>(bins.count) * bins.width.divisor() <= 1ull << 31,
            "bins times their width are at most 2147483648");
    team_threads_ = team_threads > 0 ? team_threads : std::min(1024, device_.max_team_size);
    cluster_ = cluster ? *cluster : smallest_cluster();
    bins_a_team_ = static_cast<int>((bins.count + cluster_.count() - 1) / cluster_.count());
    require(bins_a_team_ <= capacity(),
            "a cluster of " + kohort::to_string(cluster_) + " on " + device_.device +
                " holds at most " + std::to_string(capacity() * cluster_.count()) +
                " bins, the device's largest cluster " + std::to_string(most_bins()));
    copies_log2_ = cluster_.count() == 1 ? copies_that_fit() : 0;
    resident_ = std::max(1, with_kernel([this]<class Kernel>() { return ask<Kernel>(); }));
  }

  /// Queues the clearing of the `bins` counters at `out` and the counting: two launches.
  void launch(int const* in, long long count, unsigned* out) const {
    using Zero = Clear<Target>;
    int const zero_threads = std::min(256, device_.max_team_size);
    parallel_for("histogram/clear",
                 typename Zero::policy(target_, (bins_.count + zero_threads - 1) / zero_threads,
                                       zero_threads),
                 Zero{out, bins_.count});
    Problem const problem{in, count, bins_, FastDivide(bins_a_team_), copies_log2_, out};
    // 16 samples a thread at least: below, clearing and merging outweigh the counting.
    int const clusters =
        persistent_clusters(count, 16LL * team_threads_ * cluster_.count(), resident_);
    with_kernel([&]<class Kernel>() {
      parallel_for("histogram", policy<Kernel>(clusters), Kernel{problem});
      return 0;
    });
  }

  ClusterShape cluster() const { return cluster_; }
  int team_threads() const { return team_threads_; }
  int copies() const { return 1 << copies_log2_; }
  int resident_clusters() const { return resident_; }
  /// Bins that one team can hold, and the device's largest cluster.
  long long capacity() const {
    return device_.max_team_scratch_bytes / packet_bytes * Packet<unsigned>::count;
  }
  long long most_bins() const { return capacity() * device_.largest_nonportable_cluster; }
  /// Whether two teams fit an SM, so that registers are kept for two.
  bool two_teams_an_sm() const {
    return cluster_.count() == 1 && cell_count() * 4LL <= half_an_sm() &&
           2 * team_threads_ <= device_.max_threads_per_sm;
  }
  /// Counters of a team, in whole packets.
  int cell_count() const {
    int const packet = Packet<unsigned>::count;
    return ((bins_a_team_ << copies_log2_) + packet - 1) / packet * packet;
  }

 private:
  /// 1 KB a team is the device's own share.
  long long half_an_sm() const { return device_.scratch_bytes_per_sm / 2 - 1024; }

  ClusterShape smallest_cluster() const {
    int size = 1;
    while (size * capacity() < bins_.count && size < device_.largest_nonportable_cluster) size *= 2;
    return ClusterShape(size);
  }

  /// Copies of the bins, up to one a lane of a subgroup of 32, that leave room for two teams.
  int copies_that_fit() const {
    int log2 = 0;
    while (log2 < 5 && (static_cast<long long>(bins_.count) << (log2 + 1)) * 4 <= half_an_sm())
      ++log2;
    return log2;
  }

  /// Calls `body` with the kernel that fits: three are compiled.
  template <class Body>
  int with_kernel(Body const& body) const {
    if (cluster_.count() > 1) return body.template operator()<Count<Place::cluster, 1>>();
    if (two_teams_an_sm()) return body.template operator()<Count<Place::one_team, 2>>();
    return body.template operator()<Count<Place::one_team, 1>>();
  }

  template <class Kernel>
  auto policy(int clusters) const {
    typename Kernel::template policy<Target> policy(target_, league_of(clusters, cluster_),
                                                    team_threads_, cluster_);
    policy.dynamic_cluster_scratch(cell_count()).allow_nonportable_size();
    return policy;
  }

  template <class Kernel>
  int ask() const {
    Problem const problem{nullptr, 0, bins_, FastDivide(1), 0, nullptr};
    return policy<Kernel>(1).max_active_clusters(Kernel{problem});
  }

  void require(bool holds, std::string const& sentence) const {
    if (!holds)
      throw std::invalid_argument("kohort: histogram with " + std::to_string(bins_.count) +
                                  " bins: " + sentence);
  }

  Target target_;
  Bins bins_;
  DeviceProperties device_;
  int team_threads_ = 0;
  ClusterShape cluster_;
  int bins_a_team_ = 0;
  int copies_log2_ = 0;
  int resident_ = 1;
};

}  // namespace kohort::kernels::histogram
