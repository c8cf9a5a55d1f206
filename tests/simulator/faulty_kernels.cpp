// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "faulty_kernels.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace kohort::tests {
namespace {

using Teams = ClusterPolicy<Simulator>;
using Pairs = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<float[256]>>;

void team_barrier_divergent(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.team_rank() < 100) member.team_barrier();
  };
  parallel_for("bad_sync", Teams(target, 4, 256), kernel);
}

void team_barrier_divergent_repaired(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<int[100]>>;
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    int const thread = member.team_rank();
    if (thread < 100) member.team_scratch()[thread] = thread;
    member.team_barrier();
  };
  parallel_for("good_sync", Policy(target, 4, 256), kernel);
}

void team_barrier_mismatch(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.team_rank() < 128) {
      member.team_barrier();
    } else {
      member.team_barrier();
    }
  };
  parallel_for("two_sites", Teams(target, 4, 256), kernel);
}

void team_barrier_mismatch_repaired(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<int[256]>>;
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    int const thread = member.team_rank();
    member.team_scratch()[thread] = thread < 128 ? 1 : 2;
    member.team_barrier();
  };
  parallel_for("one_site", Policy(target, 4, 256), kernel);
}

void named_barrier(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    int const role = member.subgroup_rank() / 4;
    member.named_barrier(role, 4);
  };
  parallel_for("roles", Teams(target, 4, 256), kernel);
}

void named_barrier_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    int const role = member.subgroup_rank() / 4;
    member.named_barrier(role + 1, 4);
  };
  parallel_for("roles", Teams(target, 4, 256), kernel);
}

void cluster_barrier_divergent(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<2>, ManualLifetime>;
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    if (member.team_rank() < 128) member.cluster_barrier();
  };
  parallel_for("half_arrives", Policy(target, 4, 256), kernel);
}

void cluster_barrier_divergent_repaired(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<2>, ManualLifetime>;
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) { member.cluster_barrier(); };
  parallel_for("all_arrive", Policy(target, 4, 256), kernel);
}

void cluster_barrier_mismatch(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    if (member.team_rank() == 0) {
      member.cluster_barrier();
    } else {
      member.cluster_barrier();
    }
  };
  parallel_for("two_sites", Pairs(target, 4, 256), kernel);
}

void cluster_barrier_mismatch_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    if (member.team_rank() == 0) member.cluster_scratch()[0] = 1;
    member.cluster_barrier();
  };
  parallel_for("one_site", Pairs(target, 4, 256), kernel);
}

void cluster_barrier_unequal(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    member.cluster_barrier();
    if (member.cluster_rank() == 1) return;  // nothing left to do here
    member.cluster_barrier();
  };
  parallel_for("leaves_early", Pairs(target, 4, 256), kernel);
}

void cluster_barrier_unequal_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    member.cluster_barrier();
    if (member.cluster_rank() == 0) member.cluster_scratch()[member.team_rank()] = 1;
    member.cluster_barrier();
  };
  parallel_for("stays", Pairs(target, 4, 256), kernel);
}

void cluster_barrier_double_arrive(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    auto wrote = member.cluster_arrive();
    auto read = member.cluster_arrive();
    member.cluster_wait(std::move(wrote));
    member.cluster_wait(std::move(read));
  };
  parallel_for("arrives_twice", Pairs(target, 4, 256), kernel);
}

void cluster_barrier_double_arrive_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    auto wrote = member.cluster_arrive();
    member.cluster_wait(std::move(wrote));
    auto read = member.cluster_arrive();
    member.cluster_wait(std::move(read));
  };
  parallel_for("arrives_in_turn", Pairs(target, 4, 256), kernel);
}

void arrive_token_dropped(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    member.cluster_scratch()[member.team_rank()] = 1;
    auto token = member.cluster_arrive();
  };
  parallel_for("never_waits", Pairs(target, 4, 256), kernel);
}

void arrive_token_dropped_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    member.cluster_scratch()[member.team_rank()] = 1;
    auto token = member.cluster_arrive();
    member.cluster_wait(std::move(token));
  };
  parallel_for("waits", Pairs(target, 4, 256), kernel);
}

void arrive_token_spent(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    auto token = member.cluster_arrive();
    for (int pass = 0; pass < 2; ++pass) member.cluster_wait(std::move(token));
  };
  parallel_for("waits_twice", Pairs(target, 4, 256), kernel);
}

void arrive_token_spent_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    for (int pass = 0; pass < 2; ++pass) {
      auto token = member.cluster_arrive();
      member.cluster_wait(std::move(token));
    }
  };
  parallel_for("waits_in_turn", Pairs(target, 4, 256), kernel);
}

void subgroup_divergent(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    auto const tile = member.subgroup_tile<32>();
    if (member.lane() < 20) tile.reduce(1);
  };
  parallel_for("some_lanes", Teams(target, 4, 256), kernel);
}

void subgroup_divergent_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    auto const tile = member.subgroup_tile<32>();
    tile.reduce(member.lane() < 20 ? 1 : 0);
  };
  parallel_for("all_lanes", Teams(target, 4, 256), kernel);
}

void shuffle_source(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    member.subgroup_tile<32>().reduce(1);
  };
  parallel_for("half_a_tile", Teams(target, 4, 48), kernel);
}

void shuffle_source_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    member.subgroup_tile<16>().reduce(1);
  };
  parallel_for("whole_tiles", Teams(target, 4, 48), kernel);
}

void peer_rank(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    auto mine = member.cluster_scratch();
    member.peer(mine, member.cluster_rank() + 1)[member.team_rank()] = 1;
  };
  parallel_for("beyond_the_last", Pairs(target, 4, 256), kernel);
}

void peer_rank_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    auto mine = member.cluster_scratch();
    int const next = (member.cluster_rank() + 1) % member.cluster_size();
    member.peer(mine, next)[member.team_rank()] = 1;
  };
  parallel_for("around_the_ring", Pairs(target, 4, 256), kernel);
}

void deadlock(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    bool const produces = member.subgroup_rank() < 4;
    member.named_barrier(produces ? 1 : 2, 8);
    member.named_barrier(produces ? 2 : 1, 8);
  };
  parallel_for("crossed", Teams(target, 4, 256), kernel);
}

void deadlock_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    member.named_barrier(1, 8);
    member.named_barrier(2, 8);
  };
  parallel_for("in_order", Teams(target, 4, 256), kernel);
}

void cluster_not_resident(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<char[200'000]>>;  // one team fits an SM
  Buffer<int, Simulator> buffer(target, 1);
  deep_copy(buffer, 0);
  int* const arrived = buffer.data();
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    if (member.team_rank() == 0) {
      atomic_add(arrived, 1);
      while (atomic_load(arrived) < member.league_size()) {
      }
    }
    member.team_barrier();
  };
  parallel_for("grid_barrier", Policy(target, 133, 32), kernel);
}

void cluster_not_resident_repaired(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<char[200'000]>>;
  Buffer<int, Simulator> buffer(target, 1);
  deep_copy(buffer, 0);
  int* const arrived = buffer.data();
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    if (member.team_rank() == 0) {
      atomic_add(arrived, 1);
      while (atomic_load(arrived) < member.league_size()) {
      }
    }
    member.team_barrier();
  };
  int const resident = Policy(target, 1, 32).max_active_clusters(kernel);
  parallel_for("grid_barrier", Policy(target, resident, 32), kernel);
}

void spin_without_progress(Simulator const& target) {
  Buffer<int, Simulator> buffer(target, 1);
  deep_copy(buffer, 0);
  int* const ready = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.team_rank() == 0) {
      while (atomic_load(ready) == 0) {
      }
    }
    member.team_barrier();
    if (member.team_rank() == 1) atomic_store(ready, 1);
  };
  parallel_for("waits_for_later", Teams(target, 1, 64), kernel);
}

void spin_without_progress_repaired(Simulator const& target) {
  Buffer<int, Simulator> buffer(target, 1);
  deep_copy(buffer, 0);
  int* const ready = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.team_rank() == 1) atomic_store(ready, 1);
    if (member.team_rank() == 0) {
      while (atomic_load(ready) == 0) {
      }
    }
    member.team_barrier();
  };
  parallel_for("waits_for_earlier", Teams(target, 1, 64), kernel);
}

void raw_spin(Simulator const& target) {
  Buffer<int, Simulator> buffer(target, 1);
  deep_copy(buffer, 0);
  int volatile* const ready = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.team_rank() == 1) *ready = 1;
    if (member.team_rank() == 0) {
      while (*ready == 0) {
      }
    }
  };
  parallel_for("plain_poll", Teams(target, 1, 64), kernel);
}

void raw_spin_repaired(Simulator const& target) {
  Buffer<int, Simulator> buffer(target, 1);
  deep_copy(buffer, 0);
  int* const ready = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.team_rank() == 1) atomic_store(ready, 1);
    if (member.team_rank() == 0) {
      while (atomic_load(ready) == 0) {
      }
    }
  };
  parallel_for("atomic_poll", Teams(target, 1, 64), kernel);
}

void kernel_exception(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.league_rank() == 3 && member.team_rank() == 5)
      throw std::out_of_range("cell 41 is negative");
  };
  parallel_for("throws", Teams(target, 4, 256), kernel);
}

void kernel_exception_repaired(Simulator const& target) {
  Buffer<int, Simulator> buffer(target, 1);
  deep_copy(buffer, -1);
  int* const bad_cell = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.league_rank() == 3 && member.team_rank() == 5) atomic_max(bad_cell, 41);
  };
  parallel_for("tells", Teams(target, 4, 256), kernel);
}

void kernel_crash(Simulator const& target) {
  int volatile* const nowhere = nullptr;
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.team_rank() == 7) *nowhere = 1;
  };
  parallel_for("null_pointer", Teams(target, 4, 256), kernel);
}

void kernel_crash_repaired(Simulator const& target) {
  Buffer<int, Simulator> buffer(target, 1);
  int* const somewhere = buffer.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    if (member.league_rank() == 0 && member.team_rank() == 7) *somewhere = 1;
  };
  parallel_for("pointer", Teams(target, 4, 256), kernel);
}

void stack_overflow(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    float volatile row[40'000];  // 160 KB, and a thread has 64
    row[member.team_rank()] = 1;
    static_cast<void>(row[member.team_rank()]);
  };
  parallel_for("large_local", Teams(target, 4, 256), kernel);
}

void stack_overflow_repaired(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, TeamScratch<float[40'000]>>;
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    member.team_scratch()[member.team_rank()] = 1;
  };
  parallel_for("scratch", Policy(target, 4, 256), kernel);
}

}  // namespace

std::vector<FaultyKernel> const& faulty_kernels() {
#define KOHORT_FAULTY_KERNEL(id, name) \
  { id, name, name##_repaired }
  static std::vector<FaultyKernel> const own{
      KOHORT_FAULTY_KERNEL("team-barrier-divergent", team_barrier_divergent),
      KOHORT_FAULTY_KERNEL("team-barrier-mismatch", team_barrier_mismatch),
      KOHORT_FAULTY_KERNEL("named-barrier", named_barrier),
      KOHORT_FAULTY_KERNEL("cluster-barrier-divergent", cluster_barrier_divergent),
      KOHORT_FAULTY_KERNEL("cluster-barrier-mismatch", cluster_barrier_mismatch),
      KOHORT_FAULTY_KERNEL("cluster-barrier-unequal", cluster_barrier_unequal),
      KOHORT_FAULTY_KERNEL("cluster-barrier-double-arrive", cluster_barrier_double_arrive),
      KOHORT_FAULTY_KERNEL("arrive-token-dropped", arrive_token_dropped),
      KOHORT_FAULTY_KERNEL("arrive-token-spent", arrive_token_spent),
      KOHORT_FAULTY_KERNEL("subgroup-divergent", subgroup_divergent),
      KOHORT_FAULTY_KERNEL("shuffle-source", shuffle_source),
      KOHORT_FAULTY_KERNEL("peer-rank", peer_rank),
      KOHORT_FAULTY_KERNEL("deadlock", deadlock),
      KOHORT_FAULTY_KERNEL("cluster-not-resident", cluster_not_resident),
      KOHORT_FAULTY_KERNEL("spin-without-progress", spin_without_progress),
      {"raw-spin", raw_spin, raw_spin_repaired, true},
      KOHORT_FAULTY_KERNEL("kernel-exception", kernel_exception),
      {"kernel-crash", kernel_crash, kernel_crash_repaired, true},
      {"stack-overflow", stack_overflow, stack_overflow_repaired, true},
  };
#undef KOHORT_FAULTY_KERNEL
  static std::vector<FaultyKernel> const all = [] {
    std::vector<FaultyKernel> kernels = own;
    kernels.insert(kernels.end(), faulty_transfers().begin(), faulty_transfers().end());
    return kernels;
  }();
  return all;
}

FaultyKernel const& faulty_kernel(std::string const& id) {
  for (FaultyKernel const& kernel : faulty_kernels())
    if (kernel.id == id) return kernel;
  throw std::logic_error("no faulty kernel shows " + id);
}

}  // namespace kohort::tests
