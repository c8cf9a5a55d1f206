// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `kohort check` reads the command line; the instrumented program kohort-check does the rest.
#include <fmt/format.h>
#include <unistd.h>

#include <kernels/cli/commands.hpp>
#include <kernels/cli/options.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace kohort::cli {
namespace {

constexpr char const* usage =
    "kohort check: looks for races, accesses to memory that isn't there, divergence and deadlock,\n"
    "on the simulator, under dozens of schedules\n"
    "\n"
    "  kohort check KERNEL [--profile P] [--cluster XxYxZ] [--schedule S] [--pct N] [--random N]\n"
    "               [--seed N] [--threads N] [--json] [kernel flags]\n"
    "                    explores the kernel's schedules, at a small size unless told otherwise,\n"
    "                    and verifies its result under each. Of a small device, --profile tiny, a\n"
    "                    small size is many times what is resident: persistent kernels loop there\n"
    "  kohort check KERNEL --necessity [the same flags]\n"
    "                    checks it, then leaves out the ordering of each of its barriers in turn:\n"
    "                    does any order nothing in what is run? The device is tiny unless told\n"
    "                    otherwise, because a loop's barrier may be for a later round\n"
    "  kohort check --faults [--case NAME] [--json]\n"
    "                    runs the corpus of faults: each must be found, each repaired twin is "
    "clean\n"
    "  kohort check KERNEL --help\n"
    "\n"
    "Exit code 0: clean; 1: a finding, a wrong result, or a barrier that orders nothing;\n"
    "2: a wrong flag.\n";

struct CheckOptions {
  std::string cluster;
  int pct = 16;
  int random = 16;
  std::uint64_t seed = 1;
  bool necessity = false;
  bool json = false;
  Arguments arguments;
};

/// The first word of this process's command line, as the user typed it.
std::string typed_name() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string name;
  std::getline(file, name, '\0');
  return name;
}

/// Becomes kohort-check. @param words  the user's, for the line that replays a finding
[[noreturn]] void start_checker(std::vector<std::string> arguments,
                                std::vector<std::string> const& words) {
  std::filesystem::path const checker =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kohort-check";
  if (!std::filesystem::exists(checker))
    throw UsageError(fmt::format(
        "kohort check: the program kohort-check, which holds the instrumented kernels, is missing: "
        "it belongs beside kohort, at {}; build the target kohort_check_program",
        checker.string()));
  arguments.insert(arguments.begin(), typed_name());
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  std::fflush(nullptr);
  execv(checker.c_str(), pointers.data());
  throw UsageError(
      fmt::format("kohort check: {} can't be started: {}", checker.string(), std::strerror(errno)));
}

/// Clusters are what there is to check, so pairs are the default where the device has them.
void choose_cluster(CheckOptions& options) {
  int(&cluster)[3] = options.arguments.cluster;
  if (!options.cluster.empty()) return parse_cluster(options.cluster, cluster);
  DeviceInfo const device = targets().at("simulator").info(options.arguments.profile);
  cluster[0] = std::min(2, device.max_cluster_size);
}

Kernel with_check_values(Kernel kernel) {
  for (Flag& flag : kernel.flags)
    if (auto const found = kernel.check_values.find(flag.name); found != kernel.check_values.end())
      flag.default_value = found->second;
  return kernel;
}

void add_exploration_flags(CLI::App& app, CheckOptions& options) {
  app.add_option("--cluster", options.cluster,
                 "teams of a cluster: X, XxY or XxYxZ (2x1x1 where the device has clusters)");
  add_simulator_flags(app, options.arguments);
  app.get_option("--schedule")
      ->description(app.get_option("--schedule")->get_description() + "; this one alone is run");
  app.add_option("--pct", options.pct, "schedules of probabilistic concurrency testing")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--random", options.random, "random schedules")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_flag(
      "--necessity", options.necessity,
      "asks of each barrier whether it orders anything; --profile is then tiny by default");
  app.add_flag("--json", options.json, "as JSON");
}

/// A kernel's --seed seeds its schedules too.
void add_seed(CLI::App& app, CheckOptions& options) {
  if (CLI::Option* const of_data = app.get_option_no_throw("--seed")) {
    of_data->description("of the random data, and of the first PCT and random schedule");
  } else {
    app.add_option("--seed", options.seed, "of the first PCT and random schedule")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62))
        ->capture_default_str();
  }
}

std::vector<std::string> checker_arguments(Kernel const& kernel, CheckOptions const& options) {
  Arguments const& arguments = options.arguments;
  std::vector<std::string> words{"kernel=" + kernel.name,
                                 "profile=" + arguments.profile,
                                 "schedule=" + arguments.schedule,
                                 fmt::format("workers={}", arguments.workers),
                                 fmt::format("cluster={}x{}x{}", arguments.cluster[0],
                                             arguments.cluster[1], arguments.cluster[2]),
                                 fmt::format("pct={}", options.pct),
                                 fmt::format("random={}", options.random),
                                 fmt::format("seed={}", options.seed),
                                 fmt::format("necessity={}", options.necessity ? 1 : 0),
                                 fmt::format("json={}", options.json ? 1 : 0)};
  for (auto const& [flag, value] : arguments.values) {
    words.push_back("--" + flag + "=" + value);
    if (flag == "seed") words.push_back("seed=" + value);
  }
  return words;
}

int check_kernel(std::vector<std::string> const& words) {
  Kernel const kernel = with_check_values(describe_kernel("check", words.front()));
  CLI::App app(kernel.summary, "check " + kernel.name);
  CheckOptions options;
  add_exploration_flags(app, options);
  add_kernel_flags(app, kernel, options.arguments);
  add_seed(app, options);
  if (!parse(app, {words.begin() + 1, words.end()})) return exit_verified;
  std::string& profile = options.arguments.profile;
  if (options.necessity && profile.empty()) profile = "tiny";
  check_profile("simulator", profile, app.count("--profile") > 0);
  choose_cluster(options);
  start_checker(checker_arguments(kernel, options), words);
}

int check_faults(std::vector<std::string> const& words) {
  CLI::App app("runs the corpus of faults", "check");
  bool faults = false;
  bool json = false;
  std::string only;
  app.add_flag("--faults", faults, "the corpus: each fault must be found, each twin is clean");
  CLI::Option* const chosen = app.add_option("--case", only, "this one alone");
  app.add_flag("--json", json, "as JSON");
  if (!parse(app, words)) return exit_verified;
  if (chosen->count() > 0 && only.empty()) throw UsageError("kohort check: --case needs a name");
  start_checker({"faults=1", "case=" + only, fmt::format("json={}", json ? 1 : 0)}, words);
}

}  // namespace

int check_command(std::vector<std::string> const& words) {
  auto const has = [&](char const* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (!words.empty() && (words.front() == "--help" || words.front() == "-h")) {
    fmt::print("{}\nkernels: {}\n", usage, listed(kernel_names()));
    return exit_verified;
  }
  auto const simulator = targets().find("simulator");
  if (simulator == targets().end())
    throw UsageError("kohort check: this kohort was built without the simulator, which checks");
  if (words.empty() || words.front().starts_with("-")) {
    if (has("--faults")) return check_faults(words);
    throw UsageError("kohort check: name the kernel first, " + listed(kernel_names()) +
                     ", or take --faults");
  }
  return check_kernel(words);
}

}  // namespace kohort::cli
