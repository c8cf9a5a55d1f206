// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "requirements.hpp"

#include "../check/cluster_check.hpp"
#include "../check/transfer_faults.hpp"
#include "../engine/launch_state.hpp"

#include <fmt/format.h>

namespace kohort::simulator {

void require_multiple(ThreadState& self, char const* what, std::uintptr_t value,
                      std::size_t alignment, Site site) {
  if (value % alignment != 0) report_transfer_alignment(self, what, alignment, site);
}

void require_aligned(ThreadState& self, char const* what, void const* address,
                     std::size_t alignment, Site site) {
  require_multiple(self, what, reinterpret_cast<std::uintptr_t>(address), alignment, site);
}

void require_scratch(ThreadState& self, char const* what, void const* scratch, std::size_t bytes,
                     Site site) {
  Arena const& arena = cluster_of(self).arena;
  auto const* const first = static_cast<std::byte const*>(scratch);
  bool const is_own = arena.contains(first) && arena.contains(first + bytes - 1) &&
                      first >= arena.block(self.team->rank) &&
                      arena.team_of(first) == self.team->rank &&
                      arena.team_of(first + bytes - 1) == self.team->rank;
  if (!is_own)
    report_transfer_scratch(self, fmt::format("{}, {} B", what, bytes),
                            "has to lie in the calling team's scratch", site);
}

void require_barrier(ThreadState& self, void const* barrier, void const* named, Site site) {
  ClusterState& cluster = cluster_of(self);
  if (cluster.arena.contains(named) && cluster.arena.team_of(named) != self.team->rank)
    report_remote_barrier(self, named, "a copy", site);
  PhasedBarrier const* const found = transfers_of(cluster).find(barrier);
  if (found == nullptr || (cluster.check != nullptr && !cluster.check->knows_init(*found)))
    report_uninitialised_barrier(self, barrier, found, "a copy", site);
  require_untouched(self, barrier, *found, "a copy", site);
}

void require_device(ThreadState& self, char const* what, void const* memory, Site site) {
  bool const is_null = memory == nullptr;
  if (is_null || cluster_of(self).arena.contains(memory))
    report_transfer_scratch(self, fmt::format("{}{}", what, is_null ? " is null" : ""),
                            "has to lie in device memory", site);
}

void require_tile_scratch(ThreadState& self, Tile const& tile, void const* scratch, Site site) {
  bool const is_widest = tile.swizzle == 3;
  require_aligned(self, is_widest ? "a tile's scratch with a swizzle of 128 B" : "a tile's scratch",
                  scratch, is_widest ? widest_swizzle_alignment : tile_alignment, site);
  require_scratch(self, "a tile's scratch", scratch, tile.box_bytes(), site);
}

void require_mapped(ThreadState& self, char const* what, void const* scratch, Site site) {
  Arena const& arena = cluster_of(self).arena;
  auto const offset =
      static_cast<std::size_t>(static_cast<std::byte const*>(scratch) - arena.begin());
  if (!arena.is_mapped(offset))
    report_transfer_scratch(self, what, "has to lie in cluster scratch: a peer's is meant", site);
}

}  // namespace kohort::simulator
