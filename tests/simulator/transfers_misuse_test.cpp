// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hostile and careless uses of copies, phased barriers, pipelines and products: each ends in a
// finding or a refusal that names it.
#include "transfer_stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kohort::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Pairs = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<Stage>, TeamScratch<Stage>>;

/// The finding of `body(member, stage)`, called by the first thread of each team of a pair after
/// both barriers were made ready for one arrival; what() names it.
template <class Body>
std::string report_of(Body const& body) {
  auto const finding = finding_of([&] {
    parallel_for(
        "hostile", Pairs(simulated(), 2, 32), KOHORT_LAMBDA(Pairs::member_type const& member) {
          Stage& mine = *member.cluster_scratch();
          member.init_barriers(BarrierGroup(mine.full, 1));
          if (member.team_rank() == 0) body(member, mine);
          member.cluster_barrier();
        });
  });
  return finding ? finding->what() : "nothing was found";
}

TEST(Transfers, AreWaitedForAtAnIndexThatAWaiterHas) {
  for (int const index : {-1, 32, 40}) {
    EXPECT_THAT(report_of([index](auto const& member, Stage& mine) {
                  Waiter waiter;
                  member.arrive(mine.full[0]);
                  member.wait(mine.full[0], waiter, index);
                }),
                AllOf(HasSubstr("[transfer-phase]"),
                      HasSubstr("waits at index " + std::to_string(index) + " "),
                      HasSubstr("32 barriers, 0 to 31")));
  }
}

TEST(Transfers, OfMoreElementsThanAnIntCountsBytesOfAreRefused) {
  auto const memory = Buffer<int, Simulator>(simulated(), 256);
  int* const device = memory.data();
  for (int const count : {(1 << 30) + 64, 1 << 30, -(1 << 30) - 64}) {
    auto const is_refused = HasSubstr(count > 0 ? "2147483632 B" : "a multiple of 16 B");
    EXPECT_THAT(report_of([=](auto const& member, Stage& mine) {
                  int const* const source = device;
                  member.copy_async(mine.tile[0], source, count, mine.full[0]);
                }),
                is_refused);
    EXPECT_THAT(report_of([=](auto const& member, Stage& mine) {
                  int const* const source = mine.tile[0];
                  member.copy_async(device, source, count);
                }),
                is_refused);
    EXPECT_THAT(report_of([=](auto const& member, Stage& mine) {
                  int const* const source = mine.tile[0];
                  member.push_async(mine.tile[1], 0, source, count, mine.full[0]);
                }),
                is_refused);
  }
}

TEST(Transfers, OfBoxesBeginAtPiecesOf16Bytes) {
  Simulator const target = simulated({});
  Buffer<int, Simulator> const memory(target, 1024);
  deep_copy(memory, 1);
  TileMap<int, 2, Simulator> const map(target, memory.data(),
                                       {.extents = {64, 16}, .box = {16, 4}});
  auto const begun_at = [&](int first) {
    auto const finding = finding_of([&] {
      parallel_for(
          "box", Teams(target, 1, 32), KOHORT_LAMBDA(Teams::member_type const& member) {
            Stage& mine = member.team_scratch();
            member.init_barriers(BarrierGroup(mine.full, 1));
            if (member.team_rank() == 0) {
              member.arrive_expecting(mine.full[0], map.box_bytes());
              member.tile_load_async(map, {first, 3}, mine.tile[0], mine.full[0]);
            }
            Waiter waiter;
            member.wait(mine.full[0], waiter);
          });
    });
    return finding ? finding->what() : std::string();
  };
  EXPECT_EQ(begun_at(-4), "");
  EXPECT_EQ(begun_at(8), "");
  EXPECT_THAT(begun_at(6), AllOf(HasSubstr("[transfer-alignment]"),
                                 HasSubstr("first element 6 in dimension 0, 24 B in")));
  EXPECT_THAT(begun_at(-1), HasSubstr("[transfer-alignment]"));
}

TEST(Transfers, OfStoredBoxesBeginInsideTheTensor) {
  Simulator const target = simulated({});
  Buffer<int, Simulator> const memory(target, 1024);
  TileMap<int, 2, Simulator> const map(target, memory.data(),
                                       {.extents = {64, 16}, .box = {16, 4}});
  auto const begun_at = [&](int column, int row, bool adds) {
    auto const finding = finding_of([&] {
      parallel_for(
          "box", Teams(target, 1, 32), KOHORT_LAMBDA(Teams::member_type const& member) {
            Stage& mine = member.team_scratch();
            if (member.team_rank() < 16 * 4) mine.tile[0][member.team_rank()] = 1;
            member.team_barrier(before_transfer);
            if (member.team_rank() != 0) return;
            if (adds) {
              member.tile_add_async(map, {column, row}, mine.tile[0]);
            } else {
              member.tile_store_async(map, {column, row}, mine.tile[0]);
            }
            member.wait_stores();
          });
    });
    return finding ? finding->what() : std::string();
  };
  EXPECT_EQ(begun_at(0, 0, false), "");
  EXPECT_EQ(begun_at(56, 15, true), "");
  EXPECT_EQ(begun_at(64, 17, false), "");
  EXPECT_THAT(begun_at(-4, 0, false),
              AllOf(HasSubstr("[transfer-alignment]"),
                    HasSubstr("a stored box's first element -4 in dimension 0")));
  EXPECT_THAT(begun_at(0, -1, true), HasSubstr("first element -1 in dimension 1"));
}

TEST(Transfers, HaveTheirOtherEndInDeviceMemory) {
  EXPECT_THAT(report_of([](auto const& member, Stage& mine) {
                int const* const nothing = nullptr;
                member.copy_async(mine.tile[0], nothing, 64, mine.full[0]);
              }),
              HasSubstr("a copy's source is null"));
  EXPECT_THAT(report_of([](auto const& member, Stage& mine) {
                int const* const scratch = mine.tile[1];
                member.copy_async(mine.tile[0], scratch, 64, mine.full[0]);
              }),
              AllOf(HasSubstr("a copy's source "), HasSubstr("has to lie in device memory")));
  EXPECT_THAT(report_of([](auto const& member, Stage& mine) {
                int const* const source = mine.tile[0];
                member.copy_async(static_cast<int*>(nullptr), source, 64);
              }),
              HasSubstr("a store's destination is null"));
}

TEST(Transfers, OfAMulticastGoToAGroupThatHoldsTheCaller) {
  auto const memory = Buffer<int, Simulator>(simulated(), 256);
  TileMap<int, 2, Simulator> const map(simulated(), memory.data(),
                                       {.extents = {32, 8}, .box = {32, 8}});
  auto const multicast = [&](auto const& group) {
    return report_of([=](auto const& member, Stage& mine) {
      member.tile_load_multicast(map, {0, 0}, mine.tile[0], mine.full[0], group);
    });
  };
  // Ranks 0, of which the second team is none, none at all, and one that is absent.
  for (std::uint32_t const ranks : {1U, 0U, 4U})
    EXPECT_THAT(multicast(ranks), HasSubstr("[transfer-mask]")) << ranks;
  // It would issue slices for ever, or none.
  EXPECT_THAT(multicast(MulticastGroup{3, 0, 0}), HasSubstr("[transfer-mask]"));
  EXPECT_THAT(multicast(MulticastGroup{3, -1, 2}), HasSubstr("[transfer-mask]"));
}

TEST(Transfers, CompleteOnPeersBarriersInClusterScratchAlone) {
  auto const finding = finding_of([] {
    parallel_for(
        "to_team_scratch", Pairs(simulated(), 2, 32),
        KOHORT_LAMBDA(Pairs::member_type const& member) {
          Stage& mine = member.team_scratch();
          member.init_barriers(BarrierGroup(mine.full, 1));
          if (member.team_rank() == 0) member.arrive(mine.full[0], member.cluster_rank() ^ 1);
          Waiter waiter;
          member.wait<Scope::cluster>(mine.full[0], waiter);
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "transfer-scratch");
  EXPECT_THAT(finding->what(), HasSubstr("has to lie in cluster scratch: a peer's is meant"));
}

TEST(Transfers, CompleteOnABarrierThatNobodyHasWrittenOver) {
  EXPECT_THAT(report_of([](auto const& member, Stage& mine) {
                mine.full[0].state = 7;
                member.arrive(mine.full[0]);
              }),
              AllOf(HasSubstr("[transfer-barrier-uninitialised]"),
                    HasSubstr("something has written over the barrier since")));
}

TEST(Transfers, CompleteOnABarrierThatIsNotMadeReadyInTheMidstOfAPhase) {
  EXPECT_THAT(report_of([](auto const& member, Stage& mine) {
                member.expect_bytes(mine.full[0], 64);
                member.init_barrier(mine.full[0], 1);
              }),
              AllOf(HasSubstr("[transfer-barrier-overflow]"), HasSubstr("0 of 64 B came"),
                    HasSubstr("ready a barrier once")));
  EXPECT_EQ(report_of([](auto const& member, Stage& mine) {
              member.init_barrier(mine.full[0], 1);
              member.arrive(mine.full[0]);
            }),
            "nothing was found");
}

struct alignas(128) Piped {
  int tile[2][256];
  PipelineBarriers<2> barriers;
};
using Pipelines = ClusterPolicy<Simulator, ClusterScratch<Piped>>;

/// What is found where each fill announces `bytes` and brings 1024.
std::string report_of_a_pipeline(int threads, int bytes) {
  auto const memory = Buffer<int, Simulator>(simulated(), 256);
  deep_copy(memory, 1);
  int const* const source = memory.data();
  auto const finding = finding_of([&] {
    parallel_for(
        "piped", Pipelines(simulated(), 1, threads),
        KOHORT_LAMBDA(Pipelines::member_type const& member) {
          Piped& mine = *member.cluster_scratch();
          TilePipeline<2> const pipeline(member, mine.barriers);
          pipeline.run(
              member,
              [&](auto& producer) {
                for (int i = 0; i < 3; ++i)
                  producer.fill(bytes, [&](int stage, TransferBarrier& barrier) {
                    member.copy_async(mine.tile[stage], source, 256, barrier);
                  });
              },
              [&](auto& consumer) {
                for (int i = 0; i < 3; ++i) {
                  int const stage = consumer.wait();
                  member.named_barrier(1 + member.team_rank() / 128, 4);
                  consumer.release(stage);
                }
              });
        });
  });
  return finding ? finding->what() : "nothing was found";
}

TEST(Transfers, OfAPipelineNeedWholeWarpgroupsOnBothSides) {
  for (int const threads : {64, 128, 192, 320})
    EXPECT_THAT(
        report_of_a_pipeline(threads, 1024),
        AllOf(HasSubstr("[transfer-barrier-overflow]"), HasSubstr("transfers_misuse_test.cpp"),
              HasSubstr("256 threads or more, a multiple of 128")))
        << threads;
  for (int const threads : {256, 384})
    EXPECT_EQ(report_of_a_pipeline(threads, 1024), "nothing was found");
}

TEST(Transfers, OfAPipelineBringWhatWasAnnounced) {
  for (int const bytes : {512, 2048})
    EXPECT_THAT(report_of_a_pipeline(256, bytes), HasSubstr("[transfer-bytes]")) << bytes;
}

struct alignas(1024) Operands {
  bfloat16 a[64 * 64];
  bfloat16 b[64 * 64];
};

TEST(Transfers, OfProductsReadNoNullPointer) {
  using Products = ClusterPolicy<Simulator, TeamScratch<Operands>>;
  auto const finding = finding_of([] {
    parallel_for(
        "null", Products(simulated(), 1, 128), KOHORT_LAMBDA(Products::member_type const& member) {
          WarpgroupMma<Simulator, bfloat16, bfloat16, float, 64> sums;
          bfloat16 const* const nothing = nullptr;
          sums.multiply(member, nothing, member.team_scratch().b);
          sums.wait(member);
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "transfer-scratch");
  EXPECT_THAT(finding->what(), HasSubstr("a product's A"));
}

/// What is found where subgroups of a team multiply, A beginning `first` elements from where it
/// may.
std::string report_of_a_subgroup_product(int threads, int first, int stride) {
  using Products = ClusterPolicy<Simulator, TeamScratch<Operands>>;
  auto const finding = finding_of([&] {
    parallel_for(
        "subgroup", Products(simulated(), 1, threads),
        KOHORT_LAMBDA(Products::member_type const& member) {
          Operands& operands = member.team_scratch();
          for (int i = member.team_rank(); i < 64 * 64; i += threads)
            operands.a[i] = operands.b[i] = 1.0F;
          member.team_barrier();
          SubgroupMma<Simulator, bfloat16, bfloat16, float, 8> sums;
          sums.clear();
          sums.multiply(member, operands.a + first, stride, operands.b, 64);
        });
  });
  return finding ? finding->what() : "nothing was found";
}

TEST(Transfers, OfASubgroupsProductAreWhatItsHardwareReads) {
  EXPECT_EQ(report_of_a_subgroup_product(64, 0, 64), "nothing was found");
  EXPECT_THAT(report_of_a_subgroup_product(64, 1, 64), HasSubstr("[transfer-alignment]"));
  EXPECT_THAT(report_of_a_subgroup_product(64, 0, 63), HasSubstr("[transfer-alignment]"));
  EXPECT_THAT(report_of_a_subgroup_product(48, 0, 64),
              AllOf(HasSubstr("[subgroup-divergent]"), HasSubstr("16 threads of the 32")));
}

}  // namespace
}  // namespace kohort::tests
