// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agent_order.hpp"

#include "cluster_order.hpp"

#include <algorithm>

namespace kohort::simulator {

KnowledgeHandle ClusterOrder::release(int index, std::uint32_t site) {
  auto const thread = static_cast<std::size_t>(index);
  KnowledgeHandle released = knowledge_[thread];
  Segment const& of = segments[segments_[thread]];
  released.own().own.learn(of, lanes_[thread], of.ticks, false);
  begin_segment(index, site);
  return released;
}

void ClusterOrder::acquire(int index, Knowledge const& released) {
  KnowledgeHandle& handle = knowledge_[static_cast<std::size_t>(index)];
  bool const is_known = released.own.is_known_in(handle->own) &&
                        joined(handle->others, released.others) == handle->others;
  if (!is_known) handle.own().join(released);
}

void ClusterOrder::fence_for_agents(int index, std::uint32_t site) {
  auto const thread = static_cast<std::size_t>(index);
  Segment const& of = segments[segments_[thread]];
  knowledge_[thread].own().own.fence(of, lanes_[thread], of.ticks);
  begin_segment(index, site);
}

void ClusterOrder::learn(int index, Agent agent, bool reads_only) {
  Segment const& of = segments[agent.segment];
  int const lane = static_cast<int>(agent.lane);
  KnowledgeHandle& handle = knowledge_[static_cast<std::size_t>(index)];
  if (reads_only ? handle->own.knows_read(of, lane) : handle->own.knows(of, lane)) return;
  handle.own().own.learn(of, lane, of.ticks, reads_only);
}

Agent ClusterOrder::begin_agent(int issuer, std::uint32_t site) {
  ThreadOrder const me = thread(issuer);
  std::size_t const lane = agent_lanes_of(issuer).free_lane(
      [&](std::size_t one, SegmentId last) { return knows(me, last, AgentLanes::in_group(one)); });
  return use_lane(issuer, lane, site);
}

Agent ClusterOrder::begin_agent_in_order(int issuer, std::size_t& lane, std::uint32_t site) {
  if (lane == no_lane) lane = agent_lanes_of(issuer).reserve();
  return use_lane(issuer, lane, site);
}

AgentLanes& ClusterOrder::agent_lanes_of(int issuer) {
  if (agent_lanes_.empty()) agent_lanes_.resize(static_cast<std::size_t>(teams_));
  return agent_lanes_[static_cast<std::size_t>(issuer / team_threads_)];
}

Agent ClusterOrder::use_lane(int issuer, std::size_t lane, std::uint32_t site) {
  AgentLanes& lanes = agent_lanes_of(issuer);
  SegmentId const last = lanes.last(lane);
  std::uint32_t const behind =
      behind_all_barriers | static_cast<std::uint32_t>(issuer % team_threads_);
  SegmentId const segment =
      source_->make({.cluster = cluster_,
                     .team = static_cast<std::uint16_t>(issuer / team_threads_),
                     .group = AgentLanes::group_of(lane),
                     .arrivals = behind,
                     .barriers = behind,
                     .ticks = last == 0 ? 1 : segments[last].ticks + 1,
                     .site = site});
  if (segment == 0) {
    ran_out_ = true;
    return {segments_[static_cast<std::size_t>(issuer)], 0};
  }
  lanes.use(lane, segment);
  return {segment, AgentLanes::in_group(lane)};
}

}  // namespace kohort::simulator
