// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random_program.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

/// Works out from a log which accesses raced, by the definition: for every pair, whether one
/// happened before the other. It shares no code and no data structure with the checker.
namespace kohort::detect {

/// An access that races with an earlier one in 4 bytes: its event, and those bytes.
using RacyAccess = std::pair<std::size_t, std::uintptr_t>;

/// With whom: the other's cluster, team and thread, and whether both are atomics of a scope that is
/// too narrow.
using Partner = std::tuple<int, int, int, bool>;

struct Expected {
  std::set<RacyAccess> races;
  std::set<std::pair<RacyAccess, Partner>> partners;
  /// Accesses to a peer that nobody knew to have started.
  std::set<std::size_t> too_early;
  /// (cluster, team, thread, owner): the owner's end did not wait for all of the thread's accesses.
  std::set<std::tuple<int, int, int, int>> too_late;
};

Expected expected_of(Program const& program, std::vector<Event> const& events);

}  // namespace kohort::detect
