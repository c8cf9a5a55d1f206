// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of matrix products and pipelines: operands that are not there yet, or not any more.
#include "case.hpp"

namespace kohort::detect::transfers_products {

constexpr int threads = 128;
constexpr int elements = 64 * 64;

struct alignas(1024) Operands {
  bfloat16 a[elements];
  bfloat16 b[elements];
  TransferBarrier full;
};
template <class Target>
using Teams = ClusterPolicy<Target, TeamScratch<Operands>>;
template <class Target>
using TeamMember = typename Teams<Target>::member_type;
template <class Target>
using Mma = WarpgroupMma<Target, bfloat16, bfloat16, float, 64>;

template <class Target>
KOHORT_FUNCTION void fill(TeamMember<Target> const& member, Operands& operands, float value) {
  for (int i = member.team_rank(); i < elements; i += threads)
    operands.a[i] = operands.b[i] = bfloat16(value);
}

template <bool Fences, class Target>
void product_of_ordinary_writes(Target const& target) {
  parallel_for(
      "product", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Operands& operands = member.team_scratch();
        fill<Target>(member, operands, 1);
        if constexpr (Fences) {
          member.team_barrier(before_transfer);
        } else {
          member.team_barrier();
        }
        Mma<Target> sums;
        sums.multiply(member, operands.a, operands.b);
        sums.wait(member);
      });
  target.fence();
}

/// The operands are overwritten for the next round, before or after the product's wait.
template <bool Waits, class Target>
void operands_are_overwritten(Target const& target) {
  parallel_for(
      "two_products", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Operands& operands = member.team_scratch();
        Mma<Target> sums;
        for (int round = 0; round < 2; ++round) {
          fill<Target>(member, operands, 1);
          member.team_barrier(before_transfer);
          sums.multiply(member, operands.a, operands.b);
          if constexpr (Waits) sums.wait(member);
          member.team_barrier();
        }
        sums.wait(member);
      });
  target.fence();
}

enum class WhoWaits { one_subgroup, all };

/// A product reads its operands in four subgroups, each of which has to know that they came.
template <WhoWaits Who, class Target>
void operands_are_waited_for(Target const& target) {
  auto const memory = filled<float>(target, elements / 2, 1.0F);
  bfloat16 const* const in = reinterpret_cast<bfloat16 const*>(memory.data());
  parallel_for(
      "loaded_product", Teams<Target>(target, 1, threads),
      KOHORT_LAMBDA(TeamMember<Target> const& member) {
        Operands& operands = member.team_scratch();
        member.init_barriers(BarrierGroup(operands.full, 1));
        if (member.team_rank() == 0) {
          member.arrive_expecting(operands.full, 2 * elements * 2);
          member.copy_async(operands.a, in, elements, operands.full);
          member.copy_async(operands.b, in, elements, operands.full);
        }
        Waiter waiter;
        if (Who == WhoWaits::all || member.subgroup_rank() == 0) member.wait(operands.full, waiter);
        Mma<Target> sums;
        sums.multiply(member, operands.a, operands.b);
        sums.wait(member);
      });
  target.fence();
}

constexpr int stages = 2;
constexpr int steps = 6;
struct alignas(128) Stages {
  int left[stages][8 * 32];
  int right[stages][8 * 32];
  PipelineBarriers<stages> barriers;
};
template <class Target>
using Clusters = ClusterPolicy<Target, ClusterDims<2, 2>, ClusterScratch<Stages>>;
template <class Target>
using ClusterOfFourMember = typename Clusters<Target>::member_type;

/// Teams share their stages along both axes. Where the lowest rank brings the whole box, a consumer
/// can be a round ahead of a team that has not seen its own stage free.
template <bool Splits, class Target>
void stages_are_shared(Target const& target) {
  auto const memory = filled<int>(target, 2 * steps * 8 * 32, 1);
  auto const out = filled<int>(target, 4 * threads);
  TileMap<int const, 2, Target> const map(
      target, memory.data(),
      {.extents = {32, 2 * steps * 8}, .box = {32, 8}, .split = Splits ? 2 : 1});
  int* const results = out.data();
  parallel_for(
      "shared_stages", Clusters<Target>(target, League(2, 2), 2 * threads),
      KOHORT_LAMBDA(ClusterOfFourMember<Target> const& member) {
        Stages& mine = *member.cluster_scratch();
        TilePipeline<stages> const pipeline(member, mine.barriers);
        pipeline.run(
            member,
            [&](auto& producer) {
              for (int step = 0; step < steps; ++step)
                producer.fill(2 * map.box_bytes(), [&](int stage, TransferBarrier& full) {
                  int const left_at[2] = {0, (member.cluster_index(1) * steps + step) * 8};
                  int const right_at[2] = {0, (member.cluster_index(0) * steps + step) * 8};
                  member.tile_load_multicast(map, left_at, mine.left[stage], full, ClusterAxis::x);
                  member.tile_load_multicast(map, right_at, mine.right[stage], full,
                                             ClusterAxis::y);
                });
            },
            [&](auto& consumer) {
              int sum = 0;
              for (int step = 0; step < steps; ++step) {
                int const stage = consumer.wait();
                sum += mine.left[stage][member.team_rank()] * mine.right[stage][member.team_rank()];
                member.named_barrier(1, threads / member.subgroup_size());
                consumer.release(stage);
              }
              results[member.cluster_rank() * threads + member.team_rank()] = sum;
            });
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "product_of_writes_without_a_fence",
     .kind = "race",
     .expected = "transfer-missing-fence",
     .source = "own",
     .faulty = product_of_ordinary_writes<false, UnitTarget>,
     .repaired = product_of_ordinary_writes<true, UnitTarget>},
    {.name = "operands_overwritten_while_they_are_multiplied",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "own",
     .faulty = operands_are_overwritten<false, UnitTarget>,
     .repaired = operands_are_overwritten<true, UnitTarget>},
    {.name = "one_subgroup_waits_for_the_operands",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "own",
     .faulty = operands_are_waited_for<WhoWaits::one_subgroup, UnitTarget>,
     .repaired = operands_are_waited_for<WhoWaits::all, UnitTarget>},
    {.name = "consumer_a_round_ahead_of_a_shared_stage",
     .kind = "barrier",
     .expected = "transfer-barrier-overflow",
     .source = "own",
     .faulty = stages_are_shared<false, UnitTarget>,
     .repaired = stages_are_shared<true, UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::transfers_products
