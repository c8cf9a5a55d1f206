// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/check/verdicts.hpp>
#include <kernels/cli/commands.hpp>
#include <kernels/cli/session.hpp>

#include <exception>
#include <stdexcept>
#include <utility>

namespace kohort::check {
namespace {

cli::Kernel const& find_kernel(std::string const& name) {
  auto const& kernels = cli::targets().at("simulator").kernels;
  auto const found = kernels.find(name);
  if (found != kernels.end()) return found->second;
  std::string names;
  for (auto const& [known, kernel] : kernels) names += " " + known;
  throw cli::UsageError("kohort check: the simulator has no kernel " + name + "; it has" + names);
}

/// A verified run of the kernel, for anything that runs it again and again.
class VerifiedRun {
 public:
  VerifiedRun(Request const& request, cli::Outcome& outcome)
      : kernel_(find_kernel(request.kernel)), arguments_(request.arguments), outcome_(outcome) {}

  void operator()() {
    try {
      outcome_ = kernel_.run(arguments_);
    } catch (LaunchError const&) {
      refusal_ = std::current_exception();
      throw;
    } catch (cli::FlagError const&) {
      refusal_ = std::current_exception();
      throw;
    }
    if (!outcome_.verified)
      throw std::runtime_error(
          fmt::format("kohort: {} ends with a wrong result, largest error {:.2g} (bound {:.2g})",
                      kernel_.name, outcome_.max_error, outcome_.error_bound));
  }

  /// @throws what the device or the kernel refused: no verdict, but a wrong flag
  void rethrow_refusal() const {
    if (refusal_ == nullptr) return;
    try {
      std::rethrow_exception(refusal_);
    } catch (LaunchError const& error) {
      throw cli::UsageError(fmt::format(
          "{}\n  flags       --profile, --cluster and the kernel's own choose this", error.what()));
    }
  }

 private:
  cli::Kernel const& kernel_;
  cli::Arguments const& arguments_;
  cli::Outcome& outcome_;
  std::exception_ptr refusal_;
};

std::string schedule_text() { return to_string(*simulator::overriding_schedule()); }

/// Whether the schedule under which a body runs is the first of an exploration.
bool starts_a_ladder(Request const& request) {
  return !request.schedule.empty() || *simulator::overriding_schedule() == simulator::Schedule{};
}

}  // namespace

KernelVerdict check_kernel(Request const& request, cli::Progress& progress) {
  KernelVerdict verdict;
  VerifiedRun run(request, verdict.outcome);
  verdict.device = cli::Session<Simulator>(request.arguments).device();
  simulator::set_replay_arguments(request.replay);
  int schedules = 0;
  auto const body = [&] {
    progress.show(fmt::format("{}: schedule {}, {}", request.kernel, ++schedules, schedule_text()));
    run();
  };
  verdict.exploration = testing::explore(body, request.ladder);
  run.rethrow_refusal();
  return verdict;
}

NecessityVerdict check_barriers(Request const& request, cli::Progress& progress) {
  NecessityVerdict verdict;
  VerifiedRun run(request, verdict.as_it_is.outcome);
  verdict.as_it_is.device = cli::Session<Simulator>(request.arguments).device();
  simulator::set_replay_arguments(request.replay);
  int explorations = 0;
  int schedules = 0;
  auto const body = [&] {
    if (starts_a_ladder(request)) {
      ++explorations;
      schedules = 0;
    }
    std::string const without =
        explorations == 1 ? "as it is" : fmt::format("without barrier {}", explorations - 1);
    progress.show(fmt::format("{} {}: schedule {}, {}", request.kernel, without, ++schedules,
                              schedule_text()));
    run();
  };
  testing::BarrierNecessity necessity = testing::barrier_necessity(body, request.ladder);
  run.rethrow_refusal();
  verdict.as_it_is.exploration = std::move(necessity.as_it_is);
  verdict.barriers = std::move(necessity.barriers);
  return verdict;
}

}  // namespace kohort::check
