// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: only cluster scratch can be mapped
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::ClusterScratch<int>>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "peer_of_a_local", Policy(target, 2, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        *member.peer(member.cluster_scratch(), 0) = 1;
#else
                         int local[4] = {};
                         member.peer(local, 0);
#endif
      });
}
