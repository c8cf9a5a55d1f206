// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/impl/cluster_mode.hpp>
#include <kohort/scratch.hpp>
#include <kohort/simulator/launch.hpp>
#include <kohort/simulator/observer.hpp>
#include <kohort/targets.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kohort {

using LaunchCounts = simulator::LaunchCounts;

/// How a Simulator is made. What is left empty comes from the environment, then from the default.
struct SimulatorOptions {
  std::string mode = "";     ///< KOHORT_SIM_MODE; run, or check
  std::string check = "";    ///< KOHORT_CHECK; throw, abort or log an access at fault
  std::string profile = "";  ///< KOHORT_SIM_PROFILE; h200-sxm. A name, or the path of a TOML file
  /// In place of a profile by name: one made in the program. Outlives the target.
  simulator::DeviceProfile const* device = nullptr;
  std::string schedule = "";  ///< KOHORT_SIM_SCHEDULE; rank
  std::string clusters = "";  ///< KOHORT_CLUSTER_MODE; what ClusterMode::automatic means
  int workers = 0;            ///< KOHORT_SIM_THREADS; one a core
  std::string trace = "";     ///< KOHORT_SIM_TRACE; where to write a Chrome trace of the placement
  int stack_kib = 0;          ///< KOHORT_SIM_STACK; 64 KiB a simulated thread
  std::vector<simulator::Observer*> observers = {};  ///< outlive the target
};

/// The CPU simulator of a device with clusters. Copies are handles on one.
///
/// Launches run to their end before they return. A fault of the kernel is thrown as a Finding by
/// the launch; the target stays usable.
class Simulator {
 public:
  /// @throws simulator::ProfileError, simulator::ScheduleError, std::invalid_argument
  explicit Simulator(SimulatorOptions const& options = {});

  simulator::DeviceProfile const& profile() const { return *state_->engine.profile; }
  /// How ClusterMode::automatic makes clusters: never automatic.
  ClusterMode cluster_mode() const { return state_->cluster_mode; }
  simulator::EngineOptions const& engine_options() const { return state_->engine; }

  /// Everything launched before has ended already.
  void fence(std::string_view = "") const {}

  /// What the last launch on this target did.
  LaunchCounts const& last_counts() const { return state_->counts; }
  void set_last_counts(LaunchCounts const& counts) const { state_->counts = counts; }

 private:
  struct State {
    simulator::EngineOptions engine;
    ClusterMode cluster_mode = ClusterMode::native;
    LaunchCounts counts;
  };
  std::shared_ptr<State> state_;
};

namespace Impl {

template <>
inline constexpr bool backend_is_available<Simulator> = true;

template <>
inline constexpr std::size_t scratch_gap<Simulator> = 128;

/// The option, or its environment twin, or `otherwise`.
std::string option_or_environment(std::string const& option, char const* variable,
                                  std::string const& otherwise);
/// The same for a number; @throws std::invalid_argument naming the variable and what fits.
int option_or_environment(int option, char const* variable, int largest);

}  // namespace Impl
}  // namespace kohort

#include <kohort/backend/cpu/impl/options.hpp>
