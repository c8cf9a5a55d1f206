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
  joined_.clear();
  phase_ = 0;
  released_ = reads_released_ = 0;
  std::size_t const groups = static_cast<std::size_t>(teams) * team_groups_;
  steps_.assign(groups, Step{});
  released_ticks_.assign(groups * group_lanes, 0);
  reads_released_ticks_.assign(groups * group_lanes, 0);
  threads_.resize(static_cast<std::size_t>(teams) * team_threads);
  KnowledgeHandle const nothing(new Knowledge(teams));
  std::size_t index = 0;
  for (int team = 0; team < teams; ++team) {
    SegmentId segment = 0;
    for (int rank = 0; rank < team_threads; ++rank, ++index) {
      ThreadOrder& thread = threads_[index];
      thread.team = static_cast<std::uint16_t>(team);
      thread.group = static_cast<std::uint16_t>(rank / group_lanes);
      thread.lane = static_cast<std::uint32_t>(rank % group_lanes);
      thread.knowledge = nothing;
      if (thread.lane == 0)
        segment = source.make({.cluster = cluster, .team = thread.team, .group = thread.group});
      if (segment == 0) ran_out_ = true;
      enter(thread, segment);
    }
  }
  return !ran_out_;
}

void ClusterOrder::enter(ThreadOrder& thread, SegmentId segment) {
  thread.segment = segment;
  thread.tag = std::uint64_t{segment} << 5U | thread.lane;
}

bool ClusterOrder::knows_foreign(ThreadOrder const& thread, Segment const& earlier,
                                 std::uint32_t lane, bool read) {
  if (thread.knowledge->others == nullptr) return false;
  auto const found = thread.knowledge->others->find(earlier.cluster);
  if (found == thread.knowledge->others->end()) return false;
  return read ? found->second.knows_read(earlier, static_cast<int>(lane))
              : found->second.knows(earlier, static_cast<int>(lane));
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
  ThreadOrder& thread = threads_[static_cast<std::size_t>(index)];
  Step& last = steps_[static_cast<std::size_t>(thread.team * team_groups_ + thread.group)];
  enter(thread, step(last, thread.segment, tick, site));
}

void ClusterOrder::team_barrier(int team, std::uint32_t site) {
  std::span<ThreadOrder> const threads(&threads_[static_cast<std::size_t>(team) * team_threads_],
                                       static_cast<std::size_t>(team_threads_));
  KnowledgeHandle& first = threads.front().knowledge;
  bool const all_same = std::all_of(threads.begin(), threads.end(), [&](ThreadOrder const& thread) {
    return thread.knowledge.get() == first.get();
  });
  Knowledge& known = first.own(all_same ? team_threads_ : 1);
  if (!all_same) {
    Knowledge const* last = nullptr;
    for (ThreadOrder const& thread : threads.subspan(1)) {
      if (thread.knowledge.get() == last) continue;
      last = thread.knowledge.get();
      known.join(*last);
    }
  }
  known.own.pass_team_barrier(team, segments[threads.front().segment].barriers + 1);
  bool const moved = threads.back().knowledge.get() != first.get();
  for (ThreadOrder& thread : threads) {
    if (moved || !all_same) thread.knowledge = first;
    Step& last = steps_[static_cast<std::size_t>(team * team_groups_ + thread.group)];
    enter(thread, step(last, thread.segment, Tick::barrier, site));
  }
}

bool ClusterOrder::was_joined(std::uint64_t content) const {
  return std::find(joined_.begin(), joined_.end(), content) != joined_.end();
}

void ClusterOrder::release_into_phase(ThreadOrder& thread) {
  std::uint64_t const content = thread.knowledge->content;
  thread.arrived_with = content;
  // Beyond a few, to join again costs less than to search.
  constexpr std::size_t most_remembered = 64;
  if (was_joined(content)) return;
  if (joined_.size() < most_remembered) joined_.push_back(content);
  if (!filling_) {
    filling_ = thread.knowledge;
  } else {
    filling_.own().join(*thread.knowledge.get());
  }
}

void ClusterOrder::cluster_arrived(int index, Publishes publishes, std::uint32_t site) {
  ThreadOrder& thread = threads_[static_cast<std::size_t>(index)];
  std::uint32_t const ticks = segments[thread.segment].ticks;
  thread.arrived_with = 0;
  if (publishes == Publishes::everything) {
    released_ticks_[padded(thread)] = ticks;
    ++released_;
    release_into_phase(thread);
  }
  if (publishes != Publishes::nothing) {
    reads_released_ticks_[padded(thread)] = ticks;
    ++reads_released_;
  }
  tick(index, Tick::arrival, site);
}

void ClusterOrder::cluster_completed() {
  ++phase_;
  int const everybody = teams_ * team_threads_;
  if (!filling_) filling_ = KnowledgeHandle(new Knowledge(teams_));
  Knowledge& known = filling_.own();
  bool const all_reads = reads_released_ == everybody;
  bool const all = released_ == everybody;
  known.own.pass_any_phase();
  if (all_reads) known.own.pass_cluster_barrier(phase_, !all);
  // Of a thread that went on after its arrival more may be known than that.
  if (all && known.own.has_lanes()) known.own.forget_lanes_below(released_ticks_, team_groups_);
  if (!all || !all_reads) {
    for (ThreadOrder const& thread : threads_) {
      // Whether it has arrived by now or not, its segment names its team, group and lane.
      Segment const& of = segments[thread.segment];
      int const lane = static_cast<int>(thread.lane);
      std::uint32_t const ticks = released_ticks_[padded(thread)];
      std::uint32_t const reads = reads_released_ticks_[padded(thread)];
      if (!all && ticks > 0) known.own.learn(of, lane, ticks, false);
      if (!all_reads && reads > 0) known.own.learn(of, lane, reads, true);
    }
  }
  complete_ = std::move(filling_);
  filling_ = KnowledgeHandle();
  rejoined_ = KnowledgeHandle();
  complete_joined_.swap(joined_);
  joined_.clear();
  released_ = reads_released_ = 0;
  std::fill(released_ticks_.begin(), released_ticks_.end(), 0);
  std::fill(reads_released_ticks_.begin(), reads_released_ticks_.end(), 0);
}

void ClusterOrder::cluster_waited(int index) {
  ThreadOrder& thread = threads_[static_cast<std::size_t>(index)];
  std::uint64_t const content = thread.knowledge->content;
  if (content == thread.arrived_with) {
    thread.knowledge = complete_;
    return;
  }
  if (!rejoined_ || rejoined_from_ != content) {
    rejoined_from_ = content;
    rejoined_ = thread.knowledge;
    rejoined_.own().join(*complete_.get());
  }
  thread.knowledge = rejoined_;
}

void ClusterOrder::met(std::span<int const> indices, std::uint32_t site) {
  KnowledgeHandle together = threads_[static_cast<std::size_t>(indices.front())].knowledge;
  Knowledge& known = together.own();
  std::uint64_t last = 0;
  for (int const index : indices) {
    ThreadOrder const& thread = threads_[static_cast<std::size_t>(index)];
    if (thread.knowledge->content != last) {
      last = thread.knowledge->content;
      known.join(*thread.knowledge.get());
    }
    Segment const& of = segments[thread.segment];
    known.own.learn(of, static_cast<int>(thread.lane), of.ticks, false);
  }
  for (int const index : indices) {
    threads_[static_cast<std::size_t>(index)].knowledge = together;
    tick(index, Tick::meeting, site);
  }
}

Published ClusterOrder::publish(int index) {
  ThreadOrder const& thread = threads_[static_cast<std::size_t>(index)];
  Knowledge const& known = *thread.knowledge.get();
  auto all = known.others == nullptr
                 ? std::make_shared<std::map<std::uint32_t, Prefixes>>()
                 : std::make_shared<std::map<std::uint32_t, Prefixes>>(*known.others);
  Prefixes& own = (*all)[cluster_];
  own = known.own;
  Segment const& of = segments[thread.segment];
  own.learn(of, static_cast<int>(thread.lane), of.ticks, false);
  return all;
}

void ClusterOrder::acquire(int index, Published const& published) {
  if (published == nullptr) return;
  Knowledge& known = threads_[static_cast<std::size_t>(index)].knowledge.own();
  for (auto const& [cluster, prefixes] : *published) {
    if (cluster != cluster_) continue;
    known.own.join(prefixes);
  }
  if (published->size() > published->count(cluster_))
    known.others = joined(known.others, published);
}

}  // namespace kohort::simulator
