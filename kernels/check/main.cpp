// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/check/verdicts.hpp>
#include <kernels/cli/commands.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

using namespace kohort;
using namespace kohort::check;

int check_and_print_corpus(Request const& request) {
  std::vector<CaseVerdict> verdicts;
  {
    cli::Progress progress;
    verdicts = check_corpus(request, progress);
  }
  print(verdicts, request);
  bool const good = std::all_of(verdicts.begin(), verdicts.end(),
                                [](CaseVerdict const& one) { return one.is_as_expected(); });
  return good ? cli::exit_verified : cli::exit_failed;
}

int check_and_print_barriers(Request const& request) {
  NecessityVerdict verdict;
  {
    cli::Progress progress;
    verdict = check_barriers(request, progress);
  }
  print(verdict, request);
  return verdict.is_good() ? cli::exit_verified : cli::exit_failed;
}

int check_and_print(Request const& request) {
  // The environment, because kernels and corpus make their simulators themselves. A finding that
  // is not thrown would read as clean here.
  setenv("KOHORT_SIM_MODE", "check", 1);
  setenv("KOHORT_CHECK", "throw", 1);
  if (!request.schedule.empty()) setenv("KOHORT_SIM_SCHEDULE", request.schedule.c_str(), 1);
  if (request.faults) return check_and_print_corpus(request);
  if (request.necessity) return check_and_print_barriers(request);
  KernelVerdict verdict;
  {
    cli::Progress progress;
    verdict = check_kernel(request, progress);
  }
  print(verdict, request);
  return verdict.exploration.ok ? cli::exit_verified : cli::exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return check_and_print(parse_request({argv + 1, argv + argc}));
  } catch (cli::UsageError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return cli::exit_usage;
  } catch (cli::FlagError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return cli::exit_usage;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return cli::exit_failed;
  }
}
