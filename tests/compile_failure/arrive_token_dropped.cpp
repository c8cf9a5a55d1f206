// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: pass it to cluster_wait(): an arrive without a wait breaks the next barrier
#include <kohort/kohort.hpp>

#include <utility>

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "arrive_token_dropped", Policy(target, 2, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        member.cluster_wait(member.cluster_arrive());
#else
        member.cluster_arrive();
#endif
      });
}
