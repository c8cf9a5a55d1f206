// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/registry.hpp>
#include <kohort/kohort.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kohort::cli {

using Counts = std::vector<std::pair<std::string, long long>>;

/// One run on a target: opens it as the arguments say, and tells what it counted. Each target that
/// the program has specialises it, in a file of its own.
///
///   static constexpr char const* target_name;
///   static constexpr bool first_launch_is_slow;   the runtime is then the second launch's
///   static constexpr bool has_device_clock;       it then has median_seconds() too
///   explicit Session(Arguments const&);
///   Target const& target() const;
///   std::string device() const;
///   Counts counts() const;                        of the last launch
///   std::vector<double> median_seconds(std::vector<std::function<void()>> const& calls) const;
template <class Target>
class Session;

/// Seconds that `launch()` and the wait for it take.
template <class Target, class Launch>
double seconds_of(Session<Target> const& session, Launch const& launch) {
  auto const once = [&] {
    auto const start = std::chrono::steady_clock::now();
    launch();
    session.target().fence("kohort run");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (Session<Target>::first_launch_is_slow) once();
  return once();
}

inline ClusterShape cluster_of(Arguments const& arguments) {
  return ClusterShape(arguments.cluster[0], arguments.cluster[1], arguments.cluster[2]);
}

inline void set_cluster(Outcome& outcome, ClusterShape const& cluster) {
  for (int dimension = 0; dimension < 3; ++dimension)
    outcome.cluster[dimension] = cluster[dimension];
}

}  // namespace kohort::cli

#if __has_include(<kohort/backend/cpu/target.hpp>)
#include <kernels/cli/session_simulator.hpp>
#endif
#if defined(__CUDACC__)
#include <kernels/cli/session_cuda.hpp>
#endif
#if defined(__HIPCC__)
#include <kernels/cli/session_hip.hpp>
#endif
