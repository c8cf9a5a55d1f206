// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "published.hpp"

namespace kohort::simulator {
namespace {

unsigned slot_of(std::uint32_t cluster, unsigned level) {
  return cluster >> (PublishedNode::levels - 1 - level) * PublishedNode::bits &
         ((1U << PublishedNode::bits) - 1U);
}

std::shared_ptr<Prefixes const> joined(std::shared_ptr<Prefixes const> const& one,
                                       std::shared_ptr<Prefixes const> const& other) {
  if (other->is_known_in(*one)) return one;
  if (one->is_known_in(*other)) return other;
  auto both = std::make_shared<Prefixes>(*one);
  both->join(*other);
  return both;
}

Published with(Published const& all, std::uint32_t cluster, Prefixes const& prefixes,
               unsigned level) {
  auto changed =
      all == nullptr ? std::make_shared<PublishedNode>() : std::make_shared<PublishedNode>(*all);
  if (level == PublishedNode::levels) {
    changed->prefixes = std::make_shared<Prefixes>(prefixes);
  } else {
    Published& child = changed->children[slot_of(cluster, level)];
    child = with(child, cluster, prefixes, level + 1);
  }
  return changed;
}

}  // namespace

Published joined(Published const& one, Published const& other) {
  if (other == nullptr || other == one) return one;
  if (one == nullptr) return other;
  PublishedNode both;
  if (one->prefixes != nullptr) both.prefixes = joined(one->prefixes, other->prefixes);
  bool is_one = both.prefixes == one->prefixes;
  bool is_other = both.prefixes == other->prefixes;
  for (std::size_t slot = 0; slot < both.children.size(); ++slot) {
    both.children[slot] = joined(one->children[slot], other->children[slot]);
    is_one &= both.children[slot] == one->children[slot];
    is_other &= both.children[slot] == other->children[slot];
  }
  if (is_one) return one;
  if (is_other) return other;
  return std::make_shared<PublishedNode>(std::move(both));
}

Published with(Published const& all, std::uint32_t cluster, Prefixes const& prefixes) {
  return with(all, cluster, prefixes, 0);
}

Prefixes const* find(Published const& all, std::uint32_t cluster) {
  PublishedNode const* node = all.get();
  for (unsigned level = 0; node != nullptr && level < PublishedNode::levels; ++level)
    node = node->children[slot_of(cluster, level)].get();
  return node == nullptr ? nullptr : node->prefixes.get();
}

}  // namespace kohort::simulator
