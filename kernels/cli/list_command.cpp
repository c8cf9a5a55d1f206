// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/cli/commands.hpp>
#include <kernels/cli/options.hpp>

#include <nlohmann/json.hpp>

namespace kohort::cli {
namespace {

std::string values_of(Flag const& flag) {
  if (!flag.choices.empty()) return listed(flag.choices);
  return fmt::format("{} to {}", flag.least, flag.most);
}

/// Kernels by name, with the targets that have them.
std::map<std::string, std::pair<Kernel const*, std::vector<std::string>>> all_kernels() {
  std::map<std::string, std::pair<Kernel const*, std::vector<std::string>>> kernels;
  for (auto const& [target, entry] : targets()) {
    for (auto const& [name, kernel] : entry.kernels) {
      kernels[name].first = &kernel;
      kernels[name].second.push_back(target);
    }
  }
  return kernels;
}

void print_text() {
  for (auto const& [name, found] : all_kernels()) {
    fmt::print("{:<12} {}\n             targets: {}\n", name, found.first->summary,
               listed(found.second));
    for (Flag const& flag : found.first->flags) {
      fmt::print("             --{:<8} {} (default {}): {}\n", flag.name, flag.help,
                 flag.default_value, values_of(flag));
    }
  }
}

void print_json() {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (auto const& [name, found] : all_kernels()) {
    nlohmann::ordered_json flags = nlohmann::ordered_json::array();
    for (Flag const& flag : found.first->flags) {
      nlohmann::ordered_json one = {
          {"name", "--" + flag.name}, {"help", flag.help}, {"default", flag.default_value}};
      if (flag.choices.empty()) {
        one["least"] = flag.least;
        one["most"] = flag.most;
      } else {
        one["choices"] = flag.choices;
      }
      flags.push_back(one);
    }
    kernels.push_back({{"name", name},
                       {"summary", found.first->summary},
                       {"targets", found.second},
                       {"flags", flags}});
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"kernels", kernels}}.dump(2));
}

}  // namespace

int list_command(std::vector<std::string> const& words) {
  CLI::App app("kernels and their flags", "list");
  bool json = false;
  app.add_flag("--json", json, "as JSON");
  if (!parse(app, words)) return exit_verified;
  json ? print_json() : print_text();
  return exit_verified;
}

}  // namespace kohort::cli
