// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checked_kernels.hpp"

#include <cstddef>
#include <utility>

namespace kohort::detect {
namespace {

using Teams = ClusterPolicy<Simulator>;
using Tiles = ClusterPolicy<Simulator, TeamScratch<float[256]>>;
using Pairs = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<float[256]>>;
using Unguarded =
    ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<float[256]>, ManualLifetime>;

/// Device memory of `count` elements of `value`.
template <class T>
Buffer<T, Simulator> filled(Simulator const& target, std::size_t count, T value) {
  Buffer<T, Simulator> buffer(target, count);
  deep_copy(buffer, value);
  return buffer;
}

/// What a copy takes begins at a multiple of 16 B.
struct alignas(16) Aligned {
  float tile[256];
};

void race_team_scratch(Simulator const& target) {
  auto const buffer = filled(target, 4, 0.0F);
  float* const sums = buffer.data();
  auto kernel = KOHORT_LAMBDA(Tiles::member_type const& member) {
    auto& tile = member.team_scratch();
    int const thread = member.team_rank();
    tile[thread] = 1;
    for (int width = 128; width > 0; width /= 2) {
      if (width >= 32) member.team_barrier();  // below, one subgroup is left
      if (thread < width) tile[thread] += tile[thread + width];
    }
    if (thread == 0) sums[member.league_rank()] = tile[0];
  };
  parallel_for("sums", Tiles(target, 4, 256), kernel);
}

void race_team_scratch_repaired(Simulator const& target) {
  auto const buffer = filled(target, 4, 0.0F);
  float* const sums = buffer.data();
  auto kernel = KOHORT_LAMBDA(Tiles::member_type const& member) {
    auto& tile = member.team_scratch();
    int const thread = member.team_rank();
    tile[thread] = 1;
    for (int width = 128; width > 0; width /= 2) {
      member.team_barrier();
      if (thread < width) tile[thread] += tile[thread + width];
    }
    if (thread == 0) sums[member.league_rank()] = tile[0];
  };
  parallel_for("sums", Tiles(target, 4, 256), kernel);
}

void race_cluster_scratch(Simulator const& target) {
  auto const buffer = filled(target, 4 * 256, 0.0F);
  float* const out = buffer.data();
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    auto const tile = member.cluster_scratch();
    int const thread = member.team_rank();
    tile[thread] = 1;
    member.team_barrier();
    auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
    out[member.league_rank() * 256 + thread] = neighbour[thread];
  };
  parallel_for("pulls", Pairs(target, 4, 256), kernel);
}

void race_cluster_scratch_repaired(Simulator const& target) {
  auto const buffer = filled(target, 4 * 256, 0.0F);
  float* const out = buffer.data();
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    auto const tile = member.cluster_scratch();
    int const thread = member.team_rank();
    tile[thread] = 1;
    member.cluster_barrier();
    auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
    out[member.league_rank() * 256 + thread] = neighbour[thread];
  };
  parallel_for("pulls", Pairs(target, 4, 256), kernel);
}

void race_global(Simulator const& target) {
  auto const buffer = filled(target, 16, 0);
  int* const bins = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.team_rank() < 16) bins[member.team_rank()] += member.league_rank();
  };
  parallel_for("bins", Teams(target, 4, 256), kernel);
}

void race_global_repaired(Simulator const& target) {
  auto const buffer = filled(target, 16, 0);
  int* const bins = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.team_rank() < 16) atomic_add(&bins[member.team_rank()], member.league_rank());
  };
  parallel_for("bins", Teams(target, 4, 256), kernel);
}

void atomic_scope(Simulator const& target) {
  auto const buffer = filled(target, 1, 0);
  int* const count = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.lane() == 0) atomic_add<Scope::team>(count, 1);
  };
  parallel_for("counts", Teams(target, 4, 256), kernel);
}

void atomic_scope_repaired(Simulator const& target) {
  auto const buffer = filled(target, 1, 0);
  int* const count = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.lane() == 0) atomic_add<Scope::device>(count, 1);
  };
  parallel_for("counts", Teams(target, 4, 256), kernel);
}

void peer_not_started(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Unguarded::member_type const& member) {
    auto const tile = member.cluster_scratch();
    member.peer(tile, member.cluster_rank() ^ 1)[member.team_rank()] = 1;
    member.cluster_barrier();
  };
  parallel_for("pushes", Unguarded(target, 4, 256), kernel);
}

void peer_not_started_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Unguarded::member_type const& member) {
    auto const tile = member.cluster_scratch();
    member.cluster_barrier();
    member.peer(tile, member.cluster_rank() ^ 1)[member.team_rank()] = 1;
    member.cluster_barrier();
  };
  parallel_for("pushes", Unguarded(target, 4, 256), kernel);
}

void peer_ended(Simulator const& target) {
  auto const buffer = filled(target, 4 * 256, 0.0F);
  float* const out = buffer.data();
  auto kernel = KOHORT_LAMBDA(Unguarded::member_type const& member) {
    auto const tile = member.cluster_scratch();
    int const thread = member.team_rank();
    tile[thread] = 1;
    member.cluster_barrier();
    auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
    out[member.league_rank() * 256 + thread] = neighbour[thread];
  };
  parallel_for("pulls_last", Unguarded(target, 4, 256), kernel);
}

void peer_ended_repaired(Simulator const& target) {
  auto const buffer = filled(target, 4 * 256, 0.0F);
  float* const out = buffer.data();
  auto kernel = KOHORT_LAMBDA(Unguarded::member_type const& member) {
    auto const tile = member.cluster_scratch();
    int const thread = member.team_rank();
    tile[thread] = 1;
    member.cluster_barrier();
    auto const neighbour = member.peer(tile, member.cluster_rank() ^ 1);
    out[member.league_rank() * 256 + thread] = neighbour[thread];
    auto token = member.cluster_arrive_relaxed();  // hands back what was only read
    member.cluster_wait(std::move(token));
  };
  parallel_for("pulls_last", Unguarded(target, 4, 256), kernel);
}

void transfer_missing_fence(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<Aligned>>;
  auto const buffer = filled(target, 4 * 256, 0.0F);
  float* const out = buffer.data();
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    auto& tile = member.team_scratch().tile;
    tile[member.team_rank()] = 1;
    member.team_barrier();
    if (member.team_rank() == 0) {
      member.copy_async(out + member.league_rank() * 256, tile, 256);
      member.wait_stores_read();
    }
  };
  parallel_for("store_behind_a_barrier", Policy(target, 4, 256), kernel);
}

void transfer_missing_fence_repaired(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<Aligned>>;
  auto const buffer = filled(target, 4 * 256, 0.0F);
  float* const out = buffer.data();
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    auto& tile = member.team_scratch().tile;
    tile[member.team_rank()] = 1;
    member.team_barrier(before_transfer);
    if (member.team_rank() == 0) {
      member.copy_async(out + member.league_rank() * 256, tile, 256);
      member.wait_stores_read();
    }
  };
  parallel_for("store_behind_a_fence", Policy(target, 4, 256), kernel);
}

void scratch_out_of_bounds(Simulator const& target) {
  auto const buffer = filled(target, 4 * 256, 0.0F);
  float* const out = buffer.data();
  auto kernel = KOHORT_LAMBDA(Tiles::member_type const& member) {
    float* const tile = member.team_scratch();
    int const thread = member.team_rank();
    tile[thread] = 1;
    member.team_barrier();
    out[member.league_rank() * 256 + thread] = tile[thread + 1] - tile[thread];
  };
  parallel_for("differences", Tiles(target, 4, 256), kernel);
}

void scratch_out_of_bounds_repaired(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<float[257]>>;
  auto const buffer = filled(target, 4 * 256, 0.0F);
  float* const out = buffer.data();
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    float* const tile = member.team_scratch();
    int const thread = member.team_rank();
    tile[thread] = 1;
    if (thread == 0) tile[256] = 0;
    member.team_barrier();
    out[member.league_rank() * 256 + thread] = tile[thread + 1] - tile[thread];
  };
  parallel_for("differences", Policy(target, 4, 256), kernel);
}

void buffer_out_of_bounds(Simulator const& target) {
  auto const buffer = filled(target, 1000, 1.0F);
  float* const values = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    values[member.league_rank() * 256 + member.team_rank()] *= 2;
  };
  parallel_for("doubles", Teams(target, 4, 256), kernel);
}

void buffer_out_of_bounds_repaired(Simulator const& target) {
  auto const buffer = filled(target, 1000, 1.0F);
  float* const values = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    int const element = member.league_rank() * 256 + member.team_rank();
    if (element < 1000) values[element] *= 2;
  };
  parallel_for("doubles", Teams(target, 4, 256), kernel);
}

void use_after_free(Simulator const& target) {
  auto buffer = filled(target, 256, 1.0F);
  float* const values = buffer.data();
  buffer = filled(target, 512, 1.0F);  // "values" is of the old one
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    values[member.team_rank()] *= 2;
  };
  parallel_for("grows", Teams(target, 1, 256), kernel);
}

void use_after_free_repaired(Simulator const& target) {
  auto buffer = filled(target, 256, 1.0F);
  buffer = filled(target, 512, 1.0F);
  float* const values = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    values[member.team_rank()] *= 2;
  };
  parallel_for("grows", Teams(target, 1, 256), kernel);
}

void uninitialised_read(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<int[512]>>;
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    auto& bins = member.team_scratch();
    int const thread = member.team_rank();
    bins[thread] = 0;
    member.team_barrier();
    atomic_add<Scope::team>(&bins[2 * thread], 1);
  };
  parallel_for("half_zeroed", Policy(target, 4, 256), kernel);
}

void uninitialised_read_repaired(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<int[512]>>;
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    auto& bins = member.team_scratch();
    int const thread = member.team_rank();
    for (int bin = thread; bin < 512; bin += 256) bins[bin] = 0;
    member.team_barrier();
    atomic_add<Scope::team>(&bins[2 * thread], 1);
  };
  parallel_for("all_zeroed", Policy(target, 4, 256), kernel);
}

void misaligned_access(Simulator const& target) {
  auto const buffer = filled(target, 4 + 256 * sizeof(double), std::byte{0});
  std::byte* const message = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    auto* const payload = reinterpret_cast<double*>(message + 4);  // behind an int
    payload[member.team_rank()] = 1;
  };
  parallel_for("behind_an_int", Teams(target, 1, 256), kernel);
}

void misaligned_access_repaired(Simulator const& target) {
  auto const buffer = filled(target, 8 + 256 * sizeof(double), std::byte{0});
  std::byte* const message = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    auto* const payload = reinterpret_cast<double*>(message + 8);  // an int, and padding
    payload[member.team_rank()] = 1;
  };
  parallel_for("behind_8_bytes", Teams(target, 1, 256), kernel);
}

}  // namespace

std::vector<tests::FaultyKernel> const& checked_kernels() {
#define KOHORT_CHECKED_KERNEL(id, name) \
  { id, name, name##_repaired }
  static std::vector<tests::FaultyKernel> const all{
      KOHORT_CHECKED_KERNEL("race-team-scratch", race_team_scratch),
      KOHORT_CHECKED_KERNEL("race-cluster-scratch", race_cluster_scratch),
      KOHORT_CHECKED_KERNEL("race-global", race_global),
      KOHORT_CHECKED_KERNEL("atomic-scope", atomic_scope),
      KOHORT_CHECKED_KERNEL("peer-not-started", peer_not_started),
      KOHORT_CHECKED_KERNEL("peer-ended", peer_ended),
      KOHORT_CHECKED_KERNEL("transfer-missing-fence", transfer_missing_fence),
      KOHORT_CHECKED_KERNEL("scratch-out-of-bounds", scratch_out_of_bounds),
      KOHORT_CHECKED_KERNEL("buffer-out-of-bounds", buffer_out_of_bounds),
      KOHORT_CHECKED_KERNEL("use-after-free", use_after_free),
      KOHORT_CHECKED_KERNEL("uninitialised-read", uninitialised_read),
      KOHORT_CHECKED_KERNEL("misaligned-access", misaligned_access),
  };
#undef KOHORT_CHECKED_KERNEL
  return all;
}

}  // namespace kohort::detect
