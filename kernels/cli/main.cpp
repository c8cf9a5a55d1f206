// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/cli/commands.hpp>
#include <kernels/cli/registry.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace kohort::cli;

constexpr char const* usage =
    "kohort: cluster algorithms on a GPU and on a simulator\n"
    "\n"
    "  kohort info [--target T] [--profile P] [--json]      SM groups, limits, resident clusters\n"
    "  kohort run KERNEL [--target T] [--profile P] [--cluster XxYxZ] [--schedule S] [--json]\n"
    "             [kernel flags]                            runs it and verifies the result\n"
    "  kohort check KERNEL [--profile P] [--cluster XxYxZ] [--schedule S] [--pct N] [--random N]\n"
    "               [--seed N] [--necessity] [--json] [kernel flags]\n"
    "                                                       explores its schedules, in mode check\n"
    "  kohort check --faults [--case NAME] [--json]         the corpus of faults\n"
    "  kohort list [--json]                                 kernels and their flags\n"
    "  kohort COMMAND --help, kohort run KERNEL --help, kohort --version\n";

int command(std::vector<std::string> words) {
  if (words.empty()) throw UsageError(std::string("kohort: which command?\n\n") + usage);
  std::string const name = words.front();
  words.erase(words.begin());
  if (name == "info") return info_command(words);
  if (name == "run") return run_command(words);
  if (name == "check") return check_command(words);
  if (name == "list") return list_command(words);
  if (name == "--version") {
    std::puts("kohort " KOHORT_VERSION);
    return 0;
  }
  if (name == "--help" || name == "-h" || name == "help") {
    std::fputs(usage, stdout);
    return 0;
  }
  throw UsageError("kohort: there is no command " + name + "; there are info, run, check and list");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return command(std::vector<std::string>(argv + 1, argv + argc));
  } catch (UsageError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return exit_usage;
  } catch (FlagError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return exit_usage;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return exit_failed;
  }
}
