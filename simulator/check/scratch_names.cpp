// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scratch_names.hpp"

#include "../engine/launch_state.hpp"

#include <fmt/format.h>

namespace kohort::simulator {

std::string name_of_scratch(ClusterState const& cluster, std::byte const* address, int accessor) {
  int const owner = cluster.arena.team_of(address);
  std::string const whose = accessor == owner ? "" : fmt::format("team {}'s ", owner);
  std::ptrdiff_t const in_block = address - cluster.arena.block(owner);
  ScratchObject const* nearest = nullptr;
  for (ScratchObject const& object : cluster.launch->shape().scratch_objects)
    if (nearest == nullptr || static_cast<std::ptrdiff_t>(object.offset) <= in_block)
      nearest = &object;
  if (nearest == nullptr) return whose + "scratch, of which the policy has none";
  std::ptrdiff_t const at = in_block - static_cast<std::ptrdiff_t>(nearest->offset);
  auto const bytes = static_cast<std::ptrdiff_t>(nearest->bytes);
  auto const element = static_cast<std::ptrdiff_t>(nearest->element_bytes);
  if (at < 0) return fmt::format("{} B before {}{}", -at, whose, nearest->name);
  if (at >= bytes + static_cast<std::ptrdiff_t>(Arena::gap))
    return whose + "the library's collective storage";
  if (bytes == element) return fmt::format("{}{} byte {} of {}", whose, nearest->name, at, bytes);
  std::string text = fmt::format("{}{} [{}]", whose, nearest->name, at / element);
  if (at % element != 0) text += fmt::format(" byte {}", at % element);
  if (at >= bytes) text += fmt::format(" of {}", bytes / element);
  return text;
}

}  // namespace kohort::simulator
