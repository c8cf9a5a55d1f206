// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/cli/commands.hpp>
#include <kernels/cli/counts.hpp>
#include <kernels/cli/details.hpp>
#include <kernels/cli/options.hpp>
#include <kernels/cli/progress.hpp>
#include <kohort/launch_error.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kohort::cli {
namespace {

/// What `run` takes beside the kernel's own flags.
struct RunOptions {
  std::string target;
  std::string cluster;
  bool json = false;
  Arguments arguments;
};

/// A flag of the simulator that was typed has no meaning elsewhere; its environment twin is left
/// alone there.
void check_simulator_flags(CLI::App const& app, RunOptions& options) {
  check_profile(options.target, options.arguments.profile, app.count("--profile") > 0);
  if (options.target == "simulator") return;
  for (char const* flag : {"--schedule", "--threads", "--trace"})
    if (app.get_option(flag)->count() > 0 &&
        std::getenv(app.get_option(flag)->get_envname().c_str()) == nullptr)
      throw UsageError(fmt::format("{}: only --target simulator has it", flag));
}

std::string cluster_text(int const (&cluster)[3]) {
  return fmt::format("{}x{}x{}", cluster[0], cluster[1], cluster[2]);
}

std::string flags_of(Outcome const& outcome, Kernel const& kernel, Arguments const& arguments) {
  std::string text;
  for (Flag const& flag : kernel.flags)
    text += fmt::format("--{}={} ", flag.name, arguments.text(flag.name));
  return text + "--cluster=" + cluster_text(outcome.cluster);
}

void print_text(Outcome const& outcome, Kernel const& kernel, RunOptions const& options) {
  std::string const name =
      outcome.variant.empty() ? kernel.name : kernel.name + "/" + outcome.variant;
  fmt::print("kernel       {:<32} target   {}\n", name, outcome.device);
  fmt::print("arguments    {}\n", flags_of(outcome, kernel, options.arguments));
  fmt::print("status       {}, largest error {:.2g} (bound {:.2g})\n",
             outcome.verified ? "verified" : "WRONG", outcome.max_error, outcome.error_bound);
  fmt::print("counts       {}\n", counts_text(outcome));
  fmt::print("{}", details_text(outcome.details));
  if (options.target == "simulator") {
    fmt::print("runtime      {:.3g} s on this machine\n", outcome.runtime_s);
  } else {
    fmt::print("runtime      {:.4g} ms, {:.3g} TB/s, launch and wait included\n",
               1e3 * outcome.runtime_s, outcome.bytes / outcome.runtime_s / 1e12);
  }
}

void print_json(Outcome const& outcome, Kernel const& kernel, RunOptions const& options) {
  nlohmann::ordered_json counts = nlohmann::ordered_json::object();
  for (auto const& [key, value] : outcome.counts) counts[key] = value;
  nlohmann::ordered_json document = {{"kernel", kernel.name},
                                     {"variant", outcome.variant},
                                     {"target", options.target},
                                     {"device", outcome.device},
                                     {"cluster", cluster_text(outcome.cluster)},
                                     {"verified", outcome.verified},
                                     {"max_error", outcome.max_error},
                                     {"error_bound", outcome.error_bound},
                                     {"counts", counts},
                                     {"runtime_s", outcome.runtime_s}};
  add_details(document, outcome.details);
  document["arguments"] = options.arguments.values;
  fmt::print("{}\n", document.dump(2));
}

Outcome run(RunOptions& options, std::string const& name) {
  auto const& kernels = targets().at(options.target).kernels;
  auto const found = kernels.find(name);
  if (found == kernels.end())
    throw UsageError(fmt::format("--target {}: it has no kernel {}", options.target, name));
  Progress progress;
  options.arguments.progress = [&](std::string const& what) { progress.show(what); };
  try {
    return found->second.run(options.arguments);
  } catch (LaunchError const& error) {
    throw UsageError(
        fmt::format("{}\n  flags       --cluster and the kernel's own choose this", error.what()));
  }
}

}  // namespace

int run_command(std::vector<std::string> const& words) {
  if (words.empty() || words.front().starts_with("-"))
    throw UsageError("kohort run: name the kernel first: " + listed(kernel_names()));
  Kernel const& kernel = describe_kernel("run", words.front());
  RunOptions options;
  CLI::App app(kernel.summary, "run " + kernel.name);
  add_target(app, options.target);
  app.add_option("--cluster", options.cluster, "teams of a cluster: X, XxY or XxYxZ (1x1x1)");
  add_simulator_flags(app, options.arguments);
  app.add_option("--trace,--kohort-sim-trace", options.arguments.trace,
                 "simulator: file for a Chrome trace of the placement")
      ->envname("KOHORT_SIM_TRACE");
  app.add_flag("--json", options.json, "as JSON");
  add_kernel_flags(app, kernel, options.arguments);
  if (!parse(app, {words.begin() + 1, words.end()})) return exit_verified;
  check_simulator_flags(app, options);
  if (!options.cluster.empty()) {
    parse_cluster(options.cluster, options.arguments.cluster);
    options.arguments.cluster_is_given = true;
  }
  Outcome const outcome = run(options, kernel.name);
  if (options.json) {
    print_json(outcome, kernel, options);
  } else {
    print_text(outcome, kernel, options);
  }
  return outcome.verified ? exit_verified : exit_failed;
}

}  // namespace kohort::cli
