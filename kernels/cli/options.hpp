// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/registry.hpp>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kohort::cli {

/// Parses `words`; a wrong one throws UsageError with the reason and the flags that fit.
/// @return false if help was asked for and printed
bool parse(CLI::App& app, std::vector<std::string> const& words);

/// --target, of the targets in this program; the first one by default, the simulator if it is
/// there.
CLI::Option* add_target(CLI::App& app, std::string& target);
/// --profile, of the built-in ones or a file; its twin is KOHORT_SIM_PROFILE.
void add_profile(CLI::App& app, std::string& profile);

/// --profile, --schedule and --threads, with their twins.
void add_simulator_flags(CLI::App& app, Arguments& arguments);
/// The kernel's own flags; `arguments.values` holds their defaults then.
void add_kernel_flags(CLI::App& app, Kernel const& kernel, Arguments& arguments);

/// Of all targets.
std::vector<std::string> kernel_names();
/// The targets' descriptions differ in nothing but the function that runs the kernel.
/// @throws UsageError for a name that no target has
Kernel const& describe_kernel(std::string const& command, std::string const& name);

/// Fills in the default profile, and refuses one for a target that has none, or an unknown one.
/// @param given  whether the flag (not its environment twin) was used
void check_profile(std::string const& target, std::string& profile, bool given);

/// "4x2x1" as extents. @throws UsageError for anything else
void parse_cluster(std::string const& text, int (&cluster)[3]);

/// "a, b and c"
std::string listed(std::vector<std::string> const& names);

}  // namespace kohort::cli
