// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/check/verdicts.hpp>
#include <kernels/cli/commands.hpp>
#include <kernels/cli/session.hpp>

#include <exception>
#include <stdexcept>

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
          "{}\n  flags       --cluster and the kernel's own choose this", error.what()));
    }
  }

 private:
  cli::Kernel const& kernel_;
  cli::Arguments const& arguments_;
  cli::Outcome& outcome_;
  std::exception_ptr refusal_;
};

}  // namespace

KernelVerdict check_kernel(Request const& request, cli::Progress& progress) {
  KernelVerdict verdict;
  VerifiedRun run(request, verdict.outcome);
  verdict.device = cli::Session<Simulator>(request.arguments).device();
  simulator::set_replay_arguments(request.replay);
  int schedules = 0;
  auto const body = [&] {
    progress.show(fmt::format("{}: schedule {}, {}", request.kernel, ++schedules,
                              to_string(*simulator::overriding_schedule())));
    run();
  };
  verdict.exploration = testing::explore(body, request.ladder);
  run.rethrow_refusal();
  return verdict;
}

}  // namespace kohort::check
