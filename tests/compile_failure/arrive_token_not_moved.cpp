// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: cannot bind rvalue reference
#include <kohort/kohort.hpp>

#include <utility>

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "arrive_token_not_moved", Policy(target, 2, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        auto token = member.cluster_arrive();
        member.cluster_wait(std::move(token));
#else
        auto token = member.cluster_arrive();
        member.cluster_wait(token);
#endif
      });
}
