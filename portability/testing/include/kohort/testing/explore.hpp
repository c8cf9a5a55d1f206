// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/finding.hpp>
#include <kohort/simulator/schedule.hpp>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace kohort::testing {

/// How far explore() goes beyond the named schedules.
struct ExploreOptions {
  int pct_schedules = 16;
  int pct_depth = 3;
  int random_schedules = 16;
  std::uint64_t seed = 1;  ///< of the first; the next ones count up
};

/// What explore() found. Prints as the report that a test should show.
struct Exploration {
  bool ok = true;
  int schedules = 0;          ///< tried, the failing one included
  std::string schedule;       ///< the failing one, for KOHORT_SIM_SCHEDULE
  std::string id;             ///< of the finding; empty when the body failed by itself
  std::string report;         ///< what was thrown, or that the body returned false
  bool ran_serially = false;  ///< clusters talk through global atomics: one worker, in order

  explicit operator bool() const { return ok; }
  friend std::ostream& operator<<(std::ostream& stream, Exploration const& exploration) {
    if (exploration.ok)
      return stream << "nothing found in " << exploration.schedules << " schedules";
    stream << exploration.report << "\n  found   in schedule " << exploration.schedules
           << " of the ladder: " << exploration.schedule;
    // A finding's report has its replay line already.
    if (exploration.id.empty())
      stream << "\n  replay  KOHORT_SIM_SCHEDULE=" << exploration.schedule
             << " in front of the command";
    return stream;
  }
};

namespace Impl {

/// Runs the body under one schedule; fills in the exploration when it fails.
inline bool survives(std::function<bool()> const& body, simulator::Schedule const& schedule,
                     Exploration& exploration) {
  ++exploration.schedules;
  exploration.schedule = simulator::to_string(schedule);
  simulator::ScheduleOverride const override(schedule);
  try {
    if (body()) return true;
    exploration.report = "the body returned false under schedule " + exploration.schedule;
  } catch (simulator::Finding const& finding) {
    exploration.id = finding.id();
    exploration.schedule = finding.replay();
    exploration.report = finding.what();
  } catch (std::exception const& exception) {
    exploration.report = exception.what();
  }
  exploration.ok = false;
  return false;
}

/// The ladder after `rank`, for launches whose largest cluster has `teams` teams.
inline std::vector<simulator::Schedule> ladder(int teams, ExploreOptions const& options) {
  using simulator::Schedule;
  std::vector<Schedule> rungs{{.kind = Schedule::Kind::reverse}};
  for (int rank = 0; rank < teams; ++rank)
    rungs.push_back({.kind = Schedule::Kind::last, .rank = rank});
  for (int rank = 0; rank < teams; ++rank)
    rungs.push_back({.kind = Schedule::Kind::exit_first, .rank = rank});
  for (int i = 0; i < options.pct_schedules; ++i)
    rungs.push_back({.kind = Schedule::Kind::pct,
                     .depth = options.pct_depth,
                     .seed = options.seed + static_cast<std::uint64_t>(i)});
  for (int i = 0; i < options.random_schedules; ++i)
    rungs.push_back(
        {.kind = Schedule::Kind::random, .seed = options.seed + static_cast<std::uint64_t>(i)});
  return rungs;
}

}  // namespace Impl

/// Runs `body`, which launches kernels on Simulators of its own making and checks what they did,
/// under the ladder of schedules: rank, reverse, each team last, each team first to end, PCT,
/// random. Stops at the first schedule under which it throws or returns false. Where
/// KOHORT_SIM_SCHEDULE is set, that one alone is run: so the line that a report prints replays it.
///
/// When the body's clusters talk to each other through global atomics, the ladder runs on one
/// worker, so that what it found can be replayed.
inline Exploration explore(std::function<bool()> const& body, ExploreOptions const& options = {}) {
  Exploration exploration;
  char const* const asked = std::getenv("KOHORT_SIM_SCHEDULE");
  if (asked != nullptr && *asked != '\0') {
    if (Impl::survives(body, simulator::parse_schedule(asked), exploration))
      exploration.schedule.clear();
    return exploration;
  }
  simulator::take_launch_facts();
  if (!Impl::survives(body, {}, exploration)) return exploration;
  simulator::LaunchFacts const facts = simulator::take_launch_facts();
  exploration.ran_serially = facts.communicates_globally;
  for (simulator::Schedule schedule : Impl::ladder(facts.largest_cluster, options)) {
    schedule.serial = exploration.ran_serially;
    if (!Impl::survives(body, schedule, exploration)) return exploration;
  }
  exploration.schedule.clear();
  return exploration;
}

/// The same for a body that tells of failure by throwing alone.
template <class Body>
requires std::is_void_v<std::invoke_result_t<Body const&>> Exploration
explore(Body const& body, ExploreOptions const& options = {}) {
  return explore(std::function<bool()>([&body] {
                   body();
                   return true;
                 }),
                 options);
}

}  // namespace kohort::testing
