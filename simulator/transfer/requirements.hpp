// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transfer_table.hpp"

#include <cstddef>
#include <cstdint>

/// What a copy needs of the places that it names: each ends in a report where it is not so.
namespace kohort::simulator {

constexpr std::size_t bulk_alignment = 16;
constexpr std::size_t tile_alignment = 128;
constexpr std::size_t widest_swizzle_alignment = 1024;

void require_multiple(ThreadState& self, char const* what, std::uintptr_t value,
                      std::size_t alignment, Site site);
void require_aligned(ThreadState& self, char const* what, void const* address,
                     std::size_t alignment, Site site);
/// `bytes` from `scratch` on are the calling team's own.
void require_scratch(ThreadState& self, char const* what, void const* scratch, std::size_t bytes,
                     Site site);
void require_tile_scratch(ThreadState& self, Tile const& tile, void const* scratch, Site site);
/// @param named  what the caller wrote: of a push, its own twin of `barrier`
void require_barrier(ThreadState& self, void const* barrier, void const* named, Site site);
/// A copy's other end: no null pointer, and no scratch.
void require_device(ThreadState& self, char const* what, void const* memory, Site site);

}  // namespace kohort::simulator
