// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agent_order.hpp"
#include "knowledge.hpp"
#include "segments.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace kohort::simulator {

/// Where a simulated thread is in the happens-before order, looked up.
struct ThreadOrder {
  std::uint64_t tag = 0;  ///< segment << 5 | lane: the same thread in the same segment
  SegmentId segment = 0;
  std::uint32_t lane = 0;
  /// Of its own cluster, all accesses in lower segments happened before: what barriers of the whole
  /// cluster tell, as a number.
  SegmentId known_below = 0;
  Knowledge const* knowledge = nullptr;

  std::uint16_t team() const { return segments[segment].team; }
  std::uint16_t group() const { return segments[segment].group; }
};

/// What an arrival at a cluster barrier publishes.
enum class Publishes : std::uint8_t { nothing, reads, everything };

/// The happens-before relation of one cluster's threads, kept up by their synchronisations: which
/// earlier accesses each thread knows to have happened before what it does now.
///
/// `site` is a number of check/sites.hpp, for reports. Threads are numbered within the cluster.
class ClusterOrder {
 public:
  /// @return false when segment numbers are used up, as of every call that begins segments
  bool begin(std::uint32_t cluster, int teams, int team_threads, SegmentSource& source);

  ThreadOrder thread(int index) const {
    auto const at = static_cast<std::size_t>(index);
    std::uint32_t const lane = lanes_[at];
    return {std::uint64_t{segments_[at]} << 5U | lane, segments_[at], lane, known_below_[at],
            knowledge_[at].get()};
  }

  /// Whether an access happened before what `thread` does now.
  bool knows(ThreadOrder const& thread, SegmentId segment, std::uint32_t lane) const {
    Segment const& earlier = segments[segment];
    if (earlier.cluster != cluster_) [[unlikely]]
      return knows_foreign(thread, earlier, lane, false);
    return thread.knowledge->own.knows(earlier, static_cast<int>(lane)) ||
           is_same(thread, earlier, lane);
  }
  bool knows_read(ThreadOrder const& thread, SegmentId segment, std::uint32_t lane) const {
    Segment const& earlier = segments[segment];
    if (earlier.cluster != cluster_) [[unlikely]]
      return knows_foreign(thread, earlier, lane, true);
    return thread.knowledge->own.knows_read(earlier, static_cast<int>(lane)) ||
           is_same(thread, earlier, lane);
  }

  /// The same of reads by any threads of the segment, as far as barriers of whole teams tell.
  bool knows_by_barriers(ThreadOrder const& thread, SegmentId segment) const {
    Segment const& earlier = segments[segment];
    return earlier.cluster == cluster_ && thread.knowledge->own.knows_group(earlier);
  }

  /// Of threads of `group`, in segments that differ from this one in the group alone, those whose
  /// accesses `thread` does not know.
  std::uint32_t unknown_in_group(ThreadOrder const& thread, SegmentId segment, int group,
                                 std::uint32_t lanes, bool reads) const;

  void team_barrier(int team, std::uint32_t site);
  void cluster_arrived(int thread, Publishes publishes, std::uint32_t site);
  void cluster_completed();
  void cluster_waited(int thread);
  /// These threads met: at a subgroup's, a tile's, or a named barrier.
  void met(std::span<int const> threads, std::uint32_t site);

  /// What `thread` and all it knows did so far.
  Published publish(int thread);
  /// The thread's later accesses are not part of what it published.
  void begin_segment(int thread, std::uint32_t site) { tick(thread, Tick::release, site); }
  void acquire(int thread, Published const& published);

  // Agents (agent_order.cpp) ----------------------------------------------------------------------
  /// What `thread` and all it knows did so far; its later accesses are not part of it.
  KnowledgeHandle release(int thread, std::uint32_t site);
  void acquire(int thread, Knowledge const& released);
  /// Agents see what the thread, and all that it knows, wrote so far.
  void fence_for_agents(int thread, std::uint32_t site);
  /// The agent is done, or has done reading.
  void learn(int thread, Agent agent, bool reads_only);

  Agent begin_agent(int issuer, std::uint32_t site);
  /// The same of one whose agents end in the order in which they were begun: they share `lane`.
  Agent begin_agent_in_order(int issuer, std::size_t& lane, std::uint32_t site);
  static constexpr std::size_t no_lane = ~std::size_t{0};
  /// The agent as its accesses are recorded, with what its issuer knew as it began it.
  static ThreadOrder order_of(Agent agent, Knowledge const& known) {
    return {std::uint64_t{agent.segment} << 5U | agent.lane, agent.segment, agent.lane, 0, &known};
  }

  int teams() const { return teams_; }
  bool ran_out() const { return ran_out_; }

 private:
  enum class Tick : std::uint8_t { barrier, arrival, meeting, release };
  /// The last step from a segment, for the threads of the group that take it as well.
  struct Step {
    SegmentId from = 0;
    SegmentId to = 0;
    Tick tick = Tick::barrier;
    std::uint32_t site = 0;
  };

  static bool is_same(ThreadOrder const& thread, Segment const& earlier, std::uint32_t lane) {
    return thread.lane == lane && thread.team() == earlier.team && thread.group() == earlier.group;
  }
  static bool knows_foreign(ThreadOrder const& thread, Segment const& earlier, std::uint32_t lane,
                            bool read);
  void tick(int index, Tick tick, std::uint32_t site);
  SegmentId step(Step& last, SegmentId from, Tick tick, std::uint32_t site);
  void release_into_phase(std::size_t thread);
  void release_reads_into_phase(std::size_t thread);
  AgentLanes& agent_lanes_of(int issuer);
  Agent use_lane(int issuer, std::size_t lane, std::uint32_t site);
  bool was_joined(std::uint64_t content) const;

  std::uint32_t cluster_ = 0;
  int teams_ = 0;
  int team_threads_ = 0;
  int team_groups_ = 0;
  SegmentSource* source_ = nullptr;
  bool ran_out_ = false;
  // By thread, apart, because a team's barrier walks over all of them.
  std::vector<SegmentId> segments_;
  std::vector<SegmentId> known_below_;
  std::vector<KnowledgeHandle> knowledge_;
  std::vector<std::uint8_t> lanes_;
  std::vector<std::uint64_t>
      arrived_with_;         ///< the content that it released at the cluster barrier
  std::vector<Step> steps_;  ///< by group

  std::vector<AgentLanes> agent_lanes_;  ///< by team; none before the first agent

  /// The cluster barrier's phase that is filling up, and the one that is complete.
  KnowledgeHandle filling_;
  KnowledgeHandle complete_;
  std::vector<std::uint64_t> joined_;  ///< contents that went into the phase
  std::uint64_t rejoined_from_ = 0;    ///< the last knowledge that a wait had to be joined with,
  KnowledgeHandle rejoined_;           ///< and the result
  std::uint32_t phase_ = 0;
  SegmentId first_after_arrival_ = 0;  ///< in the phase that fills up
  SegmentId complete_below_ = 0;       ///< known to all who waited for the complete one
  int released_ = 0;
  int reads_released_ = 0;
  std::vector<std::uint32_t> released_ticks_;  ///< by thread; 0: nothing released
  std::vector<std::uint32_t> reads_released_ticks_;
};

}  // namespace kohort::simulator
