// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/check/verdicts.hpp>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace kohort::check {
namespace {

using Verdicts = std::vector<CaseVerdict>;

/// The widest text of a column, its heading included.
template <class Text>
std::size_t width(Verdicts const& verdicts, std::string const& heading, Text text) {
  std::size_t widest = heading.size();
  for (CaseVerdict const& one : verdicts) widest = std::max(widest, text(one).size());
  return widest;
}

std::string or_dash(std::string const& text) { return text.empty() ? "-" : text; }

/// Dozens of steps have no room in a table; --json and --case show them.
std::string short_schedule(CaseVerdict const& one) {
  constexpr std::size_t most = 40;
  std::string const text = or_dash(one.schedule);
  return text.size() <= most ? text : text.substr(0, most) + "…";
}

void print_table(Verdicts const& verdicts) {
  auto const name = width(verdicts, "case", [](CaseVerdict const& one) { return one.name; });
  auto const id =
      std::max(width(verdicts, "expected", [](CaseVerdict const& one) { return one.expected; }),
               width(verdicts, "found", [](CaseVerdict const& one) { return one.id; }));
  std::string kind = "";
  for (CaseVerdict const& one : verdicts) {
    if (kind != one.kind) {
      fmt::print("{}{:<{}}  {:<8}  {:<{}}  {:<{}}  {:<10}  {}\n", kind.empty() ? "" : "\n", "case",
                 name, "kind", "expected", id, "found", id, "twin clean", "schedule");
      kind = one.kind;
    }
    fmt::print("{:<{}}  {:<8}  {:<{}}  {:<{}}  {:<10}  {}\n", one.name, name, one.kind,
               or_dash(one.expected), id, or_dash(one.id), id, one.twin.empty() ? "yes" : "NO",
               short_schedule(one));
  }
}

struct Totals {
  int cases = 0;
  int found = 0;
  int missed = 0;
  int falsely_reported = 0;

  void add(CaseVerdict const& one) {
    cases += 1;
    found += one.is_found();
    missed += one.is_missed();
    falsely_reported += one.is_falsely_reported();
  }
};

void print_totals(Verdicts const& verdicts) {
  std::map<std::string, Totals> kinds;
  Totals all;
  for (CaseVerdict const& one : verdicts) {
    kinds[one.kind].add(one);
    all.add(one);
  }
  auto const row = [](std::string const& kind, Totals const& totals) {
    fmt::print("{:<8}  {:>5}  {:>5}  {:>6}  {:>16}\n", kind, totals.cases, totals.found,
               totals.missed, totals.falsely_reported);
  };
  fmt::print("\n{:<8}  {:>5}  {:>5}  {:>6}  {:>16}\n", "kind", "cases", "found", "missed",
             "falsely reported");
  for (auto const& [kind, totals] : kinds) row(kind, totals);
  if (kinds.size() > 1) row("all", all);
}

/// What is not as it should be, or known to be so.
void print_differences(Verdicts const& verdicts) {
  for (CaseVerdict const& one : verdicts) {
    if (one.is_missed())
      fmt::print("\n{}: missed{}\n", one.name,
                 one.missed_because.empty() ? "" : ", as known: " + one.missed_because);
    if (one.is_found() && !one.missed_because.empty())
      fmt::print("\n{}: found, although the case says: {}\n", one.name, one.missed_because);
    if (!one.twin.empty())
      fmt::print("\n{}: its {} is not clean: {}\n", one.name, one.is_fault() ? "twin" : "kernel",
                 one.twin);
    if (!one.id.empty() && (verdicts.size() == 1 || !one.is_as_expected()))
      fmt::print("\n{}\n", one.report);
  }
}

void print_json(Verdicts const& verdicts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (CaseVerdict const& one : verdicts) {
    nlohmann::ordered_json row = {{"id", one.id},
                                  {"case", one.name},
                                  {"kind", one.kind},
                                  {"source", one.source},
                                  {"expected", one.expected},
                                  {"found", one.is_found()},
                                  {"twin_clean", one.twin.empty()},
                                  {"schedule", one.schedule},
                                  {"as_expected", one.is_as_expected()}};
    if (!one.missed_because.empty()) row["missed_because"] = one.missed_because;
    list.push_back(row);
  }
  fmt::print("{}\n", list.dump(2));
}

}  // namespace

void print(Verdicts const& verdicts, Request const& request) {
  if (request.json) return print_json(verdicts);
  print_table(verdicts);
  print_totals(verdicts);
  print_differences(verdicts);
}

}  // namespace kohort::check
