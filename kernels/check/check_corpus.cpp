// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/check/verdicts.hpp>
#include <kernels/cli/commands.hpp>

#include <tests/detect/corpus/case.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace kohort::check {
namespace {

using Case = detect::FaultCase<Simulator>;
using KernelFunction = void (*)(Simulator const&);

constexpr char const* named_schedules[] = {"rank",         "reverse",      "last:0",   "last:1",
                                           "exit-first:0", "exit-first:1", "random:7", "pct:3:5"};

void explore_fault(Case const& one, CaseVerdict& verdict) {
  bool is_refused = false;
  testing::Exploration const found = testing::explore([&] {
    try {
      one.faulty(Simulator({.profile = one.profile}));
    } catch (LaunchError const&) {
      is_refused = true;
      throw;
    }
  });
  if (found.ok) return;
  verdict.id = is_refused ? "launch-refused" : found.id.empty() ? "exception" : found.id;
  verdict.schedule = found.schedule;
  verdict.report = found.report;
}

/// What is said of a kernel under one schedule; "" for nothing.
std::string said_of(KernelFunction kernel, Case const& one, std::string const& schedule) {
  try {
    kernel(Simulator({.profile = one.profile, .schedule = schedule}));
    return "";
  } catch (Finding const& finding) {
    return finding.id();
  } catch (LaunchError const&) {
    return "launch-refused";
  } catch (std::exception const& exception) {
    return exception.what();
  }
}

/// A control is its own twin.
std::string said_of_twin(Case const& one) {
  KernelFunction const twin = one.repaired != nullptr ? one.repaired : one.faulty;
  if (one.repaired == nullptr && !one.expected.empty()) return "";
  for (char const* schedule : named_schedules) {
    std::string const said = said_of(twin, one, schedule);
    if (!said.empty()) return fmt::format("{} under {}", said, schedule);
  }
  return "";
}

CaseVerdict check_case(Case const& one) {
  CaseVerdict verdict;
  verdict.name = one.name;
  verdict.kind = one.kind;
  verdict.source = one.source;
  verdict.expected = one.expected;
  verdict.missed_because = one.missed_because;
  simulator::set_replay_arguments("check --faults --case " + one.name);
  explore_fault(one, verdict);
  verdict.twin = said_of_twin(one);
  return verdict;
}

/// Letters to insert, delete or replace (Levenshtein).
std::size_t distance(std::string const& one, std::string const& other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      std::size_t const replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

[[noreturn]] void refuse_case(std::string const& name, std::vector<Case> const& cases) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (Case const& one : cases) near.emplace_back(distance(name, one.name), one.name);
  std::sort(near.begin(), near.end());
  std::string text = fmt::format(
      "--case {}: the corpus has no such case; the nearest of its {} names are", name, near.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(5, near.size()); ++i)
    text += "\n  " + near[i].second;
  throw cli::UsageError(text + "\n`kohort check --faults` prints them all");
}

}  // namespace

std::vector<CaseVerdict> check_corpus(Request const& request, cli::Progress& progress) {
  std::vector<Case> cases = detect::corpus<Simulator>();
  if (!request.only_case.empty()) {
    auto const found = std::find_if(cases.begin(), cases.end(),
                                    [&](Case const& one) { return one.name == request.only_case; });
    if (found == cases.end()) refuse_case(request.only_case, cases);
    cases = {*found};
  }
  std::stable_sort(cases.begin(), cases.end(),
                   [](Case const& one, Case const& other) { return one.kind < other.kind; });
  std::vector<CaseVerdict> verdicts;
  for (Case const& one : cases) {
    progress.show(fmt::format("case {} of {}: {}", verdicts.size() + 1, cases.size(), one.name));
    verdicts.push_back(check_case(one));
  }
  return verdicts;
}

}  // namespace kohort::check
