// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of phased barriers: who initialises, who arrives how often, and who waits for which phase.
#include "case.hpp"

namespace kohort::detect::transfers_barriers {

constexpr int threads = 64;

struct alignas(128) Stage {
  int tile[2][64];
  TransferBarrier full[2];
  TransferBarrier empty;
};
template <class Target>
using Teams = ClusterPolicy<Target, TeamScratch<Stage>>;
template <class Target>
using Pairs = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<Stage>>;
template <class Target>
using TeamMember = typename Teams<Target>::member_type;
template <class Target>
using PairMember = typename Pairs<Target>::member_type;

/// How a kernel makes its barrier known before it arrives at the peer's.
enum class Init { not_at_all, relaxed_without_fence, relaxed_after_fence, whole };

template <Init How, class Target>
void arrive_at_the_peer(Target const& target) {
  parallel_for(
      "arrive_at_the_peer", Pairs<Target>(target, 2, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        Stage& mine = *member.cluster_scratch();
        if constexpr (How == Init::whole) {
          member.init_barriers(BarrierGroup(mine.full, 1));
        } else {
          if (member.team_rank() == 0) {
            member.init_barrier(mine.full[0], 1);
            if constexpr (How == Init::relaxed_after_fence) member.fence_barrier_init();
          }
          if constexpr (How != Init::not_at_all) {
            auto token = member.cluster_arrive_relaxed();
            member.cluster_wait(std::move(token));
          }
        }
        if (member.team_rank() == 0) {
          member.arrive(mine.full[0], member.cluster_rank() ^ 1);
          Waiter waiter;
          member.template wait<Scope::cluster>(mine.full[0], waiter);
        }
      });
  target.fence();
}

template <bool HasBarrier, class Target>
void one_inits_and_another_arrives(Target const& target) {
  parallel_for(
      "init_then_arrive", Teams<Target>(target, 2, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        if (member.team_rank() == 0) {
          member.init_barrier(mine.full[0], 1);
          member.fence_barrier_init();
        }
        if constexpr (HasBarrier) member.team_barrier();
        if (member.team_rank() == 32) member.arrive(mine.full[0]);
      });
  target.fence();
}

template <bool Inits, class Target>
void bytes_are_expected(Target const& target) {
  parallel_for(
      "expect", Teams<Target>(target, 2, threads), KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        if constexpr (Inits) member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) member.expect_bytes(mine.full[0], 1024);
      });
  target.fence();
}

/// A producer whose tile may be empty: then it arrives and is done, or arrives once more below.
template <bool ArrivesTwice, class Target>
void the_skip_path_arrives(Target const& target) {
  auto const input = filled<int>(target, 64, 1);
  auto const out = filled<int>(target, 64);
  int const* const in = input.data();
  int* const results = out.data();
  parallel_for(
      "skip_path", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) {
          if (ArrivesTwice) member.arrive(mine.full[0]);
          member.arrive_expecting(mine.full[0], 256);
          member.copy_async(mine.tile[0], in, 64, mine.full[0]);
        } else if (member.team_rank() >= 32) {
          Waiter waiter;
          member.wait(mine.full[0], waiter);
          results[member.team_rank()] = mine.tile[0][member.team_rank()];
        }
      });
  target.fence();
}

template <bool Elects, class Target>
void lanes_arrive(Target const& target) {
  parallel_for(
      "lanes_arrive", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.subgroup_rank() == 0) {
          if (Elects ? member.is_elected() : true) member.arrive(mine.full[0]);
        } else {
          Waiter waiter;
          member.wait(mine.full[0], waiter);
        }
      });
  target.fence();
}

/// Two subgroups read each tile; a stage is free when both have.
template <int CountedConsumers, class Target>
void two_consumers(Target const& target) {
  auto const input = filled<int>(target, 4 * 64, 1);
  auto const out = filled<int>(target, 4 * 64);
  int const* const in = input.data();
  int* const results = out.data();
  parallel_for(
      "two_consumers", Teams<Target>(target, 1, 96),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1),
                             BarrierGroup(mine.empty, CountedConsumers));
        int const consumer = member.team_rank() - 32;
        Waiter filled_slot;
        Waiter free_slot = Waiter::initially_free();
        for (int i = 0; i < 4; ++i) {
          if (member.team_rank() == 0) {
            member.wait(mine.empty, free_slot);
            member.arrive_expecting(mine.full[0], 256);
            member.copy_async(mine.tile[0], in + i * 64, 64, mine.full[0]);
          } else if (consumer >= 0) {
            member.wait(mine.full[0], filled_slot);
            results[i * 64 + consumer] = mine.tile[0][consumer];
            member.named_barrier(1, 2);
            member.arrive_once(mine.empty);
          }
        }
      });
  target.fence();
}

template <bool ByRank, class Target>
void arrive_on_a_mapped_barrier(Target const& target) {
  parallel_for(
      "mapped_barrier", Pairs<Target>(target, 2, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        auto const mine = member.cluster_scratch();
        member.init_barriers(BarrierGroup(mine->full, 1));
        if (member.team_rank() == 0) {
          if constexpr (ByRank) {
            member.arrive(mine->full[0], member.cluster_rank() ^ 1);
          } else {
            member.arrive(member.peer(mine, member.cluster_rank() ^ 1)->full[0]);
          }
        }
        Waiter waiter;
        member.template wait<Scope::cluster>(mine->full[0], waiter);
      });
  target.fence();
}

enum class Publication { relaxed, for_the_team, for_the_cluster };

/// Team 1 writes to team 0's tile, arrives there, and team 0 reads it.
template <Publication How, class Target>
void arrival_after_remote_writes(Target const& target) {
  auto const out = filled<int>(target, threads);
  int* const results = out.data();
  parallel_for(
      "remote_writes", Pairs<Target>(target, 2, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        auto const mine = member.cluster_scratch();
        int const thread = member.team_rank();
        member.init_barriers(BarrierGroup(mine->full, threads));
        if (member.cluster_rank() == 1) {
          member.peer(mine, 0)->tile[0][thread] = thread;
          if constexpr (How == Publication::relaxed) {
            member.arrive(mine->full[0], 0, relaxed);
          } else {
            member.arrive(mine->full[0], 0);
          }
        } else {
          Waiter waiter;
          if constexpr (How == Publication::for_the_team) {
            member.wait(mine->full[0], waiter);
          } else {
            member.template wait<Scope::cluster>(mine->full[0], waiter);
          }
          results[thread] = mine->tile[0][thread];
        }
      });
  target.fence();
}

/// Whether the consumer's parity comes from its Waiter, or from the number of the barrier.
template <bool FromTheIndex, class Target>
void fresh_barriers(Target const& target) {
  auto const input = filled<int>(target, 2 * 64, 1);
  auto const out = filled<int>(target, 2 * 64);
  int const* const in = input.data();
  int* const results = out.data();
  parallel_for(
      "fresh_barriers", Teams<Target>(target, 1, 96),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        int const consumer = member.team_rank() - 32;
        if (member.team_rank() == 0) {
          for (int i = 0; i < 2; ++i) {
            member.arrive_expecting(mine.full[i], 256);
            member.copy_async(mine.tile[i], in + i * 64, 64, mine.full[i]);
          }
        } else if (consumer >= 0) {
          Waiter waiter;
          for (int i = 0; i < 2; ++i) {
            if (FromTheIndex && i % 2 == 1) waiter.skip(i);
            member.wait(mine.full[i], waiter, i);
            results[i * 64 + consumer] = mine.tile[i][consumer];
          }
        }
      });
  target.fence();
}

/// Every other tile is empty: nothing is loaded for it.
template <bool FlipsOnEmptyTiles, class Target>
void empty_tiles(Target const& target) {
  auto const input = filled<int>(target, 5 * 64, 1);
  auto const out = filled<int>(target, 5 * 64);
  int const* const in = input.data();
  int* const results = out.data();
  parallel_for(
      "empty_tiles", Teams<Target>(target, 1, 96), KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1), BarrierGroup(mine.empty, 2));
        int const consumer = member.team_rank() - 32;
        Waiter filled_slot;
        Waiter free_slot = Waiter::initially_free();
        for (int i = 0; i < 5; ++i) {
          bool const is_empty = i % 2 == 1;
          if (member.team_rank() == 0 && !is_empty) {
            member.wait(mine.empty, free_slot);
            member.arrive_expecting(mine.full[0], 256);
            member.copy_async(mine.tile[0], in + i * 64, 64, mine.full[0]);
          } else if (consumer >= 0 && !is_empty) {
            member.wait(mine.full[0], filled_slot);
            results[i * 64 + consumer] = mine.tile[0][consumer];
            member.arrive_once(mine.empty);
          } else if (consumer >= 0 && FlipsOnEmptyTiles) {
            filled_slot.skip(0);
          }
        }
      });
  target.fence();
}

template <bool Overwrites, class Target>
void ordinary_store_to_a_barrier(Target const& target) {
  parallel_for(
      "store_to_a_barrier", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) member.arrive(mine.full[0]);
        if (Overwrites && member.team_rank() == 32) mine.full[0].state = 1;
      });
  target.fence();
}

/// The barrier's phases are a team barrier's business too: thread 0 alone waits for every one.
template <class Target>
void phases_are_skipped_by_who_knows(Target const& target) {
  parallel_for(
      "skipped_phases", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        Waiter waiter;
        for (int round = 0; round < 4; ++round) {
          if (member.team_rank() == 0) member.arrive(mine.full[0]);
          if (round == 3 || member.team_rank() == 0) {
            member.wait(mine.full[0], waiter);
          } else {
            waiter.skip(0);
          }
          member.team_barrier();
        }
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "remote_arrive_before_the_peers_init",
     .kind = "barrier",
     .expected = "transfer-barrier-uninitialised",
     .source = "FAULTS 7",
     .faulty = arrive_at_the_peer<Init::not_at_all, UnitTarget>,
     .repaired = arrive_at_the_peer<Init::whole, UnitTarget>},
    {.name = "barrier_init_not_made_visible_to_the_cluster",
     .kind = "barrier",
     .expected = "transfer-barrier-uninitialised",
     .source = "FAULTS 8",
     .faulty = arrive_at_the_peer<Init::relaxed_without_fence, UnitTarget>,
     .repaired = arrive_at_the_peer<Init::relaxed_after_fence, UnitTarget>},
    {.name = "no_team_barrier_after_a_barriers_init",
     .kind = "barrier",
     .expected = "transfer-barrier-uninitialised",
     .source = "FAULTS 11",
     .faulty = one_inits_and_another_arrives<false, UnitTarget>,
     .repaired = one_inits_and_another_arrives<true, UnitTarget>},
    {.name = "bytes_expected_on_an_uninitialised_barrier",
     .kind = "barrier",
     .expected = "transfer-barrier-uninitialised",
     .source = "FAULTS 12",
     .faulty = bytes_are_expected<false, UnitTarget>,
     .repaired = bytes_are_expected<true, UnitTarget>},
    {.name = "skip_path_arrives_and_arrives_again",
     .kind = "barrier",
     .expected = "transfer-barrier-overflow",
     .source = "FAULTS 23",
     .faulty = the_skip_path_arrives<true, UnitTarget>,
     .repaired = the_skip_path_arrives<false, UnitTarget>},
    {.name = "every_lane_arrives_at_a_barrier_that_counts_one",
     .kind = "barrier",
     .expected = "transfer-barrier-overflow",
     .source = "FAULTS 25",
     .faulty = lanes_arrive<false, UnitTarget>,
     .repaired = lanes_arrive<true, UnitTarget>},
    {.name = "more_consumers_than_the_barrier_counts",
     .kind = "barrier",
     .expected = "transfer-barrier-overflow",
     .source = "FAULTS 26",
     .faulty = two_consumers<1, UnitTarget>,
     .repaired = two_consumers<2, UnitTarget>},
    {.name = "local_arrive_on_a_mapped_barrier",
     .kind = "barrier",
     .expected = "transfer-barrier-remote",
     .source = "FAULTS 27",
     .faulty = arrive_on_a_mapped_barrier<false, UnitTarget>,
     .repaired = arrive_on_a_mapped_barrier<true, UnitTarget>},
    {.name = "relaxed_arrival_after_remote_writes",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS 28",
     .faulty = arrival_after_remote_writes<Publication::relaxed, UnitTarget>,
     .repaired = arrival_after_remote_writes<Publication::for_the_cluster, UnitTarget>},
    {.name = "team_scope_wait_for_remote_writes",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS 28",
     .faulty = arrival_after_remote_writes<Publication::for_the_team, UnitTarget>,
     .repaired = arrival_after_remote_writes<Publication::for_the_cluster, UnitTarget>},
    {.name = "parity_from_the_index_of_a_fresh_barrier",
     .kind = "barrier",
     .expected = "transfer-phase",
     .source = "FAULTS 19",
     .faulty = fresh_barriers<true, UnitTarget>,
     .repaired = fresh_barriers<false, UnitTarget>,
     .needs_exploration = true},
    {.name = "phase_flips_on_empty_tiles",
     .kind = "barrier",
     .expected = "transfer-phase",
     .source = "FAULTS 21",
     .faulty = empty_tiles<true, UnitTarget>,
     .repaired = empty_tiles<false, UnitTarget>},
    {.name = "ordinary_store_to_a_barrier",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "own",
     .faulty = ordinary_store_to_a_barrier<true, UnitTarget>,
     .repaired = ordinary_store_to_a_barrier<false, UnitTarget>},
    {.name = "phases_skipped_by_who_knows_of_them",
     .kind = "barrier",
     .expected = "",
     .source = "own",
     .faulty = phases_are_skipped_by_who_knows<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::transfers_barriers
