// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a nested reduction runs over TeamThreadRange or ClusterThreadRange
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "nested_reduction_over_a_subgroup", Policy(target, 2, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        int sum = 0;
        kohort::parallel_reduce(
            kohort::TeamThreadRange(member, 8), [](int i, int& update) { update += i; }, sum);
#else
        int sum = 0;
        kohort::parallel_reduce(
            kohort::SubgroupLaneRange(member, 8), [](int i, int& update) { update += i; }, sum);
#endif
      });
}
