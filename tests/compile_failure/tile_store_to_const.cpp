// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a map of const elements is loaded from, not stored to
#include <kohort/kohort.hpp>

#ifdef KOHORT_CONTROL
using Element = float;
#else
using Element = float const;
#endif

struct alignas(128) Box {
  float elements[32 * 8];
};
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::TeamScratch<Box>>;

void launch(kohort::Simulator const& target,
            kohort::TileMap<Element, 2, kohort::Simulator> const& map) {
  kohort::parallel_for(
      "tile_store_to_const", Policy(target, 1, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
        Box& box = member.team_scratch();
        for (int i = member.team_rank(); i < 32 * 8; i += 32) box.elements[i] = 1;
        member.team_barrier(kohort::before_transfer);
        if (member.team_rank() == 0) {
          member.tile_store_async(map, {0, 0}, box.elements);
          member.wait_stores();
        }
      });
}
