// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When copies complete, what is counted of them, and what reports say of phased barriers.
#include "transfer_stage.hpp"

#include <kohort/testing/explore.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kohort::tests {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

/// Changes the source of a copy that is under way. @return what the copy brought
int source_changed_behind_a_copy(Simulator const& target) {
  auto const memory = Buffer<int, Simulator>(target, 256);
  deep_copy(memory, 1);
  auto const out = cell(target);
  int* const source = memory.data();
  int* const result = out.data();
  parallel_for(
      "changed", Teams(target, 1, 32), KOHORT_LAMBDA(Teams::member_type const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) {
          member.arrive_expecting(mine.full[0], 1024);
          member.copy_async(mine.tile[0], source, 256, mine.full[0]);
          source[255] = 2;
        }
        Waiter waiter;
        member.wait(mine.full[0], waiter);
        if (member.team_rank() == 0) *result = mine.tile[0][255];
      });
  std::vector<int> found(1);
  deep_copy(found, out);
  return found[0];
}

TEST(Transfers, CompleteAsTheyAreBegunUnderTheNamedSchedules) {
  for (char const* schedule : {"rank", "reverse", "last:0", "exit-first:0", "eager"})
    EXPECT_EQ(source_changed_behind_a_copy(simulated({.schedule = schedule})), 1) << schedule;
}

TEST(Transfers, CompleteWhenNobodyCanRunUnderLate) {
  EXPECT_EQ(source_changed_behind_a_copy(simulated({.schedule = "late"})), 2);
}

TEST(Transfers, CompleteSoonerAndLaterUnderRandomAndPct) {
  for (std::string const kind : {"random:", "pct:2:"}) {
    std::vector<int> seen(3, 0);
    for (int seed = 0; seed < 40; ++seed)
      ++seen[static_cast<std::size_t>(
          source_changed_behind_a_copy(simulated({.schedule = kind + std::to_string(seed)})))];
    EXPECT_EQ(seen[0], 0);
    EXPECT_GT(seen[1], 0) << kind;
    EXPECT_GT(seen[2], 0) << kind;
  }
}

TEST(Transfers, ThatChangeTheResultAreFoundByTheExploration) {
  testing::Exploration const found =
      testing::explore([] { return source_changed_behind_a_copy(Simulator()) == 1; });
  EXPECT_FALSE(found.ok);
  EXPECT_EQ(found.schedule, "late");
}

/// A stage that is filled again before it was read: wrong when the second copy comes first.
bool stage_filled_early(Simulator const& target) {
  auto const memory = Buffer<int, Simulator>(target, 512);
  std::vector<int> values(512, 1);
  for (std::size_t i = 256; i < 512; ++i) values[i] = 2;
  deep_copy(memory, values);
  auto const out = cell(target);
  int const* const source = memory.data();
  int* const result = out.data();
  parallel_for(
      "early", Teams(target, 1, 64), KOHORT_LAMBDA(Teams::member_type const& member) {
        Stage& mine = member.team_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        if (member.team_rank() == 0) {
          for (int i = 0; i < 2; ++i) {
            member.arrive_expecting(mine.full[i], 1024);
            member.copy_async(mine.tile[0], source + 256 * i, 256, mine.full[i]);
          }
        }
        Waiter waiter;
        member.wait(mine.full[0], waiter, 0);
        if (member.team_rank() == 32) *result = mine.tile[0][0];
        member.wait(mine.full[1], waiter, 1);
      });
  std::vector<int> found(1);
  deep_copy(found, out);
  return found[0] == 1;
}

TEST(Transfers, AreDoneAgainInTheSameOrderByAReplay) {
  int orders = 0;
  for (int seed = 0; seed < 20; ++seed) {
    std::string const schedule = "random:" + std::to_string(seed);
    bool const first = stage_filled_early(simulated({.schedule = schedule}));
    EXPECT_EQ(stage_filled_early(simulated({.schedule = schedule, .workers = 2})), first);
    orders |= first ? 1 : 2;
  }
  EXPECT_EQ(orders, 3) << "one seed shows it, another does not";
}

TEST(Transfers, AreCountedOnceHoweverManyReceive) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<4>, ClusterScratch<Stage>>;
  Simulator const target = simulated();
  auto const memory = Buffer<int, Simulator>(target, 256);
  deep_copy(memory, 1);
  TileMap<int const, 2, Simulator> const map(target, memory.data(),
                                             {.extents = {32, 8}, .box = {32, 8}});
  parallel_for(
      "counted", Policy(target, 8, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
        Stage& mine = *member.cluster_scratch();
        member.init_barriers(BarrierGroup(mine.full, 1));
        Waiter waiter;
        if (member.team_rank() == 0) {
          member.arrive_expecting(mine.full[0], map.box_bytes());
          member.tile_load_multicast(map, {0, 0}, mine.tile[0], mine.full[0], ClusterAxis::x);
          member.wait(mine.full[0], waiter);
          member.arrive_expecting(mine.full[1], 4);
          member.push_async(mine.tile[1][0], (member.cluster_rank() + 1) % 4, 7, mine.full[1]);
          member.wait(mine.full[1], waiter, 1);
        }
      });
  LaunchCounts const& counts = target.last_counts();
  EXPECT_EQ(counts.multicasts, 2) << "one a cluster";
  EXPECT_EQ(counts.transfers, 2 + 8);
  EXPECT_EQ(counts.bytes_to_scratch, 2 * 1024);
  EXPECT_EQ(counts.bytes_pushed, 8 * 4);
  EXPECT_EQ(counts.bytes_from_scratch, 0);
  EXPECT_EQ(counts.phased_waits, 16);
  EXPECT_EQ(counts.multiply_adds, 0);
}

TEST(Transfers, OfWhichSomeNeverComeAreNamedByTheDeadlock) {
  auto const finding = finding_of([] {
    parallel_for(
        "in_vain", Teams(simulated(), 1, 32), KOHORT_LAMBDA(Teams::member_type const& member) {
          Stage& mine = member.team_scratch();
          member.init_barriers(BarrierGroup(mine.full, 2));
          if (member.team_rank() == 0) member.arrive_expecting(mine.full[1], 1024);
          Waiter waiter;
          member.wait(mine.full[1], waiter, 1);
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "deadlock");
  EXPECT_THAT(finding->what(), HasSubstr("32 of 32 threads wait at"));
  EXPECT_THAT(finding->what(), HasSubstr("phase 0 of team_scratch byte 2056 of 2176"));
  EXPECT_THAT(finding->what(), HasSubstr("phase 0, 1 of 2 arrivals, 0 of 1024 B came"));
}

TEST(Transfers, OfAPhaseStayBelow2To20Bytes) {
  EXPECT_EQ(id_of([] {
              parallel_for(
                  "too_many", Teams(simulated(), 1, 32),
                  KOHORT_LAMBDA(Teams::member_type const& member) {
                    Stage& mine = member.team_scratch();
                    member.init_barriers(BarrierGroup(mine.full, 2));
                    if (member.team_rank() == 0) member.expect_bytes(mine.full[0], 1 << 20);
                  });
            }),
            "transfer-bytes");
}

TEST(Transfers, OfOneThreadAreWaitedForInTheirOrder) {
  // Under `late` the first store is done when the second one still may be under way.
  for (char const* schedule : {"rank", "late", "random:3"}) {
    Simulator const target = simulated({.schedule = schedule});
    auto const out = Buffer<int, Simulator>(target, 512);
    deep_copy(out, 0);
    int* const memory = out.data();
    parallel_for(
        "stores", Teams(target, 1, 32), KOHORT_LAMBDA(Teams::member_type const& member) {
          Stage& mine = member.team_scratch();
          for (int i = member.team_rank(); i < 256; i += 32) mine.tile[0][i] = mine.tile[1][i] = 1;
          member.team_barrier(before_transfer);
          if (member.team_rank() == 0) {
            member.copy_async(memory, mine.tile[0], 256);
            member.wait_stores_read<1>();  // ends the first batch, which may be under way
            member.copy_async(memory + 256, mine.tile[1], 256);
            member.wait_stores_read<1>();
            mine.tile[0][0] = 2;
            member.wait_stores_read();
            mine.tile[1][0] = 2;
          }
        });
    std::vector<int> found(512);
    deep_copy(found, out);
    EXPECT_THAT(found, Each(1)) << schedule;
  }
}

}  // namespace
}  // namespace kohort::tests
