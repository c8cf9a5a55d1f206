// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/session.hpp>
#include <kohort/simulator/cache.hpp>

#include <memory>
#include <string>
#include <thread>

namespace kohort::cli {

template <>
class Session<Simulator> {
 public:
  static constexpr char const* target_name = "simulator";
  static constexpr bool first_launch_is_slow = false;
  static constexpr bool has_device_clock = false;  // how long a simulation takes says nothing

  explicit Session(Arguments const& arguments)
      : cache_(wants_cache(arguments) ? std::make_unique<simulator::CacheModel>() : nullptr),
        target_(open(arguments, cache_.get())),
        schedule_(to_string(target_.engine_options().schedule)) {}

  Simulator const& target() const { return target_; }
  std::string device() const {
    int const asked = target_.engine_options().workers;
    int const workers = asked > 0 ? asked : static_cast<int>(std::thread::hardware_concurrency());
    return "Simulator, " + properties(target_).device + ", " + std::to_string(workers) +
           (workers == 1 ? " worker" : " workers") +
           (target_.engine_options().mode == simulator::Mode::check ? ", mode check"
                                                                    : ", schedule " + schedule_);
  }

  Counts counts() const {
    LaunchCounts const& counts = target_.last_counts();
    return {{"clusters", counts.clusters},
            {"teams", counts.teams},
            {"threads", counts.threads},
            {"team_barriers", counts.team_barriers},
            {"cluster_barriers", counts.cluster_barriers},
            {"global_atomics", counts.global_atomics},
            {"team_atomics", counts.team_atomics},
            {"remote_atomics", counts.remote_atomics},
            {"scratch_bytes_used", counts.scratch_bytes_used},
            {"scratch_bytes", counts.scratch_bytes},
            {"subgroup_exchanges", counts.subgroup_exchanges},
            {"resident_limit", counts.resident_limit},
            {"guard_barriers", counts.guard_barriers},
            {"switches", counts.switches},
            {"transfers", counts.transfers},
            {"multicasts", counts.multicasts},
            {"bytes_to_scratch", counts.bytes_to_scratch},
            {"bytes_from_scratch", counts.bytes_from_scratch},
            {"bytes_pushed", counts.bytes_pushed},
            {"phased_waits", counts.phased_waits},
            {"multiply_adds", counts.multiply_adds}};
  }

  /// What the L2 caches were asked for by the last launch; null unless --l2 is on.
  simulator::CacheModel const* cache() const { return cache_.get(); }

 private:
  static bool wants_cache(Arguments const& arguments) {
    auto const flag = arguments.values.find("l2");
    return flag != arguments.values.end() && flag->second == "on";
  }
  /// The simulator's refusals, under the name of the flag that they are about.
  static Simulator open(Arguments const& arguments, simulator::Observer* observer) {
    try {
      SimulatorOptions options{.profile = arguments.profile,
                               .schedule = arguments.schedule,
                               .workers = arguments.workers,
                               .trace = arguments.trace};
      if (observer != nullptr) options.observers.push_back(observer);
      return Simulator(options);
    } catch (simulator::ScheduleError const& error) {
      throw FlagError("schedule", error.what());
    } catch (simulator::ProfileError const& error) {
      throw FlagError("profile", error.what());
    }
  }

  std::unique_ptr<simulator::CacheModel> cache_;
  Simulator target_;
  std::string schedule_;
};

}  // namespace kohort::cli
