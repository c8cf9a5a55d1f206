// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/target.hpp>

#include <cstdlib>
#include <stdexcept>

namespace kohort {
namespace Impl {

inline std::string option_or_environment(std::string const& option, char const* variable,
                                         std::string const& otherwise) {
  if (!option.empty()) return option;
  char const* const value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

inline int option_or_environment(int option, char const* variable, int largest) {
  auto const refuse = [&](std::string const& found) {
    throw std::invalid_argument("kohort: " + std::string(variable) + " is \"" + found +
                                "\": a whole number from 0 (the default) to " +
                                std::to_string(largest) + " fits");
  };
  if (option < 0 || option > largest) refuse(std::to_string(option));
  if (option != 0) return option;
  char const* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return 0;
  char* end = nullptr;
  long const number = std::strtol(value, &end, 10);
  if (*end != '\0' || number < 0 || number > largest) refuse(value);
  return static_cast<int>(number);
}

}  // namespace Impl

inline Simulator::Simulator(SimulatorOptions const& options) : state_(std::make_shared<State>()) {
  using Impl::option_or_environment;
  simulator::EngineOptions& engine = state_->engine;
  engine.profile = options.device != nullptr
                       ? options.device
                       : &simulator::find_profile(option_or_environment(
                             options.profile, "KOHORT_SIM_PROFILE", "h200-sxm"));
  ClusterMode const asked = Impl::parse_cluster_mode(
      option_or_environment(options.clusters, "KOHORT_CLUSTER_MODE", "automatic"),
      "KOHORT_CLUSTER_MODE");
  state_->cluster_mode = Impl::resolved_mode(asked, engine.profile->max_nonportable_cluster > 1
                                                        ? ClusterMode::native
                                                        : ClusterMode::emulated);
  engine.mode =
      simulator::parse_mode(option_or_environment(options.mode, "KOHORT_SIM_MODE", "run"));
  engine.on_fault =
      simulator::parse_on_fault(option_or_environment(options.check, "KOHORT_CHECK", "throw"));
  engine.schedule = simulator::parse_schedule(
      option_or_environment(options.schedule, "KOHORT_SIM_SCHEDULE", "rank"));
  engine.workers = option_or_environment(options.workers, "KOHORT_SIM_THREADS", 256);
  engine.trace_path = option_or_environment(options.trace, "KOHORT_SIM_TRACE", "");
  engine.stack_bytes = static_cast<std::size_t>(option_or_environment(
                           options.stack_kib, "KOHORT_SIM_STACK", 64 * 1024)) *
                       1024;
  if (engine.stack_bytes != 0 && engine.stack_bytes < 16 * 1024)
    throw std::invalid_argument(
        "kohort: KOHORT_SIM_STACK is " + std::to_string(engine.stack_bytes / 1024) +
        ": a simulated thread needs 16 KiB or more (formatting and exceptions take 8)");
  engine.observers = options.observers;
}

}  // namespace kohort
