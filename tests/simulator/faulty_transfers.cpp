// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The faulty kernels with phased barriers, copies and matrix products.
#include "faulty_kernels.hpp"

namespace kohort::tests {
namespace {

struct alignas(1024) Stage {
  float tile[512];
  TransferBarrier full;
};
using Teams = ClusterPolicy<Simulator, TeamScratch<Stage>>;
using Pairs = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<Stage>>;

void transfer_barrier_uninitialised(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    if (member.team_rank() == 0) member.arrive_expecting(stage.full, 1024);
  };
  parallel_for("no_init", Teams(target, 2, 64), kernel);
}

void transfer_barrier_uninitialised_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.team_rank() == 0) member.arrive_expecting(stage.full, 1024);
  };
  parallel_for("init", Teams(target, 2, 64), kernel);
}

void transfer_barrier_overflow(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.subgroup_rank() == 0) member.arrive(stage.full);
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("every_lane", Teams(target, 2, 64), kernel);
}

void transfer_barrier_overflow_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.subgroup_rank() == 0) member.arrive_once(stage.full);
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("one_lane", Teams(target, 2, 64), kernel);
}

void transfer_barrier_remote(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    auto stage = member.cluster_scratch();
    member.init_barriers(BarrierGroup(stage->full, 1));
    auto neighbour = member.peer(stage, member.cluster_rank() ^ 1);
    if (member.team_rank() == 0) member.arrive(neighbour->full);
    Waiter waiter;
    member.wait(stage->full, waiter);
  };
  parallel_for("local_form", Pairs(target, 2, 64), kernel);
}

void transfer_barrier_remote_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    auto stage = member.cluster_scratch();
    member.init_barriers(BarrierGroup(stage->full, 1));
    if (member.team_rank() == 0) member.arrive(stage->full, member.cluster_rank() ^ 1);
    Waiter waiter;
    member.wait<Scope::cluster>(stage->full, waiter);
  };
  parallel_for("by_rank", Pairs(target, 2, 64), kernel);
}

void transfer_phase(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    member.init_barriers(BarrierGroup(stage.full, member.team_size()));
    for (int round = 0; round < 3; ++round) {
      Waiter waiter;
      member.arrive(stage.full);
      member.wait(stage.full, waiter);
    }
  };
  parallel_for("waiter_in_the_loop", Teams(target, 2, 64), kernel);
}

void transfer_phase_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    member.init_barriers(BarrierGroup(stage.full, member.team_size()));
    Waiter waiter;
    for (int round = 0; round < 3; ++round) {
      member.arrive(stage.full);
      member.wait(stage.full, waiter);
    }
  };
  parallel_for("waiter_of_the_thread", Teams(target, 2, 64), kernel);
}

void transfer_bytes(Simulator const& target) {
  Buffer<float, Simulator> const input(target, 512);
  float const* const in = input.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.team_rank() == 0) {
      member.arrive_expecting(stage.full, 1024);
      member.copy_async(stage.tile, in, 512, stage.full);
    }
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("half_expected", Teams(target, 2, 64), kernel);
}

void transfer_bytes_repaired(Simulator const& target) {
  Buffer<float, Simulator> const input(target, 512);
  float const* const in = input.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.team_rank() == 0) {
      member.arrive_expecting(stage.full, sizeof stage.tile);
      member.copy_async(stage.tile, in, 512, stage.full);
    }
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("all_expected", Teams(target, 2, 64), kernel);
}

using Map = TileMap<float const, 2, Simulator>;

void transfer_mask(Simulator const& target) {
  Buffer<float, Simulator> const input(target, 512);
  Map const map(target, input.data(), {.extents = {32, 16}, .box = {32, 16}});
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    Stage& stage = *member.cluster_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.team_rank() == 0) {
      member.arrive_expecting(stage.full, map.box_bytes());
      member.tile_load_multicast(map, {0, 0}, stage.tile, stage.full, 0b1111U);
    }
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("four_of_two", Pairs(target, 2, 64), kernel);
}

void transfer_mask_repaired(Simulator const& target) {
  Buffer<float, Simulator> const input(target, 512);
  Map const map(target, input.data(), {.extents = {32, 16}, .box = {32, 16}});
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    Stage& stage = *member.cluster_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.team_rank() == 0) {
      member.arrive_expecting(stage.full, map.box_bytes());
      member.tile_load_multicast(map, {0, 0}, stage.tile, stage.full, ClusterAxis::x);
    }
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("along_x", Pairs(target, 2, 64), kernel);
}

void transfer_alignment(Simulator const& target) {
  Buffer<float, Simulator> const input(target, 512);
  float const* const in = input.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.team_rank() == 0) {
      member.arrive_expecting(stage.full, 256 * sizeof(float));
      member.copy_async(stage.tile, in + 1, 256, stage.full);
    }
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("from_the_second", Teams(target, 2, 64), kernel);
}

void transfer_alignment_repaired(Simulator const& target) {
  Buffer<float, Simulator> const input(target, 512);
  float const* const in = input.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.team_rank() == 0) {
      member.arrive_expecting(stage.full, 260 * sizeof(float));
      member.copy_async(stage.tile, in, 260, stage.full);
    }
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("from_the_first", Teams(target, 2, 64), kernel);
}

void transfer_scratch(Simulator const& target) {
  using Policy =
      ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<Stage>, TeamScratch<float>>;
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    Stage& stage = *member.cluster_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.team_rank() == 0) {
      member.arrive_expecting(stage.full, sizeof(float));
      member.push_async(member.team_scratch(), member.cluster_rank() ^ 1, 1.0F, stage.full);
    }
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("to_team_scratch", Policy(target, 2, 64), kernel);
}

void transfer_scratch_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Pairs::member_type const& member) {
    Stage& stage = *member.cluster_scratch();
    member.init_barriers(BarrierGroup(stage.full, 1));
    if (member.team_rank() == 0) {
      member.arrive_expecting(stage.full, sizeof(float));
      member.push_async(stage.tile[0], member.cluster_rank() ^ 1, 1.0F, stage.full);
    }
    Waiter waiter;
    member.wait(stage.full, waiter);
  };
  parallel_for("to_cluster_scratch", Pairs(target, 2, 64), kernel);
}

void transfer_in_flight_at_exit(Simulator const& target) {
  Buffer<float, Simulator> const output(target, 2 * 512);
  float* const out = output.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    for (int i = member.team_rank(); i < 512; i += 64) stage.tile[i] = 1;
    member.team_barrier(before_transfer);
    if (member.team_rank() == 0)
      member.copy_async(out + member.league_rank() * 512, stage.tile, 512);
  };
  parallel_for("store_and_return", Teams(target, 2, 64), kernel);
}

void transfer_in_flight_at_exit_repaired(Simulator const& target) {
  Buffer<float, Simulator> const output(target, 2 * 512);
  float* const out = output.data();
  auto kernel = KOHORT_LAMBDA(Teams::member_type const& member) {
    Stage& stage = member.team_scratch();
    for (int i = member.team_rank(); i < 512; i += 64) stage.tile[i] = 1;
    member.team_barrier(before_transfer);
    if (member.team_rank() == 0) {
      member.copy_async(out + member.league_rank() * 512, stage.tile, 512);
      member.wait_stores_read();
    }
  };
  parallel_for("store_and_wait", Teams(target, 2, 64), kernel);
}

struct alignas(1024) Operands {
  bfloat16 a[64 * 64];
  bfloat16 b[64 * 64];
};
using Products = ClusterPolicy<Simulator, TeamScratch<Operands>>;
using Mma = WarpgroupMma<Simulator, bfloat16, bfloat16, float, 64>;

void warpgroup_divergent(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Products::member_type const& member) {
    Operands& operands = member.team_scratch();
    for (int i = member.team_rank(); i < 64 * 64; i += 128) operands.a[i] = operands.b[i] = 1.0F;
    member.team_barrier(before_transfer);
    Mma sums;
    if (member.subgroup_rank() < 2) sums.multiply(member, operands.a, operands.b);
    sums.wait(member);
  };
  parallel_for("half_a_warpgroup", Products(target, 2, 128), kernel);
}

void warpgroup_divergent_repaired(Simulator const& target) {
  auto kernel = KOHORT_LAMBDA(Products::member_type const& member) {
    Operands& operands = member.team_scratch();
    for (int i = member.team_rank(); i < 64 * 64; i += 128) operands.a[i] = operands.b[i] = 1.0F;
    member.team_barrier(before_transfer);
    Mma sums;
    sums.multiply(member, operands.a, operands.b);
    sums.wait(member);
  };
  parallel_for("a_warpgroup", Products(target, 2, 128), kernel);
}

}  // namespace

std::vector<FaultyKernel> const& faulty_transfers() {
#define KOHORT_FAULTY_KERNEL(id, name) \
  { id, name, name##_repaired, false, "tests/simulator/faulty_transfers.cpp" }
  static std::vector<FaultyKernel> const all{
      KOHORT_FAULTY_KERNEL("transfer-barrier-uninitialised", transfer_barrier_uninitialised),
      KOHORT_FAULTY_KERNEL("transfer-barrier-overflow", transfer_barrier_overflow),
      KOHORT_FAULTY_KERNEL("transfer-barrier-remote", transfer_barrier_remote),
      KOHORT_FAULTY_KERNEL("transfer-phase", transfer_phase),
      KOHORT_FAULTY_KERNEL("transfer-bytes", transfer_bytes),
      KOHORT_FAULTY_KERNEL("transfer-mask", transfer_mask),
      KOHORT_FAULTY_KERNEL("transfer-alignment", transfer_alignment),
      KOHORT_FAULTY_KERNEL("transfer-scratch", transfer_scratch),
      KOHORT_FAULTY_KERNEL("transfer-in-flight-at-exit", transfer_in_flight_at_exit),
      KOHORT_FAULTY_KERNEL("warpgroup-divergent", warpgroup_divergent),
  };
#undef KOHORT_FAULTY_KERNEL
  return all;
}

}  // namespace kohort::tests
