// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: what is added is bf16, fp16, float, double, or integers of 32 or 64 bits
#include <kohort/kohort.hpp>

#include <cstdint>

#ifdef KOHORT_CONTROL
using Element = std::int32_t;
#else
using Element = std::int8_t;
#endif

struct alignas(128) Box {
  Element elements[32 * 8];
};
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::TeamScratch<Box>>;

void launch(kohort::Simulator const& target,
            kohort::TileMap<Element, 2, kohort::Simulator> const& map) {
  kohort::parallel_for(
      "tile_add_of_bytes", Policy(target, 1, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
        Box& box = member.team_scratch();
        for (int i = member.team_rank(); i < 32 * 8; i += 32) box.elements[i] = 1;
        member.team_barrier(kohort::before_transfer);
        if (member.team_rank() == 0) {
          member.tile_add_async(map, {0, 0}, box.elements);
          member.wait_stores();
        }
      });
}
