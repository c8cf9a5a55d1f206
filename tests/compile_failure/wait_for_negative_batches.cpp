// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: no fewer than 0 batches can be left under way
#include <kohort/kohort.hpp>

#ifdef KOHORT_CONTROL
constexpr int pending = 0;
#else
constexpr int pending = -1;
#endif

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "wait_for_negative_batches", Policy(target, 1, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) { member.wait_stores<pending>(); });
}
