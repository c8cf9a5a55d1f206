// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/check/verdicts.hpp>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace kohort::check {
namespace {

using testing::BarrierVerdict;

/// The last two parts of the file's name, as in a report.
std::string place_of(simulator::BarrierSite const& site) {
  std::size_t cut = site.file.rfind('/');
  if (cut != std::string::npos && cut > 0) cut = site.file.rfind('/', cut - 1);
  return fmt::format("{}:{}", site.file.substr(cut == std::string::npos ? 0 : cut + 1), site.line);
}

/// What its absence lets happen; a run that fails without a finding has a wrong result.
std::string revealed_by(BarrierVerdict const& one) {
  return one.reveals.empty() && one.is_necessary ? "wrong-result" : one.reveals;
}

std::string text_of(BarrierVerdict const& one) {
  if (one.is_necessary) return "necessary: without it, " + revealed_by(one);
  return fmt::format("orders no pair of accesses in {} schedule{}", one.schedules,
                     one.schedules == 1 ? "" : "s");
}

void print_table(NecessityVerdict const& verdict) {
  std::vector<BarrierVerdict> const& barriers = verdict.barriers;
  if (barriers.empty()) return fmt::print("\nno barrier was met\n");
  std::size_t width = 2;
  for (BarrierVerdict const& one : barriers) width = std::max(width, place_of(one.site).size());
  fmt::print("\n{:<16}  {:<{}}  {}\n", "barrier", "at", width, "verdict");
  for (BarrierVerdict const& one : barriers)
    fmt::print("{:<16}  {:<{}}  {}\n", to_string(one.site.kind), place_of(one.site), width,
               text_of(one));
  if (!verdict.is_good())
    fmt::print("\nWhat orders nothing here may be needed under other flags, or if another goes.\n");
}

void print_json(std::vector<BarrierVerdict> const& barriers) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (BarrierVerdict const& one : barriers)
    list.push_back({{"kind", to_string(one.site.kind)},
                    {"file", one.site.file},
                    {"line", one.site.line},
                    {"necessary", one.is_necessary},
                    {"reveals", revealed_by(one)},
                    {"schedules", one.schedules}});
  fmt::print("{}\n", list.dump(2));
}

}  // namespace

void print(NecessityVerdict const& verdict, Request const& request) {
  testing::Exploration const& as_it_is = verdict.as_it_is.exploration;
  if (!request.json) {
    print(verdict.as_it_is, request);
    if (as_it_is.ok) print_table(verdict);
    return;
  }
  print_json(verdict.barriers);
  // The list has no place for what is wrong with the kernel itself.
  if (!as_it_is.ok) fmt::print(stderr, "{}\n", as_it_is.report);
}

}  // namespace kohort::check
