// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/check/verdicts.hpp>
#include <kernels/cli/counts.hpp>

#include <nlohmann/json.hpp>

namespace kohort::check {
namespace {

std::string cluster_text(int const (&cluster)[3]) {
  return fmt::format("{}x{}x{}", cluster[0], cluster[1], cluster[2]);
}

std::string flags_of(Request const& request) {
  std::string text;
  for (cli::Flag const& flag : cli::targets().at("simulator").kernels.at(request.kernel).flags)
    text += fmt::format("--{}={} ", flag.name, request.arguments.text(flag.name));
  return text + "--cluster=" + cluster_text(request.arguments.cluster);
}

std::string variant_of(cli::Arguments const& arguments) {
  auto const found = arguments.values.find("variant");
  return found == arguments.values.end() ? "" : found->second;
}

std::string status_of(KernelVerdict const& verdict) {
  testing::Exploration const& found = verdict.exploration;
  if (found.ok)
    return fmt::format("clean in {} schedule{}{}, largest error {:.2g} (bound {:.2g})",
                       found.schedules, found.schedules == 1 ? "" : "s",
                       found.ran_serially ? " on one worker" : "", verdict.outcome.max_error,
                       verdict.outcome.error_bound);
  std::string const from = found.shrunk_from.empty() ? "" : ", shrunk from " + found.shrunk_from;
  return fmt::format("{} in schedule {}: {}{}", found.id.empty() ? "WRONG" : found.id,
                     found.schedules, found.schedule, from);
}

void print_text(KernelVerdict const& verdict, Request const& request) {
  std::string const variant = variant_of(request.arguments);
  fmt::print("kernel       {:<32} target   {}\n",
             request.kernel + (variant.empty() ? "" : "/" + variant), verdict.device);
  fmt::print("arguments    {}\n", flags_of(request));
  fmt::print("status       {}\n", status_of(verdict));
  testing::Exploration const& found = verdict.exploration;
  if (found.ok) {
    fmt::print("counts       {}\n", cli::counts_text(verdict.outcome));
    return;
  }
  fmt::print("\n{}\n", found.report);
  // A finding's report has its replay line already.
  if (found.id.empty())
    fmt::print("  replay  KOHORT_SIM_SCHEDULE={} kohort {}\n", found.schedule, request.replay);
}

void print_json(KernelVerdict const& verdict, Request const& request) {
  testing::Exploration const& found = verdict.exploration;
  nlohmann::ordered_json counts = nlohmann::ordered_json::object();
  for (auto const& [key, value] : verdict.outcome.counts) counts[key] = value;
  nlohmann::ordered_json const document = {{"kernel", request.kernel},
                                           {"variant", variant_of(request.arguments)},
                                           {"target", "simulator"},
                                           {"device", verdict.device},
                                           {"cluster", cluster_text(request.arguments.cluster)},
                                           {"clean", found.ok},
                                           {"id", found.id},
                                           {"schedules", found.schedules},
                                           {"schedule", found.schedule},
                                           {"shrunk_from", found.shrunk_from},
                                           {"ran_serially", found.ran_serially},
                                           {"report", found.report},
                                           {"max_error", verdict.outcome.max_error},
                                           {"error_bound", verdict.outcome.error_bound},
                                           {"counts", counts},
                                           {"arguments", request.arguments.values}};
  fmt::print("{}\n", document.dump(2));
}

}  // namespace

void print(KernelVerdict const& verdict, Request const& request) {
  request.json ? print_json(verdict, request) : print_text(verdict, request);
}

}  // namespace kohort::check
