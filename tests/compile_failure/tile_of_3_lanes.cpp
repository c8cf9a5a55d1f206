// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a subgroup tile has 2, 4, 8, 16, 32 or 64 lanes
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "tile_of_3_lanes", Policy(target, 2, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        (void)member.subgroup_tile<4>().thread_rank();
#else
                         (void)member.subgroup_tile<3>().thread_rank();
#endif
      });
}
