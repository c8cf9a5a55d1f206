// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/simulator/schedule.hpp>

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <mutex>

namespace kohort::simulator {
namespace {

constexpr std::string_view forms =
    "rank, reverse, last:R, exit-first:R, eager, late, random:SEED, pct:D:SEED, serial:SCHEDULE, "
    "replay:[serial:]CLUSTER:SCHEDULE, replay:[serial:]CLUSTER:steps:S1rT1-S2rT2";

/// Reads a schedule from left to right; every failure quotes the whole and the part.
class Parser {
 public:
  explicit Parser(std::string_view text) : whole_(text), rest_(text) {}

  Schedule parse() {
    Schedule schedule;
    bool const replays = accept("replay:");
    schedule.serial = accept("serial:");
    if (replays) {
      schedule.cluster = number<int>("a cluster's index", ':');
      expect(':');
    }
    parse_order(schedule);
    if (!rest_.empty()) fail("nothing more", rest_);
    return schedule;
  }

 private:
  void parse_order(Schedule& schedule) {
    std::string_view const name = rest_.substr(0, rest_.find(':'));
    rest_.remove_prefix(name.size());
    if (name == "rank") {
      schedule.kind = Schedule::Kind::rank;
    } else if (name == "reverse") {
      schedule.kind = Schedule::Kind::reverse;
    } else if (name == "eager" || name == "late") {
      schedule.kind = name == "eager" ? Schedule::Kind::eager : Schedule::Kind::late;
    } else if (name == "last" || name == "exit-first") {
      schedule.kind = name == "last" ? Schedule::Kind::last : Schedule::Kind::exit_first;
      expect(':');
      schedule.rank = number<int>("a team's rank");
    } else if (name == "random") {
      schedule.kind = Schedule::Kind::random;
      expect(':');
      schedule.seed = number<std::uint64_t>("a seed");
    } else if (name == "pct") {
      parse_pct(schedule);
    } else if (name == "steps") {
      schedule.kind = Schedule::Kind::steps;
      expect(':');
      parse_steps(schedule);
    } else {
      fail("a schedule", name);
    }
  }

  void parse_pct(Schedule& schedule) {
    schedule.kind = Schedule::Kind::pct;
    expect(':');
    std::string_view const at = rest_;
    schedule.depth = number<int>("a depth from 1 to 64", ':');
    if (schedule.depth < 1 || schedule.depth > 64) fail("a depth from 1 to 64", at);
    expect(':');
    schedule.seed = number<std::uint64_t>("a seed");
  }

  void parse_steps(Schedule& schedule) {
    do {
      Schedule::Step step;
      std::string_view const at = rest_;
      step.decision = number<std::uint64_t>("a decision's number", 'r');
      expect('r');
      step.thread = number<int>("a thread of the cluster", '-');
      if (!schedule.steps.empty() && schedule.steps.back().decision >= step.decision)
        fail("decisions in rising order", at);
      schedule.steps.push_back(step);
    } while (accept("-"));
  }

  template <class Number>
  Number number(std::string_view what, char end = ':') {
    std::size_t const length = std::min(rest_.find(end), rest_.size());
    Number value{};
    auto const [stop, error] = std::from_chars(rest_.data(), rest_.data() + length, value);
    bool const negative = rest_.substr(0, 1) == "-";  // zero as well
    if (error != std::errc{} || stop != rest_.data() + length || length == 0 || negative)
      fail(what, rest_.substr(0, length));
    rest_.remove_prefix(length);
    return value;
  }

  bool accept(std::string_view prefix) {
    if (rest_.substr(0, prefix.size()) != prefix) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  void expect(char symbol) {
    if (!accept(std::string_view(&symbol, 1))) fail(fmt::format("'{}'", symbol), rest_);
  }

  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    throw ScheduleError(
        fmt::format("kohort: schedule \"{}\": expected {}, found \"{}\"\n  schedules are {}",
                    whole_, expected, found, forms));
  }

  std::string_view whole_;
  std::string_view rest_;
};

std::string order_text(Schedule const& schedule) {
  switch (schedule.kind) {
    case Schedule::Kind::rank:
      return "rank";
    case Schedule::Kind::reverse:
      return "reverse";
    case Schedule::Kind::last:
      return fmt::format("last:{}", schedule.rank);
    case Schedule::Kind::exit_first:
      return fmt::format("exit-first:{}", schedule.rank);
    case Schedule::Kind::random:
      return fmt::format("random:{}", schedule.seed);
    case Schedule::Kind::pct:
      return fmt::format("pct:{}:{}", schedule.depth, schedule.seed);
    case Schedule::Kind::eager:
      return "eager";
    case Schedule::Kind::late:
      return "late";
    case Schedule::Kind::steps:
      break;
  }
  std::string text = "steps:";
  for (Schedule::Step const& step : schedule.steps)
    text += fmt::format("{}{}r{}", text.back() == ':' ? "" : "-", step.decision, step.thread);
  return text;
}

struct Overriding {
  std::mutex mutex;
  std::optional<Schedule> schedule;
};

Overriding& overriding() {
  static Overriding one;
  return one;
}

}  // namespace

Schedule parse_schedule(std::string_view text) { return Parser(text).parse(); }

std::string to_string(Schedule const& schedule) {
  std::string text;
  if (schedule.cluster) text += "replay:";
  if (schedule.serial) text += "serial:";
  if (schedule.cluster) text += fmt::format("{}:", *schedule.cluster);
  return text + order_text(schedule);
}

ScheduleOverride::ScheduleOverride(Schedule schedule) {
  std::scoped_lock lock(overriding().mutex);
  overriding().schedule = std::move(schedule);
}

ScheduleOverride::~ScheduleOverride() {
  std::scoped_lock lock(overriding().mutex);
  overriding().schedule.reset();
}

std::optional<Schedule> overriding_schedule() {
  std::scoped_lock lock(overriding().mutex);
  return overriding().schedule;
}

}  // namespace kohort::simulator
