// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_state.hpp"

#include <algorithm>

namespace kohort::simulator {
namespace {

int count(int const (&extents)[3]) { return extents[0] * extents[1] * extents[2]; }

ClusterPlan place(long long index, int const (&grid)[3], int const (&extents)[3]) {
  int const x = static_cast<int>(index % grid[0]);
  int const y = static_cast<int>(index / grid[0] % grid[1]);
  int const z = static_cast<int>(index / grid[0] / grid[1]);
  return {{x * extents[0], y * extents[1], z * extents[2]}, {extents[0], extents[1], extents[2]}};
}

/// Clusters of `fallback` teams that fit beside as many of `preferred` as the device holds.
int clusters_beside(DeviceProfile const& profile, int teams_per_sm, int preferred, int fallback) {
  int total = 0;
  for (int sms : profile.sm_groups) {
    int const places = sms * teams_per_sm;
    int const used = preferred <= sms ? places / preferred * preferred : 0;
    if (fallback <= sms) total += (places - used) / fallback;
  }
  return total;
}

}  // namespace

LeaguePlan::LeaguePlan(LaunchShape const& shape, DeviceProfile const& profile, int teams_per_sm) {
  size_ = 1;
  for (int d = 0; d < 3; ++d) {
    extents_[d] = shape.cluster[d];
    clusters_[d] = shape.league[d] / shape.cluster[d];
    size_ *= clusters_[d];
  }
  largest_ = count(extents_);
  if (shape.preferred[0] > 0) plan_preferred(shape, profile, teams_per_sm);
}

void LeaguePlan::plan_preferred(LaunchShape const& shape, DeviceProfile const& profile,
                                int teams_per_sm) {
  int const preferred = count(shape.preferred);
  int const parts_a_tile = preferred / largest_;
  int const whole_a_wave = preferred <= profile.max_nonportable_cluster
                               ? max_active_clusters(profile, teams_per_sm, preferred)
                               : 0;
  // A wave fills the device: preferred clusters first, then fallbacks where none of those fits.
  int const split_a_wave =
      whole_a_wave == 0
          ? 1
          : clusters_beside(profile, teams_per_sm, preferred, largest_) / parts_a_tile;
  int const tiles[3] = {shape.league[0] / shape.preferred[0], shape.league[1] / shape.preferred[1],
                        shape.league[2] / shape.preferred[2]};
  int const parts[3] = {shape.preferred[0] / extents_[0], shape.preferred[1] / extents_[1],
                        shape.preferred[2] / extents_[2]};
  for (long long tile = 0; tile < static_cast<long long>(count(tiles)); ++tile) {
    ClusterPlan const whole = place(tile, tiles, shape.preferred);
    if (tile % (whole_a_wave + split_a_wave) < whole_a_wave) {
      varied_.push_back(whole);
      continue;
    }
    for (int part = 0; part < parts_a_tile; ++part) {
      ClusterPlan piece = place(part, parts, extents_);
      for (int d = 0; d < 3; ++d) piece.origin[d] += whole.origin[d];
      varied_.push_back(piece);
    }
  }
  if (whole_a_wave > 0) wave_ = whole_a_wave + split_a_wave * parts_a_tile;
  size_ = static_cast<long long>(varied_.size());
  largest_ = whole_a_wave > 0 ? preferred : largest_;
}

ClusterPlan LeaguePlan::cluster(long long index) const {
  if (!varied_.empty()) return varied_[static_cast<std::size_t>(index)];
  return place(index, clusters_, extents_);
}

}  // namespace kohort::simulator
