// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "knowledge.hpp"

#include <algorithm>
#include <tuple>

namespace kohort::simulator {

bool Prefixes::Lanes::is_before(Lanes const& other) const {
  return std::tie(team, group, reads_only) < std::tie(other.team, other.group, other.reads_only);
}

bool Prefixes::Lanes::is_of(Lanes const& other) const {
  return !is_before(other) && !other.is_before(*this);
}

bool Prefixes::lanes_know(Segment const& segment, int lane, bool reads) const {
  Lanes wanted;
  wanted.team = segment.team;
  wanted.group = segment.group;
  wanted.reads_only = reads;
  auto const found =
      std::lower_bound(lanes_.begin(), lanes_.end(), wanted,
                       [](Lanes const& a, Lanes const& b) { return a.is_before(b); });
  return found != lanes_.end() && found->is_of(wanted) && segment.ticks <= found->ticks[lane];
}

Prefixes::Lanes& Prefixes::lanes_of(Lanes const& like) {
  auto const found =
      std::lower_bound(lanes_.begin(), lanes_.end(), like,
                       [](Lanes const& a, Lanes const& b) { return a.is_before(b); });
  if (found != lanes_.end() && found->is_of(like)) return *found;
  Lanes fresh;
  fresh.team = like.team;
  fresh.group = like.group;
  fresh.reads_only = like.reads_only;
  return *lanes_.insert(found, fresh);
}

bool Prefixes::knows_of(int team) const {
  return has_passed_a_phase_ || barriers_[static_cast<std::size_t>(team)] > 0 ||
         std::any_of(lanes_.begin(), lanes_.end(),
                     [&](Lanes const& lanes) { return lanes.team == team && !lanes.reads_only; });
}

void Prefixes::join(Prefixes const& other) {
  has_passed_a_phase_ |= other.has_passed_a_phase_;
  arrivals_ = std::max(arrivals_, other.arrivals_);
  read_arrivals_ = std::max(read_arrivals_, other.read_arrivals_);
  if (barriers_.size() < other.barriers_.size()) barriers_.resize(other.barriers_.size());
  for (std::size_t team = 0; team < other.barriers_.size(); ++team)
    barriers_[team] = std::max(barriers_[team], other.barriers_[team]);
  for (Lanes const& theirs : other.lanes_) {
    Lanes& mine = lanes_of(theirs);
    for (int lane = 0; lane < group_lanes; ++lane)
      mine.ticks[lane] = std::max(mine.ticks[lane], theirs.ticks[lane]);
  }
}

void Prefixes::pass_cluster_barrier(std::uint32_t arrivals, bool reads_only) {
  if (!reads_only) arrivals_ = std::max(arrivals_, arrivals);
  read_arrivals_ = std::max(read_arrivals_, arrivals);
}

void Prefixes::pass_team_barrier(int team, std::uint32_t barriers) {
  barriers_[static_cast<std::size_t>(team)] = barriers;
  if (!lanes_.empty()) forget_lanes_of(team);
}

void Prefixes::learn(Segment const& of, int lane, std::uint32_t ticks, bool reads_only) {
  Lanes like;
  like.team = of.team;
  like.group = of.group;
  like.reads_only = reads_only;
  std::uint32_t& known = lanes_of(like).ticks[lane];
  known = std::max(known, ticks);
}

void Prefixes::forget_lanes_of(int team) {
  std::erase_if(lanes_, [&](Lanes const& lanes) { return lanes.team == team; });
}

void Prefixes::forget_lanes_below(std::span<std::uint32_t const> ticks, int team_groups) {
  std::erase_if(lanes_, [&](Lanes const& lanes) {
    std::size_t const first =
        static_cast<std::size_t>(lanes.team * team_groups + lanes.group) * group_lanes;
    for (std::size_t lane = 0; lane < group_lanes; ++lane)
      if (lanes.ticks[lane] > ticks[first + lane]) return false;
    return true;
  });
}

Published joined(Published const& one, Published const& other) {
  if (other == nullptr || other == one) return one;
  if (one == nullptr) return other;
  auto both = std::make_shared<std::map<std::uint32_t, Prefixes>>(*one);
  for (auto const& [cluster, prefixes] : *other) (*both)[cluster].join(prefixes);
  return both;
}

void Knowledge::join(Knowledge const& other) {
  own.join(other.own);
  others = joined(others, other.others);
}

/// A worker's own numbers suffice: contents of one cluster are compared only.
std::uint64_t Knowledge::next_content() {
  static thread_local std::uint64_t last = 0;
  return ++last;
}

Knowledge& KnowledgeHandle::own(int users) {
  if (knowledge_->users != users) {
    auto* const copy = new Knowledge(*knowledge_);
    copy->users = 0;
    *this = KnowledgeHandle(copy);
  }
  knowledge_->content = Knowledge::next_content();
  return *knowledge_;
}

}  // namespace kohort::simulator
