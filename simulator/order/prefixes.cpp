// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prefixes.hpp"

#include <algorithm>
#include <tuple>

namespace kohort::simulator {
namespace {

void raise(std::vector<std::uint32_t>& mine, std::vector<std::uint32_t> const& theirs) {
  if (mine.size() < theirs.size()) mine.resize(theirs.size());
  for (std::size_t team = 0; team < theirs.size(); ++team)
    mine[team] = std::max(mine[team], theirs[team]);
}

bool is_at_most(std::vector<std::uint32_t> const& mine, std::vector<std::uint32_t> const& theirs) {
  if (mine.size() > theirs.size()) return false;
  return std::equal(mine.begin(), mine.end(), theirs.begin(),
                    [](std::uint32_t one, std::uint32_t other) { return one <= other; });
}

}  // namespace

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
  auto const at = static_cast<std::size_t>(team);
  return has_passed_a_phase_ || barriers_[at] > 0 ||
         (!read_barriers_.empty() && read_barriers_[at] > 0) ||
         std::any_of(lanes_.begin(), lanes_.end(),
                     [&](Lanes const& lanes) { return lanes.team == team && !lanes.reads_only; });
}

void Prefixes::join(Prefixes const& other) {
  has_passed_a_phase_ |= other.has_passed_a_phase_;
  arrivals_ = std::max(arrivals_, other.arrivals_);
  read_arrivals_ = std::max(read_arrivals_, other.read_arrivals_);
  raise(barriers_, other.barriers_);
  raise(read_barriers_, other.read_barriers_);
  for (Lanes const& theirs : other.lanes_) {
    Lanes& mine = lanes_of(theirs);
    for (int lane = 0; lane < group_lanes; ++lane)
      mine.ticks[lane] = std::max(mine.ticks[lane], theirs.ticks[lane]);
  }
  join_fenced(other);
}

void Prefixes::join_fenced(Prefixes const& other) {
  if (other.fenced_ == nullptr || other.fenced_ == fenced_) return;
  if (fenced_ == nullptr || fenced_->is_known_in(*other.fenced_)) {
    fenced_ = other.fenced_;
  } else if (!other.fenced_->is_known_in(*fenced_)) {
    auto both = std::make_shared<Prefixes>(*fenced_);
    both->join(*other.fenced_);
    fenced_ = std::move(both);
  }
}

Prefixes Prefixes::reads() const {
  Prefixes only(static_cast<int>(barriers_.size()));
  only.has_passed_a_phase_ = has_passed_a_phase_;
  only.read_arrivals_ = read_arrivals_;
  only.fenced_ = fenced_;
  only.read_barriers_ = barriers_;
  raise(only.read_barriers_, read_barriers_);
  for (Lanes const& lanes : lanes_) {
    Lanes like = lanes;
    like.reads_only |= !is_agent(lanes.group);
    Lanes& into = only.lanes_of(like);
    for (int lane = 0; lane < group_lanes; ++lane)
      into.ticks[lane] = std::max(into.ticks[lane], lanes.ticks[lane]);
  }
  return only;
}

void Prefixes::fence(Segment const& of, int lane, std::uint32_t ticks) {
  fenced_ = nullptr;
  auto all = std::make_shared<Prefixes>(*this);
  all->learn(of, lane, ticks, false);
  fenced_ = std::move(all);
}

bool Prefixes::is_known_in(Prefixes const& other) const {
  bool known = arrivals_ <= other.arrivals_ && read_arrivals_ <= other.read_arrivals_ &&
               has_passed_a_phase_ <= other.has_passed_a_phase_ &&
               is_at_most(barriers_, other.barriers_) &&
               is_at_most(read_barriers_, other.read_barriers_) && is_fenced_in(other);
  for (std::size_t i = 0; known && i < lanes_.size(); ++i) {
    Lanes const& mine = lanes_[i];
    auto const theirs = std::lower_bound(
        other.lanes_.begin(), other.lanes_.end(), mine,
        [](Lanes const& one, Lanes const& another) { return one.is_before(another); });
    known = theirs != other.lanes_.end() && theirs->is_of(mine) &&
            std::equal(mine.ticks, mine.ticks + group_lanes, theirs->ticks,
                       [](std::uint32_t one, std::uint32_t another) { return one <= another; });
  }
  return known;
}

bool Prefixes::is_fenced_in(Prefixes const& other) const {
  if (fenced_ == nullptr || fenced_ == other.fenced_) return true;
  return other.fenced_ != nullptr && fenced_->is_known_in(*other.fenced_);
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
  std::erase_if(lanes_,
                [&](Lanes const& lanes) { return lanes.team == team && !is_agent(lanes.group); });
}

void Prefixes::forget_lanes_below(std::span<std::uint32_t const> ticks, int team_threads) {
  std::erase_if(lanes_, [&](Lanes const& lanes) {
    if (is_agent(lanes.group)) return false;
    int const first = lanes.group * group_lanes;
    int const existing = std::min(group_lanes, team_threads - first);
    for (int lane = 0; lane < existing; ++lane) {
      auto const thread = static_cast<std::size_t>(lanes.team * team_threads + first + lane);
      if (lanes.ticks[lane] > ticks[thread]) return false;
    }
    return true;
  });
}

}  // namespace kohort::simulator
