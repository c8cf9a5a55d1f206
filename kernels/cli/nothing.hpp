// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

namespace kohort::cli {

/// Stands for a kernel of which only the teams an SM matter.
struct Nothing {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const&) const {}
};

using PolicyOfNothing = ClusterPolicy<UnitTarget, DynamicTeamScratch<char>>;

/// @param scratch  bytes of a team
inline PolicyOfNothing policy_of_nothing(UnitTarget const& target, int cluster, int threads,
                                         int scratch) {
  PolicyOfNothing policy(target, League(cluster), threads, ClusterShape(cluster));
  policy.dynamic_team_scratch(scratch).allow_nonportable_size();
  return policy;
}

}  // namespace kohort::cli
