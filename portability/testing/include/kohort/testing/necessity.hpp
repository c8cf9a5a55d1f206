// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/necessity.hpp>
#include <kohort/testing/explore.hpp>

#include <functional>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace kohort::testing {

/// What one barrier of a kernel is good for.
struct BarrierVerdict {
  simulator::BarrierSite site;
  bool is_necessary = false;
  int schedules = 0;    ///< tried without its ordering
  std::string reveals;  ///< of a necessary one: the id of what its absence lets happen
  std::string report;   ///< and the report

  friend std::ostream& operator<<(std::ostream& stream, BarrierVerdict const& verdict) {
    stream << to_string(verdict.site.kind) << " at " << verdict.site.file << ":"
           << verdict.site.line;
    if (verdict.is_necessary) return stream << " is necessary: without it, " << verdict.reveals;
    return stream << " orders no pair of accesses in " << verdict.schedules << " schedules";
  }
};

struct BarrierNecessity {
  /// The kernel as it is: where it is not clean, nothing is said of its barriers.
  Exploration as_it_is;
  std::vector<BarrierVerdict> barriers;  ///< by file and line

  std::vector<BarrierVerdict> redundant() const {
    std::vector<BarrierVerdict> found;
    for (BarrierVerdict const& verdict : barriers)
      if (!verdict.is_necessary) found.push_back(verdict);
    return found;
  }
  friend std::ostream& operator<<(std::ostream& stream, BarrierNecessity const& necessity) {
    if (!necessity.as_it_is.ok) return stream << necessity.as_it_is;
    for (BarrierVerdict const& verdict : necessity.barriers) stream << verdict << "\n";
    return stream;
  }
};

/// Asks of every barrier in the kernels of `body` whether it orders anything: the body is run again
/// and again in mode check, each time with the ordering of one barrier's site taken out of the
/// happens-before relation, though threads still wait there. A barrier whose absence lets no race
/// and no end of life too early happen is redundant on what the body runs, given the others: of two
/// in a row each is, and only one may go.
///
/// @param body  launches kernels on Simulators of mode check, as explore()'s
inline BarrierNecessity barrier_necessity(std::function<bool()> const& body,
                                          ExploreOptions options = {}) {
  BarrierNecessity necessity;
  options.most_shrink_runs = 0;
  simulator::take_barrier_sites();
  necessity.as_it_is = explore(body, options);
  if (!necessity.as_it_is.ok) return necessity;
  for (simulator::BarrierSite const& site : simulator::take_barrier_sites()) {
    simulator::IgnoredBarrier const ignored(site);
    Exploration const without = explore(body, options);
    necessity.barriers.push_back(
        {site, !without.ok, without.schedules, without.id, without.report});
  }
  return necessity;
}

/// The same for a body that tells of failure by throwing alone.
template <class Body>
requires std::is_void_v<std::invoke_result_t<Body const&>> BarrierNecessity
barrier_necessity(Body const& body, ExploreOptions const& options = {}) {
  return barrier_necessity(std::function<bool()>([&body] {
                             body();
                             return true;
                           }),
                           options);
}

}  // namespace kohort::testing
