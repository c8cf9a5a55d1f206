// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the policy has no DynamicClusterScratch trait
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::DynamicTeamScratch<int>>;

void launch(kohort::Simulator const& target) {
  Policy policy(target, 8, 32);
#ifdef KOHORT_CONTROL
  policy.dynamic_team_scratch(4);
#else
  policy.dynamic_cluster_scratch(4);
#endif
}
