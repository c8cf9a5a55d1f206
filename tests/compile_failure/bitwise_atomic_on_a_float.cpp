// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bitwise atomics take 32- and 64-bit integers
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "bitwise_atomic_on_a_float", Policy(target, 2, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        unsigned cell = 0;
        kohort::atomic_or(&cell, 1);
        (void)member;
#else
        float cell = 0;
        kohort::atomic_or(&cell, 1);
        (void)member;
#endif
      });
}
