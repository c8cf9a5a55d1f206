// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster_order.hpp"

#include <algorithm>
#include <bit>

namespace kohort::simulator {

bool ClusterOrder::begin(std::uint32_t cluster, int teams, int team_threads,
                         SegmentSource& source) {
  cluster_ = cluster;
  teams_ = teams;
  team_threads_ = team_threads;
  team_groups_ = (team_threads + group_lanes - 1) / group_lanes;
  source_ = &source;
  ran_out_ = false;
  filling_ = complete_ = rejoined_ = KnowledgeHandle();
  agent_lanes_.clear();
  joined_.clear();
  phase_ = 0;
  first_after_arrival_ = complete_below_ = 0;
  released_ = reads_released_ = 0;
  std::size_t const groups = static_cast<std::size_t>(teams) * team_groups_;
  steps_.assign(groups, Step{});
  std::size_t const threads = static_cast<std::size_t>(teams) * team_threads;
  segments_.resize(threads);
  lanes_.resize(threads);
  arrived_with_.assign(threads, 0);
  released_ticks_.assign(threads, 0);
  reads_released_ticks_.assign(threads, 0);
  knowledge_.assign(threads, KnowledgeHandle(new Knowledge(teams)));
  std::size_t index = 0;
  for (int team = 0; team < teams; ++team) {
    for (int rank = 0; rank < team_threads; ++rank, ++index) {
      lanes_[index] = static_cast<std::uint8_t>(rank % group_lanes);
      segments_[index] =
          lanes_[index] != 0
              ? segments_[index - 1]
              : source.make({.cluster = cluster,
                             .team = static_cast<std::uint16_t>(team),
                             .group = static_cast<std::uint16_t>(rank / group_lanes)});
      if (segments_[index] == 0) ran_out_ = true;
    }
  }
  known_below_.assign(threads, segments_.front());
  return !ran_out_;
}

bool ClusterOrder::knows_foreign(ThreadOrder const& thread, Segment const& earlier,
                                 std::uint32_t lane, bool read) {
  Prefixes const* const known = find(thread.knowledge->others, earlier.cluster);
  if (known == nullptr) return false;
  return read ? known->knows_read(earlier, static_cast<int>(lane))
              : known->knows(earlier, static_cast<int>(lane));
}

std::uint32_t ClusterOrder::unknown_in_group(ThreadOrder const& thread, SegmentId segment,
                                             int group, std::uint32_t lanes, bool reads) const {
  Segment of = segments[segment];
  of.group = static_cast<std::uint16_t>(group);
  Prefixes const& own = thread.knowledge->own;
  std::uint32_t unknown = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    bool known = false;
    if (of.cluster != cluster_) {
      known = knows_foreign(thread, of, lane, reads);
    } else {
      auto const one = static_cast<int>(lane);
      known = is_same(thread, of, lane) || (reads ? own.knows_read(of, one) : own.knows(of, one));
    }
    if (!known) unknown |= 1U << lane;
  }
  return unknown;
}

SegmentId ClusterOrder::step(Step& last, SegmentId from, Tick tick, std::uint32_t site) {
  if (last.from == from && last.tick == tick && last.site == site) return last.to;
  Segment next = segments[from];
  ++next.ticks;
  if (tick == Tick::barrier) ++next.barriers;
  if (tick == Tick::arrival) ++next.arrivals;
  if (site != 0) next.site = site;
  SegmentId const to = source_->make(next);
  if (to == 0) {
    ran_out_ = true;
    return from;
  }
  last = {from, to, tick, site};
  return to;
}

void ClusterOrder::tick(int index, Tick tick, std::uint32_t site) {
  SegmentId& segment = segments_[static_cast<std::size_t>(index)];
  Segment const& of = segments[segment];
  Step& last = steps_[static_cast<std::size_t>(of.team * team_groups_ + of.group)];
  segment = step(last, segment, tick, site);
}

void ClusterOrder::team_barrier(int team, std::uint32_t site) {
  std::size_t const first =
      static_cast<std::size_t>(team) * static_cast<std::size_t>(team_threads_);
  std::size_t const end = first + static_cast<std::size_t>(team_threads_);
  Knowledge const* const of_first = knowledge_[first].get();
  bool const all_same =
      std::all_of(&knowledge_[first], &knowledge_[first] + team_threads_,
                  [&](KnowledgeHandle const& one) { return one.get() == of_first; });
  Knowledge& known = knowledge_[first].own(all_same ? team_threads_ : 1);
  if (!all_same) {
    Knowledge const* last = nullptr;
    for (std::size_t i = first + 1; i < end; ++i) {
      if (knowledge_[i].get() == last) continue;
      last = knowledge_[i].get();
      known.join(*last);
    }
  }
  known.own.pass_team_barrier(team, segments[segments_[first]].barriers + 1);
  // Changed in place, it is everybody's already.
  if (knowledge_[end - 1].get() != &known || !all_same)
    for (std::size_t i = first + 1; i < end; ++i) knowledge_[i] = knowledge_[first];
  SegmentId lowest = most_segments;
  for (std::size_t i = first; i < end; ++i) {
    std::size_t const group = (i - first) / group_lanes;
    Step& last = steps_[static_cast<std::size_t>(team * team_groups_) + group];
    segments_[i] = step(last, segments_[i], Tick::barrier, site);
    lowest = std::min(lowest, segments_[i]);
  }
  // An agent's segment is among the lower ones, and tells nothing of its end.
  if (teams_ == 1 && agent_lanes_.empty())
    std::fill(known_below_.begin(), known_below_.end(), lowest);
}

bool ClusterOrder::was_joined(std::uint64_t content) const {
  return std::find(joined_.begin(), joined_.end(), content) != joined_.end();
}

void ClusterOrder::release_into_phase(std::size_t thread) {
  std::uint64_t const content = knowledge_[thread]->content;
  arrived_with_[thread] = content;
  // Beyond a few, to join again costs less than to search.
  constexpr std::size_t most_remembered = 64;
  if (was_joined(content)) return;
  if (joined_.size() < most_remembered) joined_.push_back(content);
  if (!filling_) {
    filling_ = knowledge_[thread];
  } else {
    filling_.own().join(*knowledge_[thread].get());
  }
}

/// What a relaxed arrival says besides the thread's own reads: of what others read, and of agents.
void ClusterOrder::release_reads_into_phase(std::size_t thread) {
  if (agent_lanes_.empty()) return;
  if (!filling_) filling_ = KnowledgeHandle(new Knowledge(teams_));
  filling_.own().own.join(knowledge_[thread]->own.reads());
}

void ClusterOrder::cluster_arrived(int index, Publishes publishes, std::uint32_t site) {
  auto const thread = static_cast<std::size_t>(index);
  std::uint32_t const ticks = segments[segments_[thread]].ticks;
  arrived_with_[thread] = 0;
  if (publishes == Publishes::everything) {
    released_ticks_[thread] = ticks;
    ++released_;
    release_into_phase(thread);
  } else if (publishes == Publishes::reads) {
    release_reads_into_phase(thread);
  }
  if (publishes != Publishes::nothing) {
    reads_released_ticks_[thread] = ticks;
    ++reads_released_;
  }
  tick(index, Tick::arrival, site);
  if (first_after_arrival_ == 0) first_after_arrival_ = segments_[thread];
}

void ClusterOrder::cluster_completed() {
  ++phase_;
  int const everybody = teams_ * team_threads_;
  if (!filling_) filling_ = KnowledgeHandle(new Knowledge(teams_));
  Knowledge& known = filling_.own();
  bool const all_reads = reads_released_ == everybody;
  bool const all = released_ == everybody;
  known.own.pass_any_phase();
  complete_below_ = all ? first_after_arrival_ : 0;
  first_after_arrival_ = 0;
  if (all_reads) known.own.pass_cluster_barrier(phase_, !all);
  // Of a thread that went on after its arrival more may be known than that.
  if (all && known.own.has_lanes()) known.own.forget_lanes_below(released_ticks_, team_threads_);
  if (!all || !all_reads) {
    for (int index = 0; index < everybody; ++index) {
      // Whether it has arrived by now or not, its segment names its team, group and lane.
      auto const thread = static_cast<std::size_t>(index);
      Segment const& of = segments[segments_[thread]];
      int const lane = lanes_[thread];
      std::uint32_t const ticks = released_ticks_[thread];
      std::uint32_t const reads = reads_released_ticks_[thread];
      if (!all && ticks > 0) known.own.learn(of, lane, ticks, false);
      if (!all_reads && reads > 0) known.own.learn(of, lane, reads, true);
    }
  }
  complete_ = std::move(filling_);
  filling_ = KnowledgeHandle();
  rejoined_ = KnowledgeHandle();
  joined_.clear();
  released_ = reads_released_ = 0;
  std::fill(released_ticks_.begin(), released_ticks_.end(), 0);
  std::fill(reads_released_ticks_.begin(), reads_released_ticks_.end(), 0);
}

void ClusterOrder::cluster_waited(int index) {
  auto const thread = static_cast<std::size_t>(index);
  KnowledgeHandle& knowledge = knowledge_[thread];
  if (agent_lanes_.empty()) known_below_[thread] = std::max(known_below_[thread], complete_below_);
  if (knowledge->content == arrived_with_[thread]) {
    knowledge = complete_;
    return;
  }
  if (!rejoined_ || rejoined_from_ != knowledge->content) {
    rejoined_from_ = knowledge->content;
    rejoined_ = knowledge;
    rejoined_.own().join(*complete_.get());
  }
  knowledge = rejoined_;
}

void ClusterOrder::met(std::span<int const> indices, std::uint32_t site) {
  KnowledgeHandle together = knowledge_[static_cast<std::size_t>(indices.front())];
  Knowledge& known = together.own();
  std::uint64_t last = 0;
  for (int const index : indices) {
    auto const thread = static_cast<std::size_t>(index);
    if (knowledge_[thread]->content != last) {
      last = knowledge_[thread]->content;
      known.join(*knowledge_[thread].get());
    }
    Segment const& of = segments[segments_[thread]];
    known.own.learn(of, lanes_[thread], of.ticks, false);
  }
  for (int const index : indices) {
    knowledge_[static_cast<std::size_t>(index)] = together;
    tick(index, Tick::meeting, site);
  }
}

Published ClusterOrder::publish(int index) {
  auto const thread = static_cast<std::size_t>(index);
  Prefixes own = knowledge_[thread]->own;
  Segment const& of = segments[segments_[thread]];
  own.learn(of, lanes_[thread], of.ticks, false);
  return with(knowledge_[thread]->others, cluster_, own);
}

void ClusterOrder::acquire(int index, Published const& published) {
  if (published == nullptr) return;
  KnowledgeHandle& handle = knowledge_[static_cast<std::size_t>(index)];
  Prefixes const* const own = find(published, cluster_);
  bool const is_own_known = own == nullptr || own->is_known_in(handle->own);
  Published const others = joined(handle->others, published);
  if (is_own_known && others == handle->others) return;
  Knowledge& known = handle.own();
  if (!is_own_known) known.own.join(*own);
  known.others = others;
}

}  // namespace kohort::simulator
