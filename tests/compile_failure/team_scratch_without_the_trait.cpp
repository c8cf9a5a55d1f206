// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the policy has no TeamScratch trait
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::ClusterScratch<int>>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "team_scratch_without_the_trait", Policy(target, 2, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        *member.cluster_scratch() = 1;
#else
        member.team_scratch() = 1;
#endif
      });
}
