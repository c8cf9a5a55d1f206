// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "prefixes.hpp"

#include <array>
#include <cstdint>
#include <memory>

namespace kohort::simulator {

/// What a release makes known, by the cluster's number: a tree that never changes, so that it may
/// reach other workers, and of which a later one shares what is the same. A grid's barrier hands on
/// what a thousand clusters did, a thousand times.
class PublishedNode {
 public:
  static constexpr unsigned bits = 4;
  static constexpr unsigned levels = 8;  ///< 32 bits of a cluster's number

  std::array<std::shared_ptr<PublishedNode const>, 1U << bits> children;
  std::shared_ptr<Prefixes const> prefixes;  ///< of a leaf
};
using Published = std::shared_ptr<PublishedNode const>;

/// Of both what either says.
Published joined(Published const& one, Published const& other);
/// The same with `prefixes` in place of what was said of `cluster`.
Published with(Published const& all, std::uint32_t cluster, Prefixes const& prefixes);
/// Null: nothing is said of it.
Prefixes const* find(Published const& all, std::uint32_t cluster);

}  // namespace kohort::simulator
