// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/broken/kernel.hpp>
#include <kernels/cli/registry.hpp>
#include <kernels/cli/session_simulator.hpp>

namespace {

namespace cli = kohort::cli;
using namespace kohort::kernels::broken;
using Target = kohort::Simulator;

void launch_fault(Target const& target, std::string const& fault) {
  RingPolicy<Target> const ring(target, 64, 256);
  if (fault == "divergent-barrier")
    kohort::parallel_for("divergent_barrier", ring, DivergentBarrier{});
  if (fault == "early-exit") kohort::parallel_for("early_exit", ring, EarlyExit{});
  if (fault == "mixed-barriers") kohort::parallel_for("mixed_barriers", ring, MixedBarriers{});
  if (fault == "not-resident") {
    kohort::ClusterPolicy<Target> policy(target, 1, 1024);
    int const one_too_many = policy.max_active_clusters(0) + 1;
    kohort::Buffer<int, Target> arrived(target, 1);
    kohort::deep_copy(arrived, 0);
    kohort::parallel_for("league_barrier",
                         kohort::ClusterPolicy<Target>(target, one_too_many, 1024),
                         LeagueBarrier{arrived.data()});
  }
}

/// Always ends in a finding, which the program prints; a fault that goes unseen is an error.
cli::Outcome run(cli::Arguments const& arguments) {
  cli::Session<Target> const session(arguments);
  launch_fault(session.target(), arguments.text("fault"));
  cli::Outcome outcome;
  outcome.variant = arguments.text("fault");
  outcome.device = session.device();
  return outcome;
}

[[maybe_unused]] bool const registered = cli::register_kernel(
    "simulator",
    {.name = "broken",
     .summary = "kernels that are wrong on purpose: shows what the simulator says of them",
     .flags = {cli::choice_flag(
         "fault", "what is wrong", "early-exit",
         {"divergent-barrier", "early-exit", "mixed-barriers", "not-resident"})},
     .run = run});

}  // namespace
