// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: use of deleted function
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "member_copied", Policy(target, 2, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        auto const& same = member;
        same.team_barrier();
#else
                         auto copy = member;
                         copy.team_barrier();
#endif
      });
}
