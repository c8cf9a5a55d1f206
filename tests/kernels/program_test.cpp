// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program `kohort`, as a user starts it. It is built beside this test.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kohort {
namespace {

struct Started {
  int status;
  std::string output;  ///< standard output and standard error
};

Started run(std::string const& arguments, std::string const& environment = "") {
  auto const program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kohort";
  std::string const command = environment + " '" + program.string() + "' " + arguments + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  Started result{-1, ""};
  std::array<char, 4096> part{};
  while (std::size_t const read = std::fread(part.data(), 1, part.size(), pipe))
    result.output.append(part.data(), read);
  result.status = WEXITSTATUS(pclose(pipe));
  return result;
}

TEST(Program, InfoEqualsWhatTheDriverOfAnH200Answers) {
  // Measured on an H200 with cudaOccupancyMaxActiveClusters, clusters of 1 to 16.
  nlohmann::json const measured = {
      {"1", {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7}},
      {"2", {264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 16, 14, 14, 14, 14}},
      {"8", {1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 81, 74, 67, 65, 58, 58}}};
  Started const info = run("info --target simulator --profile h200-sxm --json");
  ASSERT_EQ(info.status, 0) << info.output;
  nlohmann::json const document = nlohmann::json::parse(info.output);
  EXPECT_EQ(document["max_active_clusters"], measured);
  EXPECT_EQ(document["max_cluster_size"], 16);
  EXPECT_EQ(document["name"], "NVIDIA H200");
  EXPECT_EQ(document["sm_groups"].size(), 12u);
}

TEST(Program, InfoDrawsTheGroups) {
  Started const info = run("info --target simulator --profile h200-sxm");
  EXPECT_EQ(info.status, 0);
  EXPECT_NE(info.output.find("██████████████████"), std::string::npos) << info.output;
}

TEST(Program, RunReportsAVerifiedResult) {
  Started const reduce =
      run("run reduce --target simulator --n 100000 --variant subgroup_shuffles --json");
  ASSERT_EQ(reduce.status, 0) << reduce.output;
  nlohmann::json const document = nlohmann::json::parse(reduce.output);
  EXPECT_EQ(document["kernel"], "reduce");
  EXPECT_EQ(document["target"], "simulator");
  EXPECT_EQ(document["cluster"], "1x1x1");
  EXPECT_EQ(document["verified"], true);
  EXPECT_LE(document["max_error"].get<double>(), 1e-5);
  EXPECT_EQ(document["counts"]["team_barriers"], 1);
  EXPECT_GE(document["runtime_s"].get<double>(), 0.0);
  EXPECT_FALSE(document["device"].get<std::string>().empty());
}

TEST(Program, RunsEveryKernelInClusters) {
  for (char const* kernel :
       {"gemm --m 256 --n 256 --k 128 --cluster 2x2",
        "reduce --n 50000 --type int64 --cluster 2x2x1", "halo --n 50000 --radius 5 --cluster 4",
        "histogram --n 50000 --bins 1000 --team 64 --cluster 4x2"}) {
    Started const one = run(std::string("run ") + kernel + " --target simulator");
    EXPECT_EQ(one.status, 0) << kernel << "\n" << one.output;
    EXPECT_NE(one.output.find("verified"), std::string::npos) << one.output;
  }
}

TEST(Program, GemmTellsItsTraffic) {
  Started const gemm = run(
      "run gemm --target simulator --m 512 --n 512 --k 512 --tile narrow --cluster 1x4 --alpha 0.5 "
      "--bias on --json");
  ASSERT_EQ(gemm.status, 0) << gemm.output;
  nlohmann::json const document = nlohmann::json::parse(gemm.output);
  nlohmann::json const traffic = {{"a_bytes", 524288},
                                  {"b_bytes", 2097152},
                                  {"global_to_scratch_bytes", 2621440},
                                  {"no_cluster_bytes", 4194304}};
  EXPECT_EQ(document["traffic"], traffic);
  EXPECT_EQ(document["choice"], "narrow 1x4x1 blocks");
  EXPECT_EQ(document["arguments"]["alpha"], "0.5");
  EXPECT_FALSE(document.contains("tflops"));
}

/// On a device with an L2 an XCD.
TEST(Program, GemmCountsHitsInTheL2Caches) {
  Started const gemm =
      run("run gemm --target simulator --profile mi350x --m 1024 --n 1024 --k 128 --l2 on --json");
  ASSERT_EQ(gemm.status, 0) << gemm.output;
  nlohmann::json const document = nlohmann::json::parse(gemm.output);
  nlohmann::json const& l2 = document.at("l2");
  EXPECT_EQ(l2.at("caches"), 8);
  EXPECT_GT(l2.at("read_hit_rate"), 0);
  EXPECT_LT(l2.at("read_hit_rate"), 1);
  EXPECT_NEAR(l2.at("read_bytes").get<double>(),
              document.at("traffic").at("global_to_scratch_bytes").get<double>(),
              0.2 * l2.at("read_bytes").get<double>());
}

TEST(Program, ListNamesTheKernels) {
  Started const list = run("list");
  EXPECT_EQ(list.status, 0);
  for (char const* kernel : {"reduce", "gemm", "halo", "histogram"})
    EXPECT_NE(list.output.find(kernel), std::string::npos) << list.output;
}

struct Wrong {
  char const* arguments;
  std::vector<std::string> named;  ///< what the message must hold
};

TEST(Program, AWrongFlagIsNamedWithWhatFits) {
  Wrong const cases[] = {
      {"", {"info", "run", "check", "list"}},
      {"fly", {"fly", "info", "check"}},
      {"run", {"reduce", "halo", "histogram"}},
      {"run sort", {"sort", "reduce", "halo", "histogram"}},
      {"run reduce --type half", {"--type", "half", "float", "int64"}},
      {"run reduce --variant quick", {"--variant", "quick", "shared_tree"}},
      {"run reduce --bins 3", {"--bins", "--type"}},
      {"run reduce --n many", {"--n", "many"}},
      {"run reduce --cluster 4y2", {"--cluster", "4y2", "4x2"}},
      {"run reduce --cluster 0x1x1", {"--cluster", "0x1x1"}},
      {"run reduce --target simulator --cluster 32", {"--cluster", "32", "16"}},
      {"run reduce --target simulator --team 100", {"--team", "100", "32"}},
      {"run reduce --target abacus", {"--target", "abacus", "simulator"}},
      {"run reduce --target simulator --profile h300", {"--profile", "h300", "h200-sxm"}},
      {"run reduce --target simulator --schedule fair", {"--schedule", "fair", "reverse"}},
      {"run gemm --target simulator --tune on", {"--tune", "simulator"}},
      {"run gemm --target simulator --m 33 --k 9 --cluster 2", {"--cluster", "16 B", "pad"}},
      {"run gemm --target simulator --type tf32 --tile wide", {"--tile", "narrow, slim"}},
      {"run gemm --alpha much", {"--alpha", "much"}},
      {"run gemm --target simulator --m 2147482624 --n 2147482624", {"--m", "GiB", "smaller"}},
      {"run gemm --alpha nan", {"--alpha", "nan is no number"}},
      {"run gemm --target simulator --k 256 --cluster 1x1x8", {"--cluster", "4 steps"}},
      {"run halo --radius 17", {"--radius", "17", "16"}},
      {"run histogram --target simulator --bins 1000000", {"--bins", "1000000", "929792"}},
      {"info --profile h300", {"--profile", "h300", "h200-sxm"}},
      {"info --color", {"--color", "--profile"}},
  };
  for (Wrong const& wrong : cases) {
    Started const refused = run(wrong.arguments);
    EXPECT_EQ(refused.status, 2) << wrong.arguments << "\n" << refused.output;
    for (std::string const& part : wrong.named)
      EXPECT_NE(refused.output.find(part), std::string::npos)
          << wrong.arguments << " should name " << part << "\n"
          << refused.output;
  }
}

TEST(Program, TheEnvironmentIsTheFlagsTwin) {
  Started const info = run("info --target simulator --json", "KOHORT_SIM_PROFILE=tiny");
  ASSERT_EQ(info.status, 0) << info.output;
  EXPECT_EQ(nlohmann::json::parse(info.output)["sm_groups"], (std::vector<int>{4, 4}));
  EXPECT_EQ(run("info --target simulator", "KOHORT_SIM_PROFILE=h300").status, 2);
}

}  // namespace
}  // namespace kohort
