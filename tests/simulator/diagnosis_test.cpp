// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "faulty_kernels.hpp"
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace kohort::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> const schedules{"rank", "reverse",  "last:0", "exit-first:1",
                                         "late", "random:7", "pct:3:5"};

/// The report without what names the run: the schedule, and how to come back to it.
std::string without_schedule(std::string const& report) {
  return std::regex_replace(report, std::regex("under schedule [^\n]*|replay [^\n]*"), "");
}

class Diagnosis : public ::testing::TestWithParam<FaultyKernel> {};

TEST_P(Diagnosis, IsMadeUnderEverySchedule) {
  FaultyKernel const& kernel = GetParam();
  for (std::string const& schedule : schedules) {
    SCOPED_TRACE(schedule);
    EXPECT_EQ(id_of([&] { kernel.faulty(simulated({.schedule = schedule})); }), kernel.id);
  }
}

TEST_P(Diagnosis, IsMadeOnAnyNumberOfWorkers) {
  FaultyKernel const& kernel = GetParam();
  for (int const workers : {1, 2, 16}) {
    SCOPED_TRACE(workers);
    EXPECT_EQ(id_of([&] { kernel.faulty(simulated({.workers = workers})); }), kernel.id);
  }
}

TEST_P(Diagnosis, NamesLabelSchedulePlaceAndPage) {
  auto const finding = finding_of([&] { GetParam().faulty(simulated()); });
  ASSERT_TRUE(finding);
  std::string const report = finding->what();
  EXPECT_THAT(report, StartsWith("kohort: [" + finding->id() + "] in \"" + finding->label() +
                                 "\", cluster " + std::to_string(finding->cluster()) + " of "));
  EXPECT_THAT(report, HasSubstr("under schedule rank\n"));
  if (finding->id() != "kernel-exception") {
    EXPECT_THAT(report, HasSubstr("simulator/faulty_"));
  }
  EXPECT_THAT(report, HasSubstr("\n  why     "));
  EXPECT_THAT(report, HasSubstr("\n  mend    "));
  EXPECT_THAT(report, HasSubstr("\n  replay  KOHORT_SIM_SCHEDULE=" + finding->replay() + " "));
  EXPECT_THAT(report, HasSubstr("\n  page    docs/diagnostics/" + finding->id() + ".md"));
}

TEST_P(Diagnosis, IsMadeAgainByItsReplayLine) {
  FaultyKernel const& kernel = GetParam();
  for (std::string const& schedule : schedules) {
    SCOPED_TRACE(schedule);
    auto const first = finding_of([&] { kernel.faulty(simulated({.schedule = schedule})); });
    ASSERT_TRUE(first);
    auto const second =
        finding_of([&] { kernel.faulty(simulated({.schedule = first->replay(), .workers = 2})); });
    ASSERT_TRUE(second) << first->replay();
    EXPECT_EQ(without_schedule(second->what()), without_schedule(first->what()));
    EXPECT_EQ(second->replay(), first->replay()) << "a replay's replay is itself";
  }
}

TEST_P(Diagnosis, IsNotMadeOfTheRepairedKernel) {
  for (std::string const& schedule : schedules) {
    SCOPED_TRACE(schedule);
    EXPECT_NO_THROW(GetParam().repaired(simulated({.schedule = schedule, .workers = 2})));
  }
}

std::vector<FaultyKernel> thrown() {
  std::vector<FaultyKernel> kernels = faulty_kernels();
  std::erase_if(kernels, [](FaultyKernel const& kernel) { return kernel.ends_the_process; });
  return kernels;
}

std::string name_of(::testing::TestParamInfo<FaultyKernel> const& info) {
  std::string name = info.param.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Id, Diagnosis, ::testing::ValuesIn(thrown()), name_of);

TEST(Diagnoses, HaveAKernelForEveryId) {
  std::vector<std::string> ids;
  for (FaultyKernel const& kernel : faulty_kernels()) ids.push_back(kernel.id);
  std::vector<std::string> expected = simulator::finding_ids();
  std::erase_if(expected, simulator::needs_mode_check);  // tests/detect has a kernel for those
  EXPECT_EQ(ids, expected);
}

TEST(TeamBarrierDivergent, CountsWhoWaitsAndWhoReturned) {
  auto const finding =
      finding_of([] { faulty_kernel("team-barrier-divergent").faulty(simulated()); });
  ASSERT_TRUE(finding);
  std::string const report = finding->what();
  EXPECT_THAT(report,
              ::testing::ContainsRegex(
                  "100 of 256 threads wait at +team_barrier +[^ ]+:[0-9]+ +threads 0–99\n"));
  EXPECT_THAT(report,
              ::testing::ContainsRegex("156 of 256 threads have returned +threads 100–255\n"));
}

TEST(TeamBarrierDivergent, IsMadeWhenTheOthersWaitAtTheClusterBarrier) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<2>>;
  auto const finding = finding_of([] {
    parallel_for(
        "two_kinds", Policy(simulated(), 4, 256), KOHORT_LAMBDA(Policy::member_type const& member) {
          if (member.team_rank() < 32) {
            member.cluster_barrier();
          } else {
            member.team_barrier();
          }
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "team-barrier-divergent");
  EXPECT_THAT(finding->what(), HasSubstr("cluster barrier: 64 of 512 threads have arrived"));
}

TEST(NamedBarrier, IsDiagnosedWhenCountsDiffer) {
  using Policy = ClusterPolicy<Simulator>;
  auto const finding = finding_of([] {
    parallel_for(
        "counts", Policy(simulated(), 1, 256), KOHORT_LAMBDA(Policy::member_type const& member) {
          member.named_barrier(3, member.subgroup_rank() == 0 ? 7 : 8);
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "named-barrier");
  EXPECT_THAT(finding->what(), HasSubstr("32 threads of team 0 wait at"));
  EXPECT_THAT(finding->what(), HasSubstr("named_barrier(3) for 224 threads"));
  EXPECT_THAT(finding->what(), HasSubstr("team 0 thread 32 comes to"));
}

TEST(NamedBarrier, IsDiagnosedBeyondItsRange) {
  using Policy = ClusterPolicy<Simulator>;
  for (auto const& [id, subgroups] : {std::pair{0, 2}, {16, 2}, {1, 0}, {1, 3}, {-1, 2}}) {
    EXPECT_EQ(id_of([id = id, subgroups = subgroups] {
                parallel_for(
                    "range", Policy(simulated(), 1, 64),
                    KOHORT_LAMBDA(Policy::member_type const& member) {
                      member.named_barrier(id, subgroups);
                    });
              }),
              "named-barrier")
        << id << ", " << subgroups;
  }
}

TEST(SubgroupDivergent, IsDiagnosedWhenLanesCallDifferentOperations) {
  using Policy = ClusterPolicy<Simulator>;
  auto const finding = finding_of([] {
    parallel_for(
        "mixed", Policy(simulated(), 1, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
          auto const tile = member.subgroup_tile<32>();
          if (member.lane() < 16) {
            tile.ballot(true);
          } else {
            tile.shuffle(1, 0);
          }
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "subgroup-divergent");
  EXPECT_THAT(finding->what(), HasSubstr("16 lanes of team 0 wait at  ballot of 32 lanes, 0 B"));
  EXPECT_THAT(finding->what(), HasSubstr("team 0 thread 16 comes to   shuffle of 32 lanes, 4 B"));
}

TEST(SubgroupDivergent, IsNotMadeOfLanesAheadInAWiderTile) {
  using Policy = ClusterPolicy<Simulator>;
  // The upper tiles may come to the next, wider one while the lowest is still at its own.
  for (std::string const& schedule : schedules) {
    SCOPED_TRACE(schedule);
    Simulator const target = simulated({.schedule = schedule});
    auto const wrong = cell(target);
    int* const errors = wrong.data();
    EXPECT_NO_THROW(parallel_for(
        "widening", Policy(target, 2, 64), KOHORT_LAMBDA(Policy::member_type const& member) {
          int sum = member.subgroup_tile<2>().reduce(1);
          sum = member.subgroup_tile<8>().reduce(sum);
          sum = member.subgroup_tile<32>().reduce(sum);
          if (sum != 2 * 8 * 32) atomic_add(errors, 1);
        }));
    EXPECT_EQ(*errors, 0);
  }
}

TEST(PeerRank, IsDiagnosedBelowZero) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<int>>;
  auto const finding = finding_of([] {
    parallel_for(
        "below", Policy(simulated(), 2, 1), KOHORT_LAMBDA(Policy::member_type const& member) {
          *member.peer(member.cluster_scratch(), member.cluster_rank() - 1) = 1;
        });
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id(), "peer-rank");
  EXPECT_THAT(finding->what(), HasSubstr("peer(…, -1)"));
  EXPECT_THAT(finding->what(), HasSubstr("the cluster has 2 teams"));
}

TEST(Finding, IsOfTheLowestClusterAtFault) {
  using Policy = ClusterPolicy<Simulator>;
  for (int const workers : {1, 2, 16}) {
    auto const finding = finding_of([&] {
      parallel_for(
          "several", Policy(simulated({.workers = workers}), 64, 8),
          KOHORT_LAMBDA(Policy::member_type const& member) {
            if (member.league_rank() >= 11 && member.team_rank() < 3) member.team_barrier();
          });
    });
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->cluster(), 11) << workers << " workers";
  }
}

/// In cluster 3, team 1 skips its barrier when it runs before team 0 has raised the flag.
void skip_by_order(Simulator const& target) {
  using Policy = ClusterPolicy<Simulator, ClusterDims<2>, ClusterScratch<int>>;
  auto kernel = KOHORT_LAMBDA(Policy::member_type const& member) {
    auto mine = member.cluster_scratch();
    *mine = 0;
    member.cluster_barrier();
    auto flag = member.peer(mine, 0);
    bool const may_skip = member.cluster_league_rank() == 3 && member.cluster_rank() == 1;
    if (member.cluster_rank() == 0 && member.team_rank() == 0) atomic_store(&*flag, 1);
    if (may_skip && member.team_rank() > 0 && atomic_load(&*flag) == 0) return;
    member.team_barrier();
  };
  parallel_for("by_order", Policy(target, 16, 8), kernel);
}

TEST(Finding, IsReplayedInItsOwnClusterAlone) {
  EXPECT_NO_THROW(skip_by_order(simulated({.schedule = "rank"})));
  int found = 0;
  for (std::string const schedule : {"reverse", "last:0", "random:1", "random:2", "random:3",
                                     "random:4", "pct:3:1", "pct:3:2"}) {
    SCOPED_TRACE(schedule);
    auto const first = finding_of([&] { skip_by_order(simulated({.schedule = schedule})); });
    if (!first) continue;
    ++found;
    EXPECT_EQ(first->cluster(), 3);
    EXPECT_THAT(first->replay(), StartsWith("replay:3:"));
    auto const second =
        finding_of([&] { skip_by_order(simulated({.schedule = first->replay(), .workers = 2})); });
    ASSERT_TRUE(second) << first->replay();
    EXPECT_EQ(without_schedule(second->what()), without_schedule(first->what()));
  }
  EXPECT_GE(found, 4) << "too few schedules show the fault for this test to mean much";
}

TEST(Finding, EndsItsReplayLineAsAsked) {
  simulator::set_replay_arguments("--gtest_filter=Ring.Exchanges");
  auto const finding = finding_of([] { faulty_kernel("peer-rank").faulty(simulated()); });
  simulator::set_replay_arguments("");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->what(), ::testing::ContainsRegex("replay  KOHORT_SIM_SCHEDULE=rank [^ \n]+ "
                                                        "--gtest_filter=Ring.Exchanges\n"));
}

}  // namespace
}  // namespace kohort::tests
