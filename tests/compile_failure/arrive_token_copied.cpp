// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: use of deleted function
#include <kohort/kohort.hpp>

#include <utility>

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "arrive_token_copied", Policy(target, 2, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        auto token = member.cluster_arrive();
        auto moved = std::move(token);
        member.cluster_wait(std::move(moved));
#else
        auto token = member.cluster_arrive();
        auto copy = token;
        member.cluster_wait(std::move(copy));
#endif
      });
}
