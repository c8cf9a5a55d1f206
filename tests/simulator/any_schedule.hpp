// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/schedule.hpp>

#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <set>

namespace kohort::simulator {

/// Schedules that the text can tell: members of other kinds stay at their defaults.
inline rc::Gen<Schedule> any_schedule() {
  return rc::gen::exec([] {
    using Kind = Schedule::Kind;
    constexpr int largest = std::numeric_limits<int>::max();
    Schedule schedule;
    schedule.kind =
        *rc::gen::element(Kind::rank, Kind::reverse, Kind::last, Kind::exit_first, Kind::random,
                          Kind::pct, Kind::steps, Kind::eager, Kind::late);
    schedule.serial = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) schedule.cluster = *rc::gen::inRange(0, largest);
    switch (schedule.kind) {
      case Kind::last:
      case Kind::exit_first:
        schedule.rank = *rc::gen::inRange(0, largest);
        break;
      case Kind::pct:
        schedule.depth = *rc::gen::inRange(1, 65);
        [[fallthrough]];
      case Kind::random:
        schedule.seed = *rc::gen::arbitrary<std::uint64_t>();
        break;
      case Kind::steps:
        for (std::uint64_t const decision : *rc::gen::nonEmpty<std::set<std::uint64_t>>())
          schedule.steps.push_back({decision, *rc::gen::inRange(0, 16 * 1024)});
        break;
      default:
        break;
    }
    return schedule;
  });
}

}  // namespace kohort::simulator
