// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <utility>

/// Kernels that are wrong on purpose, to show what the simulator says of them. On a GPU the first
/// is silent, the second ends the context, and the others hang.
namespace kohort::kernels::broken {

template <class Target>
using RingPolicy = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<float[256]>>;

/// Only 100 threads come to the barrier.
struct DivergentBarrier {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto tile = member.cluster_scratch();
    tile[member.team_rank()] = 1.0F;
    if (member.team_rank() < 100) member.team_barrier();
  }
};

/// Team 1 is gone while team 0 goes on to one more barrier, and then reads team 1's memory.
struct EarlyExit {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto tile = member.cluster_scratch();
    tile[member.team_rank()] = 1.0F;
    member.cluster_barrier();
    if (member.cluster_rank() == 1) return;
    member.cluster_barrier();
    tile[member.team_rank()] += member.peer(tile, 1)[member.team_rank()];
  }
};

/// One subgroup waits for the cluster while the rest of the team waits for the team.
struct MixedBarriers {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    if (member.subgroup_rank() == 0) {
      member.cluster_barrier();
    } else {
      member.team_barrier();
    }
  }
};

/// A barrier over the whole league by a global counter: every cluster must be resident at once.
struct LeagueBarrier {
  int* arrived;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    if (member.team_rank() == 0) {
      atomic_add(arrived, 1);
      while (atomic_load(arrived) < member.league_size()) {
      }
    }
    member.team_barrier();
  }
};

}  // namespace kohort::kernels::broken
