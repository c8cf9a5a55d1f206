// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: only cluster scratch can be mapped
#include <kohort/kohort.hpp>

using Policy =
    kohort::ClusterPolicy<kohort::Simulator, kohort::TeamScratch<int>, kohort::ClusterScratch<int>>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "peer_of_team_scratch", Policy(target, 2, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        *member.peer(member.cluster_scratch(), 0) = 1;
#else
        member.peer(member.team_scratch(), 0);
#endif
      });
}
