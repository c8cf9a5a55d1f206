// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: atomics take 32- and 64-bit integers, float and double
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "atomic_on_16_bits", Policy(target, 2, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        int cell = 0;
        kohort::atomic_add(&cell, 1);
        (void)member;
#else
                         short cell = 0;
                         kohort::atomic_add(&cell, 1);
                         (void)member;
#endif
      });
}
