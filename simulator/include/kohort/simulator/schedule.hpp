// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kohort::simulator {

class ScheduleError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// In which order the ready threads of a cluster run.
///
///   rank             the lowest team and thread first
///   reverse          the highest first
///   last:R           as rank, with team R only when nobody else can run
///   exit-first:R     as rank, with team R before all others, so that it ends first
///   eager            as rank; copies and products complete as they are begun, as under the others
///   late             as rank; they complete only when no thread can run, the oldest first
///   random:SEED      any ready thread or copy, at every decision
///   pct:D:SEED       random priorities with D - 1 random changes (probabilistic concurrency
///                    testing: Burckhardt et al., ASPLOS 2010)
///   replay:[serial:]CLUSTER:SCHEDULE           that schedule in one cluster, rank in the others
///   replay:[serial:]CLUSTER:steps:S1rT1-S2rT2  rank, but thread T1 at decision S1, …
///   serial:SCHEDULE  on one worker, clusters in order
struct Schedule {
  enum class Kind : std::uint8_t {
    rank,
    reverse,
    last,
    exit_first,
    random,
    pct,
    steps,
    eager,
    late
  };
  struct Step {
    std::uint64_t decision = 0;
    int thread = 0;  ///< in the cluster; from behind them on, a copy's number
    friend bool operator==(Step const&, Step const&) = default;
  };

  Kind kind = Kind::rank;
  int rank = 0;                  ///< of last and exit_first
  int depth = 0;                 ///< of pct
  std::uint64_t seed = 0;        ///< of random and pct
  std::vector<Step> steps = {};  ///< of steps, in rising order
  bool serial = false;
  std::optional<int> cluster = {};  ///< of replay: the only cluster that it applies to

  friend bool operator==(Schedule const&, Schedule const&) = default;
};

/// @throws ScheduleError that names the part and lists the forms that fit.
Schedule parse_schedule(std::string_view text);
std::string to_string(Schedule const& schedule);

/// While it lives, launches on any Simulator of this process use `schedule`. Not reentrant.
class ScheduleOverride {
 public:
  explicit ScheduleOverride(Schedule schedule);
  ~ScheduleOverride();
  ScheduleOverride(ScheduleOverride const&) = delete;
  ScheduleOverride& operator=(ScheduleOverride const&) = delete;
};

std::optional<Schedule> overriding_schedule();

/// What explore() learns of the launches that ran since the last call.
struct LaunchFacts {
  int largest_cluster = 1;             ///< teams
  bool communicates_globally = false;  ///< an atomic on global memory was seen
  bool has_transfers = false;          ///< a copy was begun
};
LaunchFacts take_launch_facts();

}  // namespace kohort::simulator
