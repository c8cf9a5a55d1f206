// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/simulator/schedule.hpp>

#include "tests/simulator/any_schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace kohort::simulator {
namespace {

/// Any text is a schedule that keeps its meaning when it is written and read again, or a
/// ScheduleError that quotes it; nothing else. Returns whether it was a schedule.
bool parse_or_refuse(std::string const& text) {
  Schedule schedule;
  try {
    schedule = parse_schedule(text);
  } catch (ScheduleError const& error) {
    std::string const what = error.what();
    RC_ASSERT(what.rfind("kohort: schedule \"" + std::string(text.c_str()), 0) == 0U);
    return false;
  }
  RC_ASSERT(parse_schedule(to_string(schedule)) == schedule);
  RC_ASSERT(schedule.rank >= 0);
  RC_ASSERT(schedule.cluster.value_or(0) >= 0);
  RC_ASSERT(schedule.kind != Schedule::Kind::pct || (schedule.depth >= 1 && schedule.depth <= 64));
  return true;
}

RC_GTEST_PROP(ScheduleFuzz, SurvivesAnyBytes, (std::string const& text)) { parse_or_refuse(text); }

RC_GTEST_PROP(ScheduleFuzz, SurvivesAnyTokens, ()) {
  auto const tokens = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "rank", "reverse", "last", "exit-first", "eager", "late", "random", "pct", "replay", "serial",
      "steps", ":", ":", ":", "r", "-", "0", "7", "64", "65", "-1", "+1", "0x1", "2147483648",
      "18446744073709551616", " ", "\n", "\xff"));
  std::string text;
  for (std::string const& token : tokens) text += token;
  RC_CLASSIFY(parse_or_refuse(text), "accepted");
}

RC_GTEST_PROP(ScheduleFuzz, SurvivesBytesChangedInARightSchedule, ()) {
  std::string text = to_string(*any_schedule());
  int const changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    auto const at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text[at] = *rc::gen::arbitrary<char>();
        break;
      case 1:
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 5));
        break;
      default:
        text.insert(at, 1, *rc::gen::elementOf(std::string("0123456789:-r")));
        break;
    }
    if (text.empty()) break;
  }
  RC_CLASSIFY(parse_or_refuse(text), "accepted");
}

}  // namespace
}  // namespace kohort::simulator
