// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launching.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kohort::tests {
namespace {

using Policy = ClusterPolicy<Simulator>;

/// A file of its own that is gone afterwards.
class Trace : public ::testing::Test {
 protected:
  Trace()
      : path_((std::filesystem::temp_directory_path() /
               ("kohort_trace_" +
                std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
                std::to_string(getpid()) + ".json"))
                  .string()) {}
  ~Trace() override { std::filesystem::remove(path_); }

  Simulator target(int workers, std::string const& profile = "h200-sxm") const {
    SimulatorOptions options;
    options.profile = profile;
    options.workers = workers;
    options.trace = path_;
    return Simulator(options);
  }

  nlohmann::json read() const {
    std::ifstream file(path_);
    return nlohmann::json::parse(file);
  }

  std::string path_;
};

struct Slice {
  std::uint64_t start;
  std::uint64_t end;
};

/// Fails where two slices of one track overlap. @return the (cluster, rank) pairs drawn
std::set<std::pair<int, int>> check_slices(nlohmann::json const& trace) {
  std::map<std::pair<int, int>, std::vector<Slice>> tracks;
  std::set<std::pair<int, int>> drawn;
  for (auto const& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    auto const start = event.at("ts").get<std::uint64_t>();
    tracks[{event.at("pid"), event.at("tid")}].push_back(
        {start, start + event.at("dur").get<std::uint64_t>()});
    EXPECT_TRUE(drawn.emplace(event.at("args").at("cluster"), event.at("args").at("rank")).second)
        << "drawn twice: " << event.at("name");
  }
  for (auto& [track, slices] : tracks) {
    std::sort(slices.begin(), slices.end(),
              [](Slice const& a, Slice const& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < slices.size(); ++i)
      EXPECT_LE(slices[i - 1].end, slices[i].start) << "track " << track.second;
  }
  return drawn;
}

std::set<std::pair<int, int>> every_team(int clusters, int size) {
  std::set<std::pair<int, int>> all;
  for (int cluster = 0; cluster < clusters; ++cluster)
    for (int rank = 0; rank < size; ++rank) all.emplace(cluster, rank);
  return all;
}

TEST_F(Trace, DrawsEveryClusterWithoutOverlap) {
  for (int const workers : {1, 16}) {
    parallel_for(
        "traced", Policy(target(workers), 200 * 4, 64, ClusterShape{4}),
        KOHORT_LAMBDA(Policy::member_type const& member) { member.cluster_barrier(); });
    nlohmann::json const trace = read();
    EXPECT_EQ(check_slices(trace), every_team(200, 4));
    EXPECT_EQ(trace.at("otherData").at("label"), "traced");
    EXPECT_EQ(trace.at("otherData").at("device"), "NVIDIA H200");
    EXPECT_EQ(trace.at("otherData").at("clusters_left_out"), 0);
  }
}

TEST_F(Trace, NamesEveryTrackAndLinksTheTeamsOfACluster) {
  parallel_for("named", Policy(target(1, "tiny"), 64, 8, ClusterShape{2}),
               KOHORT_LAMBDA(Policy::member_type const&){});
  std::set<std::pair<int, int>> named;
  std::set<std::pair<int, int>> used;
  std::map<std::string, int> ends_of_arrow;
  nlohmann::json const trace = read();
  for (auto const& event : trace.at("traceEvents")) {
    std::string const phase = event.at("ph");
    if (phase == "M" && event.at("name") == "thread_name")
      named.emplace(event.at("pid"), event.at("tid"));
    if (phase == "X") {
      used.emplace(event.at("pid"), event.at("tid"));
      EXPECT_EQ(event.at("pid"), event.at("args").at("sm").get<int>() / 4) << "groups of 4 SMs";
    }
    if (phase == "s" || phase == "f") ++ends_of_arrow[event.at("id")];
  }
  EXPECT_EQ(named, used);
  EXPECT_EQ(ends_of_arrow.size(), 32U) << "one arrow a cluster of two";
  for (auto const& [id, ends] : ends_of_arrow) EXPECT_EQ(ends, 2) << id;
}

TEST_F(Trace, DrawsClustersOfTwoSizesWithoutOverlap) {
  Policy policy(target(2), 400, 1024);
  policy.prefer(ClusterShape{8}, ClusterShape{4});
  parallel_for("preferred", policy, KOHORT_LAMBDA(Policy::member_type const&){});
  std::size_t const teams = check_slices(read()).size();
  EXPECT_EQ(teams, 400U);
}

TEST_F(Trace, SaysHowManyClustersItLeftOut) {
  parallel_for("many", Policy(target(2), 20'100, 1), KOHORT_LAMBDA(Policy::member_type const&){});
  nlohmann::json const trace = read();
  EXPECT_EQ(check_slices(trace).size(), 20'000U);
  EXPECT_EQ(trace.at("otherData").at("clusters_left_out"), 100);
}

TEST_F(Trace, IsWrittenForAFaultyKernelToo) {
  EXPECT_THROW(parallel_for(
                   "faulty", Policy(target(1), 4, 64),
                   KOHORT_LAMBDA(Policy::member_type const& member) {
                     if (member.team_rank() == 0) member.team_barrier();
                   }),
               Finding);
  EXPECT_FALSE(check_slices(read()).empty());
}

TEST(TraceFile, IsRefusedWhereItCannotBeWritten) {
  SimulatorOptions options;
  options.trace = "/no/such/folder/trace.json";
  try {
    parallel_for("nowhere", Policy(Simulator(options), 1, 1),
                 KOHORT_LAMBDA(Policy::member_type const&){});
    FAIL() << "nothing was thrown";
  } catch (std::runtime_error const& error) {
    EXPECT_STREQ(error.what(),
                 "kohort: can't write the trace to \"/no/such/folder/trace.json\": is its folder "
                 "there, and writable?");
  }
}

}  // namespace
}  // namespace kohort::tests
