// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `kohort check`, as a user starts it. Its programs are built beside this test.
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

using nlohmann::json;

struct Started {
  int status;
  std::string output;  ///< standard output and standard error

  bool has(std::string const& part) const { return output.find(part) != std::string::npos; }
};

std::filesystem::path folder_of_programs() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

Started run(std::filesystem::path const& program, std::string const& arguments,
            std::string const& environment = "") {
  std::string const command = environment + " '" + program.string() + "' " + arguments + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  Started result{-1, ""};
  std::array<char, 4096> part{};
  while (std::size_t const read = std::fread(part.data(), 1, part.size(), pipe))
    result.output.append(part.data(), read);
  result.status = WEXITSTATUS(pclose(pipe));
  return result;
}

Started check(std::string const& arguments, std::string const& environment = "") {
  return run(folder_of_programs() / "kohort", "check " + arguments, environment);
}

/// What needs the instrumented program.
class CheckCommand : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "AddressSanitizer excludes mode check, so kohort-check is not built";
#endif
  }
};

TEST_F(CheckCommand, FindsEveryKernelCleanInTheLadder) {
  for (std::string const kernel :
       {"reduce", "halo", "histogram", "reduce --variant shared_tree --type int64",
        "halo --cluster 4 --radius 9 --n 3000", "histogram --cluster 2x2 --n 5000"}) {
    Started const one = check(kernel + " --json");
    ASSERT_EQ(one.status, 0) << kernel << "\n" << one.output;
    json const document = json::parse(one.output);  // no progress in a pipe
    EXPECT_EQ(document["clean"], true) << kernel;
    EXPECT_GE(document["schedules"], 38) << kernel;
    EXPECT_LE(document["max_error"], document["error_bound"]) << kernel;
  }
}

TEST_F(CheckCommand, PrintsABlockAsRunDoes) {
  Started const one = check("halo --n 3000 --pct 1 --random 1");
  EXPECT_EQ(one.status, 0);
  for (char const* part :
       {"kernel       halo", "target   Simulator, h200-sxm", "mode check", "arguments    --n=3000",
        "--cluster=2x1x1", "clean in 8 schedules", "counts       2 teams of 256 threads"})
    EXPECT_TRUE(one.has(part)) << part << "\n" << one.output;
}

TEST_F(CheckCommand, ReportsAFindingThatItsReplayLineShowsAgain) {
  Started const found = check("broken --fault early-exit --schedule reverse --json");
  ASSERT_EQ(found.status, 1) << found.output;
  json const document = json::parse(found.output);
  EXPECT_EQ(document["id"], "cluster-barrier-unequal");
  EXPECT_EQ(document["schedules"], 1);
  std::string const report = document["report"];
  std::string const schedule = document["schedule"];
  EXPECT_NE(report.find("KOHORT_SIM_SCHEDULE=" + schedule), std::string::npos) << report;
  EXPECT_NE(report.find("kohort check broken --fault early-exit\n"), std::string::npos) << report;

  Started const again = check("broken --fault early-exit", "KOHORT_SIM_SCHEDULE=" + schedule);
  EXPECT_EQ(again.status, 1);
  EXPECT_TRUE(again.has("cluster-barrier-unequal in schedule 1")) << again.output;
}

TEST_F(CheckCommand, TakesTheEnvironmentsProfile) {
  Started const one =
      check("reduce --n 500 --team 32 --pct 0 --random 0", "KOHORT_SIM_PROFILE=tiny");
  EXPECT_EQ(one.status, 0);
  EXPECT_TRUE(one.has("Simulator, tiny")) << one.output;
  Started const alone = check("reduce --n 500 --pct 0 --random 0 --profile mi350x");
  EXPECT_EQ(alone.status, 0) << "a device without clusters checks clusters of one";
  EXPECT_TRUE(alone.has("--cluster=1x1x1")) << alone.output;
}

TEST_F(CheckCommand, ThrowsWhateverTheEnvironmentSays) {
  Started const one = check("halo --n 3000 --pct 0 --random 0", "KOHORT_SIM_MODE=run");
  EXPECT_TRUE(one.has("mode check")) << one.output;
  Started const fault =
      check("--faults --case no_trailing_cluster_barrier --json", "KOHORT_CHECK=log");
  EXPECT_EQ(fault.status, 0) << fault.output;
}

TEST_F(CheckCommand, FindsEveryBarrierOfTheKernelsNecessary) {
  for (std::string const kernel : {"reduce", "halo", "histogram"}) {
    Started const one = check(kernel + " --necessity --json");
    EXPECT_EQ(one.status, 0) << kernel << "\n" << one.output;
    json const list = json::parse(one.output);
    EXPECT_FALSE(list.empty()) << kernel;
    for (json const& barrier : list) {
      EXPECT_EQ(barrier["necessary"], true) << barrier;
      EXPECT_NE(barrier["reveals"], "") << barrier;
      EXPECT_TRUE(barrier["file"].get<std::string>().find("kernels/") != std::string::npos);
      EXPECT_TRUE(barrier["kind"].get<std::string>().ends_with("_barrier")) << barrier;
      EXPECT_GE(barrier["schedules"], 1) << barrier;
    }
  }
}

TEST_F(CheckCommand, PrintsWhatEachBarrierIsFor) {
  Started const one = check("halo --necessity --pct 1 --random 1");
  EXPECT_EQ(one.status, 0);
  for (char const* part : {"Simulator, tiny", "clean in 8 schedules", "verdict",
                           "halo/kernel.hpp:", "necessary: without it, race-cluster-scratch"})
    EXPECT_TRUE(one.has(part)) << part << "\n" << one.output;
}

TEST_F(CheckCommand, NamesABarrierThatOrdersNothing) {
  // A team of one subgroup hands nothing over between subgroups.
  Started const one = check("reduce --necessity --team 4 --pct 0 --random 0");
  EXPECT_EQ(one.status, 1);
  EXPECT_TRUE(one.has("orders no pair of accesses in 6 schedules")) << one.output;
}

TEST_F(CheckCommand, SaysNothingOfTheBarriersOfAFaultyKernel) {
  Started const text = check("broken --fault early-exit --necessity --profile h200-sxm");
  EXPECT_EQ(text.status, 1);
  EXPECT_TRUE(text.has("kohort: [cluster-barrier-unequal]")) << text.output;
  EXPECT_FALSE(text.has("verdict")) << text.output;
  Started const list = check("broken --fault early-exit --necessity --profile h200-sxm --json");
  EXPECT_EQ(list.status, 1);
  EXPECT_TRUE(list.has("[]") && list.has("[cluster-barrier-unequal]")) << list.output;
}

TEST_F(CheckCommand, NamesAFaultOfTheCorpus) {
  Started const one = check("--faults --case no_trailing_cluster_barrier --json");
  ASSERT_EQ(one.status, 0) << one.output;
  json const list = json::parse(one.output);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["case"], "no_trailing_cluster_barrier");
  EXPECT_EQ(list[0]["id"], "peer-ended");
  EXPECT_EQ(list[0]["expected"], "peer-ended");
  EXPECT_EQ(list[0]["found"], true);
  EXPECT_EQ(list[0]["twin_clean"], true);
  EXPECT_EQ(list[0]["kind"], "lifetime");
  EXPECT_EQ(list[0]["source"], "FAULTS 1");
  EXPECT_FALSE(list[0]["schedule"].get<std::string>().empty());
}

TEST_F(CheckCommand, PrintsTheCorpusAsATableWithTotals) {
  Started const one = check("--faults --case no_trailing_cluster_barrier");
  EXPECT_EQ(one.status, 0);
  for (char const* part :
       {"expected", "twin clean", "peer-ended", "falsely reported", "kohort: [peer-ended]",
        "kohort check --faults --case no_trailing_cluster_barrier\n"})
    EXPECT_TRUE(one.has(part)) << part << "\n" << one.output;
}

TEST_F(CheckCommand, EndsAsTheCorpusDoes) {
  Started const all = check("--faults --json");
  json const list = json::parse(all.output);
  EXPECT_GE(list.size(), 100U);
  bool as_expected = true;
  for (json const& one : list) {
    bool const is_known_miss = one.contains("missed_because");
    bool const agrees = (one["id"] == one["expected"] || is_known_miss) && one["twin_clean"];
    EXPECT_EQ(one["as_expected"], agrees) << one;
    as_expected = as_expected && agrees;
  }
  EXPECT_EQ(all.status, as_expected ? 0 : 1);
}

struct Wrong {
  char const* arguments;
  std::vector<std::string> named;  ///< what the message must hold
};

void expect_refused(Wrong const& wrong) {
  Started const refused = check(wrong.arguments);
  EXPECT_EQ(refused.status, 2) << wrong.arguments << "\n" << refused.output;
  for (std::string const& part : wrong.named)
    EXPECT_TRUE(refused.has(part)) << wrong.arguments << " should name " << part << "\n"
                                   << refused.output;
}

TEST(CheckCommandLine, NamesWhatFits) {
  Wrong const cases[] = {{"", {"reduce", "halo", "histogram", "--faults"}},
                         {"sort", {"sort", "reduce", "halo", "histogram"}},
                         {"--case x", {"--faults"}},
                         {"--faults --pct 3", {"--pct", "--case", "--json"}},
                         {"--faults --necessity", {"--necessity", "--case", "--json"}},
                         {"reduce --faults", {"--faults", "--pct", "--variant"}},
                         {"reduce --bins 3", {"--bins", "--type", "--schedule"}},
                         {"reduce --pct many", {"--pct", "many"}},
                         {"reduce --random -1", {"--random"}},
                         {"reduce --cluster 4y2", {"--cluster", "4y2", "4x2"}},
                         {"reduce --profile h300", {"--profile", "h300", "h200-sxm"}}};
  for (Wrong const& wrong : cases) expect_refused(wrong);
}

TEST_F(CheckCommand, NamesWhatTheKernelOrTheDeviceRefuses) {
  Wrong const cases[] = {
      {"reduce --schedule fair", {"--schedule", "fair", "reverse"}},
      {"reduce --cluster 32", {"--cluster", "32", "16"}},
      {"reduce --team 100", {"--team", "100", "32"}},
      {"--faults --case no_trailing_cluster_barier", {"no_trailing_cluster_barrier"}}};
  for (Wrong const& wrong : cases) expect_refused(wrong);
}

TEST(CheckCommandLine, Helps) {
  Started const program = run(folder_of_programs() / "kohort", "--help");
  EXPECT_EQ(program.status, 0);
  EXPECT_TRUE(program.has("kohort check KERNEL")) << program.output;
  Started const command = check("--help");
  EXPECT_EQ(command.status, 0);
  for (char const* part : {"--faults", "--case", "--pct", "--necessity", "tiny", "histogram"})
    EXPECT_TRUE(command.has(part)) << part << "\n" << command.output;
  Started const kernel = check("reduce --help");
  EXPECT_EQ(kernel.status, 0);
  for (char const* part : {"--random", "--variant", "--seed"})
    EXPECT_TRUE(kernel.has(part)) << part << "\n" << kernel.output;
}

TEST(CheckCommandLine, SaysThatItsProgramIsMissing) {
  std::filesystem::path const folder = std::filesystem::path(::testing::TempDir()) / "kohort_alone";
  std::filesystem::create_directories(folder);
  std::filesystem::copy(folder_of_programs() / "kohort", folder / "kohort",
                        std::filesystem::copy_options::overwrite_existing);
  Started const alone = run(folder / "kohort", "check halo");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(alone.status, 2);
  EXPECT_TRUE(alone.has("kohort-check") && alone.has("missing")) << alone.output;
}

}  // namespace
}  // namespace kohort
