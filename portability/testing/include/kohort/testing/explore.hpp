// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/finding.hpp>
#include <kohort/simulator/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <ostream>
#include <span>
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
  /// How often the body may run again, after the first failure, to find a shorter schedule.
  int most_shrink_runs = 64;
};

/// What explore() found. Prints as the report that a test should show.
struct Exploration {
  bool ok = true;
  int schedules = 0;          ///< tried, the failing one included
  std::string schedule;       ///< the shortest failing one found, for KOHORT_SIM_SCHEDULE
  std::string shrunk_from;    ///< the first failing one, where `schedule` is a shorter one
  std::string id;             ///< of the finding; empty when the body failed by itself
  std::string report;         ///< what was thrown, or that the body returned false
  bool ran_serially = false;  ///< clusters talk through global atomics: one worker, in order

  explicit operator bool() const { return ok; }
  friend std::ostream& operator<<(std::ostream& stream, Exploration const& exploration) {
    if (exploration.ok)
      return stream << "nothing found in " << exploration.schedules << " schedules";
    stream << exploration.report << "\n  found   in schedule " << exploration.schedules
           << " of the ladder: ";
    if (exploration.shrunk_from.empty()) {
      stream << exploration.schedule;
    } else {
      stream << exploration.shrunk_from << "\n  shrunk  to " << exploration.schedule;
    }
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

/// The ladder after `rank`, for what the launches did under it.
inline std::vector<simulator::Schedule> ladder(simulator::LaunchFacts const& facts,
                                               ExploreOptions const& options) {
  int const teams = facts.largest_cluster;
  using simulator::Schedule;
  std::vector<Schedule> rungs{{.kind = Schedule::Kind::reverse}};
  for (int rank = 0; rank < teams; ++rank)
    rungs.push_back({.kind = Schedule::Kind::last, .rank = rank});
  for (int rank = 0; rank < teams; ++rank)
    rungs.push_back({.kind = Schedule::Kind::exit_first, .rank = rank});
  if (facts.has_transfers) rungs.push_back({.kind = Schedule::Kind::late});
  for (int i = 0; i < options.pct_schedules; ++i)
    rungs.push_back({.kind = Schedule::Kind::pct,
                     .depth = options.pct_depth,
                     .seed = options.seed + static_cast<std::uint64_t>(i)});
  for (int i = 0; i < options.random_schedules; ++i)
    rungs.push_back(
        {.kind = Schedule::Kind::random, .seed = options.seed + static_cast<std::uint64_t>(i)});
  return rungs;
}

/// Looks for a shorter schedule that shows the same failure as the exploration's, and puts it, with
/// its report, in place. The ladder rises from the simplest schedules, and what ran before has
/// passed, so that none of it is tried again.
class Shrinker {
 public:
  Shrinker(std::function<bool()> const& body, int most_runs, Exploration& exploration)
      : body_(body), runs_left_(most_runs), exploration_(exploration) {}

  /// @param rungs   the ladder
  /// @param failed  the rung that failed
  void shrink(std::vector<simulator::Schedule> const& rungs, std::size_t failed) {
    using Kind = simulator::Schedule::Kind;
    std::string const first = exploration_.schedule;
    best_ = simulator::parse_schedule(first);
    passed_ = std::span(rungs).first(failed);
    simulator::Schedule const in_order{.serial = true};
    if (!best_.serial || !shows_under(in_order)) {
      if (best_.kind == Kind::steps) drop_steps();
      if (best_.kind == Kind::pct) lower_depth_and_seed();
      if (best_.kind == Kind::random) lower_seed();
    }
    if (exploration_.schedule != first)
      exploration_.shrunk_from = simulator::to_string(rungs[failed]);
  }

 private:
  /// Takes over a schedule under which the same failure shows.
  bool shows_under(simulator::Schedule const& candidate) {
    if (runs_left_ <= 0 || has_passed(candidate)) return false;
    --runs_left_;
    Exploration again;
    if (survives(body_, candidate, again) || again.id != exploration_.id) return false;
    best_ = simulator::parse_schedule(again.schedule);
    exploration_.schedule = again.schedule;
    exploration_.report = again.report;
    return true;
  }

  bool has_passed(simulator::Schedule schedule) const {
    schedule.cluster.reset();  // a cluster's order does not depend on the others'
    return std::find(passed_.begin(), passed_.end(), schedule) != passed_.end();
  }

  /// Halves first, then quarters, at last one by one until none can go.
  void drop_steps() {
    std::size_t length = (best_.steps.size() + 1) / 2;
    while (runs_left_ > 0 && best_.steps.size() > 1) {
      bool const dropped = drop_once(length);
      if (length == 1 && !dropped) return;
      length = std::max<std::size_t>(1, std::min(length, best_.steps.size()) / 2);
    }
  }

  /// Tries to drop each run of `length` steps. @return whether one could go
  bool drop_once(std::size_t length) {
    bool dropped = false;
    // Later steps first: they are the likeliest to come after the cause.
    std::size_t end = best_.steps.size();
    while (end > 0 && best_.steps.size() > 1) {
      std::size_t const begin = end > length ? end - length : 0;
      simulator::Schedule candidate = best_;
      auto const steps = candidate.steps.begin();
      candidate.steps.erase(steps + static_cast<std::ptrdiff_t>(begin),
                            steps + static_cast<std::ptrdiff_t>(end));
      if (!candidate.steps.empty() && shows_under(candidate)) dropped = true;
      end = std::min(begin, best_.steps.size());
    }
    return dropped;
  }

  void lower_depth_and_seed() {
    simulator::Schedule candidate = best_;
    int const depth = best_.depth;
    for (candidate.depth = 1; candidate.depth < depth; ++candidate.depth)
      if (shows_under(candidate)) break;
    lower_seed();
  }

  void lower_seed() {
    constexpr std::uint64_t most_seeds = 16;
    simulator::Schedule const failing = best_;
    for (std::uint64_t seed = 0; seed < std::min(failing.seed, most_seeds); ++seed) {
      simulator::Schedule candidate = failing;
      candidate.seed = seed;
      if (shows_under(candidate)) return;
    }
  }

  std::function<bool()> const& body_;
  int runs_left_;
  Exploration& exploration_;
  simulator::Schedule best_;
  std::span<simulator::Schedule const> passed_;
};

}  // namespace Impl

/// Runs `body`, which launches kernels on Simulators of its own making and checks what they did,
/// under the ladder of schedules: rank, reverse, each team last, each team first to end, PCT,
/// random. Stops at the first schedule under which it throws or returns false, and looks for a
/// shorter one that shows the same. Where KOHORT_SIM_SCHEDULE is set, that one alone is run: so the
/// line that a report prints replays it.
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
  std::vector<simulator::Schedule> rungs = Impl::ladder(facts, options);
  for (simulator::Schedule& rung : rungs) rung.serial = exploration.ran_serially;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    if (Impl::survives(body, rungs[i], exploration)) continue;
    Impl::Shrinker(body, options.most_shrink_runs, exploration).shrink(rungs, i);
    return exploration;
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
