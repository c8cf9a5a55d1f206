// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of async copies: bytes that are miscounted, memory that is touched while a copy is under
// way, copies that outlive their team.
#include "case.hpp"

namespace kohort::detect::transfers_copies {

constexpr int threads = 64;
constexpr int elements = 256;
constexpr int bytes = elements * 4;

struct alignas(128) Stage {
  int tile[2][elements];
  TransferBarrier full;
  TransferBarrier empty;
};
template <class Target>
using Teams = ClusterPolicy<Target, TeamScratch<Stage>>;
template <class Target>
using Pairs = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<Stage>>;
template <class Target>
using Fours = ClusterPolicy<Target, ClusterDims<4>, ClusterScratch<Stage>>;
template <class Target>
using TeamMember = typename Teams<Target>::member_type;
template <class Target>
using PairMember = typename Pairs<Target>::member_type;
template <class Target>
using FourMember = typename Fours<Target>::member_type;

template <class Target>
using Map = TileMap<int const, 2, Target>;
template <class Target>
Map<Target> map_of(Target const& target, Buffer<int, Target> const& memory) {
  return Map<Target>(target, memory.data(),
                     {.extents = {32, static_cast<long long>(memory.size() / 32)}, .box = {32, 8}});
}

/// Two boxes are brought where `Expected` are announced.
template <int Expected, class Target>
void boxes_are_expected(Target const& target) {
  auto const input = filled<int>(target, 2 * elements, 1);
  auto const map = map_of(target, input);
  parallel_for(
      "expected_boxes", Teams<Target>(target, 2, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) {
          member.arrive_expecting(mine.full, Expected * bytes);
          member.tile_load_async(map, {0, 0}, mine.tile[0], mine.full);
          member.tile_load_async(map, {0, 8}, mine.tile[1], mine.full);
        }
        Waiter waiter;
        member.wait(mine.full, waiter);
      });
  target.fence();
}

template <bool AllArm, class Target>
void receivers_arm_their_barriers(Target const& target) {
  auto const input = filled<int>(target, elements, 1);
  auto const map = map_of(target, input);
  parallel_for(
      "armed_barriers", Pairs<Target>(target, 2, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        Stage& mine = *member.cluster_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) {
          if (AllArm || member.cluster_rank() == 0) member.arrive_expecting(mine.full, bytes);
          member.tile_load_multicast(map, {0, 0}, mine.tile[0], mine.full, ClusterAxis::x);
        }
        Waiter waiter;
        member.wait(mine.full, waiter);
      });
  target.fence();
}

/// A pair of each cluster of four shares a box, of which each brings half.
template <int Counted, class Target>
void expected_of_the_pair(Target const& target) {
  auto const input = filled<int>(target, 2 * elements, 1);
  auto const map = map_of(target, input);
  parallel_for(
      "pair_of_four", Fours<Target>(target, 4, threads),
      KOHORT_LAMBDA(FourMember<Target> const& member) {
        Stage& mine = *member.cluster_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        int const first = member.cluster_rank() / 2 * 2;
        if (member.team_rank() == 0) {
          member.arrive_expecting(mine.full, Counted * bytes);
          std::uint32_t const pair = std::uint32_t{3} << first;
          member.tile_load_multicast(map, {0, 0}, mine.tile[0], mine.full, pair);
          member.tile_load_multicast(map, {0, 8}, mine.tile[1], mine.full, pair);
        }
        Waiter waiter;
        member.wait(mine.full, waiter);
      });
  target.fence();
}

template <bool NamesAbsent, class Target>
void mask_of_a_multicast(Target const& target) {
  auto const input = filled<int>(target, elements, 1);
  auto const map = map_of(target, input);
  parallel_for(
      "mask", Pairs<Target>(target, 2, threads), KOHORT_LAMBDA(PairMember<Target> const& member) {
        Stage& mine = *member.cluster_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) {
          member.arrive_expecting(mine.full, bytes);
          std::uint32_t const ranks = NamesAbsent ? 7U : member.ranks_along(ClusterAxis::x);
          member.tile_load_multicast(map, {0, 0}, mine.tile[0], mine.full, ranks);
        }
        Waiter waiter;
        member.wait(mine.full, waiter);
      });
  target.fence();
}

enum class BeforeStore { barrier, fence_and_barrier, barrier_and_fence };

template <BeforeStore What, class Target>
void store_of_ordinary_writes(Target const& target) {
  auto const out = filled<int>(target, 2 * elements);
  int* const results = out.data();
  parallel_for(
      "store", Teams<Target>(target, 2, threads), KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        for (int i = member.team_rank(); i < elements; i += threads) mine.tile[0][i] = i;
        if constexpr (What == BeforeStore::fence_and_barrier) {
          member.team_barrier(before_transfer);
        } else {
          member.team_barrier();
        }
        if (member.team_rank() == 0) {
          if constexpr (What == BeforeStore::barrier_and_fence) member.fence_before_transfer();
          member.copy_async(results + member.league_rank() * elements, mine.tile[0], elements);
          member.wait_stores_read();
        }
      });
  target.fence();
}

template <bool Waits, class Target>
void source_of_a_store_is_used_again(Target const& target) {
  auto const out = filled<int>(target, 2 * elements);
  int* const results = out.data();
  parallel_for(
      "two_stores", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        for (int round = 0; round < 2; ++round) {
          for (int i = member.team_rank(); i < elements; i += threads) mine.tile[0][i] = round;
          member.team_barrier(before_transfer);
          if (member.team_rank() == 0) {
            member.copy_async(results + round * elements, mine.tile[0], elements);
            if constexpr (Waits) member.wait_stores_read();
          }
          member.team_barrier();
        }
        if (member.team_rank() == 0) member.wait_stores_read();
      });
  target.fence();
}

/// What a store brought is read in the same launch, after its scratch was read or after all of it.
template <bool WaitsForAll, class Target>
void stored_memory_is_read(Target const& target) {
  auto const out = filled<int>(target, elements);
  auto const sums = filled<int>(target, threads);
  int* const memory = out.data();
  int* const results = sums.data();
  parallel_for(
      "store_and_read", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        for (int i = member.team_rank(); i < elements; i += threads) mine.tile[0][i] = i;
        member.team_barrier(before_transfer);
        if (member.team_rank() == 0) {
          member.copy_async(memory, mine.tile[0], elements);
          member.wait_stores_read();
          if constexpr (WaitsForAll) member.wait_stores();
        }
        member.team_barrier();
        results[member.team_rank()] = memory[member.team_rank()];
      });
  target.fence();
}

template <bool Waits, class Target>
void tile_is_read(Target const& target) {
  auto const input = filled<int>(target, elements, 1);
  auto const out = filled<int>(target, threads);
  int const* const in = input.data();
  int* const results = out.data();
  parallel_for(
      "load_and_read", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) {
          member.arrive_expecting(mine.full, bytes);
          member.copy_async(mine.tile[0], in, elements, mine.full);
        }
        Waiter waiter;
        if constexpr (Waits) member.wait(mine.full, waiter);
        results[member.team_rank()] = mine.tile[0][member.team_rank()];
        member.wait(mine.full, waiter);
      });
  target.fence();
}
template <class Target>
void tile_is_read_after_the_wait(Target const& target) {
  auto const input = filled<int>(target, elements, 1);
  auto const out = filled<int>(target, threads);
  int const* const in = input.data();
  int* const results = out.data();
  parallel_for(
      "load_and_read", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) {
          member.arrive_expecting(mine.full, bytes);
          member.copy_async(mine.tile[0], in, elements, mine.full);
        }
        Waiter waiter;
        member.wait(mine.full, waiter);
        results[member.team_rank()] = mine.tile[0][member.team_rank()];
      });
  target.fence();
}

template <bool Waits, class Target>
void source_of_a_load_is_changed(Target const& target) {
  auto const memory = filled<int>(target, elements, 1);
  int* const source = memory.data();
  parallel_for(
      "load_and_change", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        Waiter waiter;
        if (member.team_rank() == 0) {
          member.arrive_expecting(mine.full, bytes);
          member.copy_async(mine.tile[0], source, elements, mine.full);
          if constexpr (Waits) member.wait(mine.full, waiter);
          source[0] = 2;
        }
        if (!Waits || member.team_rank() != 0) member.wait(mine.full, waiter);
      });
  target.fence();
}

/// A stage is filled again once its readers have handed it back, or before.
template <bool HandsBack, class Target>
void stage_is_filled_again(Target const& target) {
  auto const input = filled<int>(target, 3 * elements, 1);
  auto const out = filled<int>(target, 3 * elements);
  int const* const in = input.data();
  int* const results = out.data();
  parallel_for(
      "fill_again", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1), BarrierGroup(mine.empty, threads));
        Waiter waiter;
        Waiter free_slot;
        for (int round = 0; round < 3; ++round) {
          if (member.team_rank() == 0) {
            if (HandsBack && round > 0) member.wait(mine.empty, free_slot);
            member.arrive_expecting(mine.full, bytes);
            member.copy_async(mine.tile[0], in + round * elements, elements, mine.full);
          }
          member.wait(mine.full, waiter);
          member.team_barrier();
          for (int i = member.team_rank(); i < elements; i += threads)
            results[round * elements + i] = mine.tile[0][i];
          if constexpr (HandsBack) member.arrive(mine.empty);
        }
      });
  target.fence();
}

/// A value is pushed to a peer that may still read the last one.
template <bool IsFree, class Target>
void push_to_a_peer(Target const& target) {
  auto const out = filled<int>(target, 4);
  int* const results = out.data();
  parallel_for(
      "push_twice", Pairs<Target>(target, 2, threads),
      KOHORT_LAMBDA(PairMember<Target> const& member) {
        Stage& mine = *member.cluster_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1), BarrierGroup(mine.empty, 1));
        int const rank = member.cluster_rank();
        Waiter waiter;
        Waiter taken = Waiter::initially_free();
        for (int round = 0; round < 2; ++round) {
          if (member.team_rank() == 0) {
            if constexpr (IsFree) member.wait(mine.empty, taken);
            member.arrive_expecting(mine.full, 4);
            member.push_async(mine.tile[0][0], rank ^ 1, round, mine.full);
            member.wait(mine.full, waiter);
            results[round * 2 + rank] = mine.tile[0][0];
            if constexpr (IsFree) member.arrive(mine.empty, rank ^ 1, relaxed);
          }
        }
      });
  target.fence();
}

enum class End { load_under_way, store_under_way, waited };

template <End How, class Target>
void team_returns(Target const& target) {
  auto const input = filled<int>(target, elements, 1);
  auto const out = filled<int>(target, elements);
  int const* const in = input.data();
  int* const results = out.data();
  parallel_for(
      "return", Teams<Target>(target, 1, threads), KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        for (int i = member.team_rank(); i < elements; i += threads) mine.tile[1][i] = i;
        member.team_barrier(before_transfer);
        if (member.team_rank() == 0) {
          Waiter waiter;
          member.arrive_expecting(mine.full, bytes);
          member.copy_async(mine.tile[0], in, elements, mine.full);
          member.copy_async(results, mine.tile[1], elements);
          if constexpr (How != End::load_under_way) member.wait(mine.full, waiter);
          if constexpr (How != End::store_under_way) member.wait_stores_read();
        }
      });
  target.fence();
}

/// Clusters add to one place: each element is one atomic addition.
template <class Target>
void sums_of_many_teams(Target const& target) {
  auto const out = filled<int>(target, elements);
  TileMap<int, 2, Target> const map(target, out.data(), {.extents = {32, 8}, .box = {32, 8}});
  parallel_for(
      "tile_add", Teams<Target>(target, 6, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Stage& mine = member.team_scratch();
        for (int i = member.team_rank(); i < elements; i += threads) mine.tile[0][i] = 1;
        member.team_barrier(before_transfer);
        if (member.team_rank() == 0) {
          member.tile_add_async(map, {0, 0}, mine.tile[0]);
          member.wait_stores_read();
        }
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "half_of_the_bytes_are_expected",
     .kind = "barrier",
     .expected = "transfer-bytes",
     .source = "FAULTS 13",
     .faulty = boxes_are_expected<1, UnitTarget>,
     .repaired = boxes_are_expected<2, UnitTarget>},
    {.name = "two_copies_on_one_barrier",
     .kind = "barrier",
     .expected = "",
     .source = "FAULTS 18",
     .faulty = boxes_are_expected<2, UnitTarget>},
    {.name = "expected_bytes_that_never_come",
     .kind = "barrier",
     .expected = "transfer-bytes",
     .source = "own",
     .faulty = boxes_are_expected<3, UnitTarget>,
     .repaired = boxes_are_expected<2, UnitTarget>},
    {.name = "one_receiver_of_a_multicast_armed_its_barrier",
     .kind = "barrier",
     .expected = "deadlock",
     .source = "FAULTS 14",
     .faulty = receivers_arm_their_barriers<false, UnitTarget>,
     .repaired = receivers_arm_their_barriers<true, UnitTarget>},
    {.name = "bytes_expected_of_the_cluster_not_the_pair",
     .kind = "barrier",
     .expected = "transfer-bytes",
     .source = "FAULTS 16",
     .faulty = expected_of_the_pair<4, UnitTarget>,
     .repaired = expected_of_the_pair<2, UnitTarget>},
    {.name = "multicast_to_an_absent_team",
     .kind = "launch",
     .expected = "transfer-mask",
     .source = "FAULTS 38",
     .faulty = mask_of_a_multicast<true, UnitTarget>,
     .repaired = mask_of_a_multicast<false, UnitTarget>},
    {.name = "store_without_a_fence_for_the_copy_engine",
     .kind = "race",
     .expected = "transfer-missing-fence",
     .source = "FAULTS h",
     .faulty = store_of_ordinary_writes<BeforeStore::barrier, UnitTarget>,
     .repaired = store_of_ordinary_writes<BeforeStore::fence_and_barrier, UnitTarget>},
    {.name = "store_after_its_issuers_fence",
     .kind = "race",
     .expected = "",
     .source = "own",
     .faulty = store_of_ordinary_writes<BeforeStore::barrier_and_fence, UnitTarget>},
    {.name = "source_of_a_store_written_while_it_is_read",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "own",
     .faulty = source_of_a_store_is_used_again<false, UnitTarget>,
     .repaired = source_of_a_store_is_used_again<true, UnitTarget>},
    {.name = "stored_memory_read_before_it_was_written",
     .kind = "race",
     .expected = "race-global",
     .source = "own",
     .faulty = stored_memory_is_read<false, UnitTarget>,
     .repaired = stored_memory_is_read<true, UnitTarget>},
    {.name = "tile_read_before_the_wait",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "own",
     .faulty = tile_is_read<false, UnitTarget>,
     .repaired = tile_is_read_after_the_wait<UnitTarget>},
    {.name = "source_of_a_load_changed_while_it_is_read",
     .kind = "race",
     .expected = "race-global",
     .source = "own",
     .faulty = source_of_a_load_is_changed<false, UnitTarget>,
     .repaired = source_of_a_load_is_changed<true, UnitTarget>},
    {.name = "stage_filled_before_it_was_handed_back",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "own",
     .faulty = stage_is_filled_again<false, UnitTarget>,
     .repaired = stage_is_filled_again<true, UnitTarget>},
    {.name = "push_to_a_peer_that_is_not_free",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "own",
     .faulty = push_to_a_peer<false, UnitTarget>,
     .repaired = push_to_a_peer<true, UnitTarget>},
    {.name = "team_returns_with_a_load_under_way",
     .kind = "lifetime",
     .expected = "transfer-in-flight-at-exit",
     .source = "own",
     .faulty = team_returns<End::load_under_way, UnitTarget>,
     .repaired = team_returns<End::waited, UnitTarget>},
    {.name = "team_returns_with_a_store_under_way",
     .kind = "lifetime",
     .expected = "transfer-in-flight-at-exit",
     .source = "own",
     .faulty = team_returns<End::store_under_way, UnitTarget>,
     .repaired = team_returns<End::waited, UnitTarget>},
    {.name = "tiles_added_to_one_place",
     .kind = "race",
     .expected = "",
     .source = "own",
     .faulty = sums_of_many_teams<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::transfers_copies
