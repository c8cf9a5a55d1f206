// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/cli/commands.hpp>
#include <kernels/cli/options.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iostream>

namespace kohort::cli {
namespace {

std::string flags_of(CLI::App const& app) {
  std::vector<std::string> names;
  for (CLI::Option const* option : app.get_options())
    if (option->nonpositional() && option->get_name() != "--help")
      names.push_back(option->get_name());
  return listed(names);
}

bool is_extent(std::string const& text) {
  return !text.empty() && text.size() <= 6 && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  }) && std::stoi(text) >= 1;
}

}  // namespace

std::string listed(std::vector<std::string> const& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

bool parse(CLI::App& app, std::vector<std::string> const& words) {
  try {
    // CLI11 takes the words from the back.
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
    return true;
  } catch (CLI::CallForHelp const&) {
    std::cout << app.help();
    return false;
  } catch (CLI::ParseError const& error) {
    throw UsageError(fmt::format("kohort {}: {}\nflags that fit: {}", app.get_name(), error.what(),
                                 flags_of(app)));
  }
}

CLI::Option* add_target(CLI::App& app, std::string& target) {
  std::vector<std::string> names;
  for (auto const& [name, entry] : targets()) names.push_back(name);
  target = targets().count("simulator") != 0 ? "simulator" : names.front();
  return app.add_option("--target", target, "where: " + listed(names))
      ->check(CLI::IsMember(names))
      ->capture_default_str();
}

void add_profile(CLI::App& app, std::string& profile) {
  app.add_option("--profile,--kohort-sim-profile", profile,
                 "the simulated device: a built-in profile or a .toml file (h200-sxm)")
      ->envname("KOHORT_SIM_PROFILE");
}

void check_profile(std::string const& target, std::string& profile, bool given) {
  std::vector<std::string> const& known = targets().at(target).profiles;
  if (known.empty()) {
    if (given)
      throw UsageError(fmt::format(
          "--profile {}: the target {} is the device of this machine; profiles are for --target "
          "simulator",
          profile, target));
    return;
  }
  if (profile.empty()) profile = "h200-sxm";
  bool const is_file = profile.find('/') != std::string::npos || profile.ends_with(".toml");
  if (!is_file && std::find(known.begin(), known.end(), profile) == known.end())
    throw UsageError(fmt::format("--profile {}: there are {}, and files that end in .toml", profile,
                                 listed(known)));
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (auto const& [target, entry] : targets())
    for (auto const& [name, kernel] : entry.kernels)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

Kernel const& describe_kernel(std::string const& command, std::string const& name) {
  for (auto const& [target, entry] : targets())
    if (auto const found = entry.kernels.find(name); found != entry.kernels.end())
      return found->second;
  throw UsageError(fmt::format("kohort {}: there is no kernel {}; there are {}", command, name,
                               listed(kernel_names())));
}

/// No range excludes what compares with nothing.
CLI::Validator a_number() {
  return {[](std::string& text) {
            double value = 0;
            bool const is_none = CLI::detail::lexical_cast(text, value) && std::isnan(value);
            return is_none ? "Value " + text + " is no number" : std::string();
          },
          "", "number"};
}

void add_kernel_flags(CLI::App& app, Kernel const& kernel, Arguments& arguments) {
  for (Flag const& flag : kernel.flags) {
    std::string& value = arguments.values[flag.name];
    value = flag.default_value;
    CLI::Option* const option = app.add_option("--" + flag.name, value, flag.help);
    option->capture_default_str();
    if (!flag.choices.empty()) {
      option->check(CLI::IsMember(flag.choices));
    } else if (flag.is_decimal) {
      option->check(CLI::Range(static_cast<double>(flag.least), static_cast<double>(flag.most)));
      option->check(a_number());
    } else {
      option->check(CLI::Range(flag.least, flag.most));
    }
  }
}

void add_simulator_flags(CLI::App& app, Arguments& arguments) {
  add_profile(app, arguments.profile);
  app.add_option(
         "--schedule,--kohort-sim-schedule", arguments.schedule,
         "simulator: rank, reverse, last:R, exit-first:R, eager, late, random:SEED, pct:D:SEED or "
         "replay:STRING")
      ->envname("KOHORT_SIM_SCHEDULE");
  app.add_option("--threads,--kohort-sim-threads", arguments.workers,
                 "simulator: workers; 0 for one a core")
      ->envname("KOHORT_SIM_THREADS")
      ->check(CLI::Range(0, 4096));
}

void parse_cluster(std::string const& text, int (&cluster)[3]) {
  std::vector<std::string> extents(1);
  for (char c : text) {
    if (c == 'x') {
      extents.emplace_back();
    } else {
      extents.back() += c;
    }
  }
  if (extents.size() > 3 || !std::all_of(extents.begin(), extents.end(), is_extent))
    throw UsageError(fmt::format(
        "--cluster {}: a shape is one to three extents of 1 or more, such as 4, 4x2 or 2x2x2",
        text));
  for (std::size_t i = 0; i < 3; ++i) cluster[i] = i < extents.size() ? std::stoi(extents[i]) : 1;
}

}  // namespace kohort::cli
