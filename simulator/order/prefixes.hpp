// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agents.hpp"
#include "segments.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace kohort::simulator {

/// How far the accesses of one cluster's threads are known, that is, happen before. Each part names
/// a prefix of threads' runs; an access is known when any part has it. A vector clock over 16,384
/// threads would be 64 KB: barriers move all threads at once, so a number for the cluster and one
/// for each team say nearly everything.
class Prefixes {
 public:
  explicit Prefixes(int teams = 0) : barriers_(static_cast<std::size_t>(teams), 0) {}

  bool knows(Segment const& segment, int lane) const {
    return segment.arrivals < arrivals_ || segment.barriers < barriers_[segment.team] ||
           (!lanes_.empty() && lanes_know(segment, lane, false));
  }
  /// The same of a read, which a relaxed arrival orders as well.
  bool knows_read(Segment const& segment, int lane) const {
    return segment.arrivals < read_arrivals_ || knows(segment, lane) ||
           read_barrier_knows(segment) || (!lanes_.empty() && lanes_know(segment, lane, true));
  }
  /// The same of a read by any thread of the segment, as far as the barriers' numbers tell.
  bool knows_group(Segment const& segment) const {
    return segment.arrivals < read_arrivals_ || segment.barriers < barriers_[segment.team] ||
           read_barrier_knows(segment);
  }
  /// Whether `team` is known to have started.
  bool knows_of(int team) const;

  void join(Prefixes const& other);
  /// Whether `other` says all that this does.
  bool is_known_in(Prefixes const& other) const;

  /// The cluster barrier's phase is over: every team has started by then, whoever released what.
  void pass_any_phase() { has_passed_a_phase_ = true; }
  /// Every thread of the cluster arrived at the barrier's first `arrivals` phases.
  void pass_cluster_barrier(std::uint32_t arrivals, bool reads_only);
  void pass_team_barrier(int team, std::uint32_t barriers);
  /// `ticks`: of one thread, up to which its accesses are known.
  void learn(Segment const& of, int lane, std::uint32_t ticks, bool reads_only);
  /// What a relaxed arrival hands on: the reads, the agents, whose work needs no publication, and
  /// what is fenced for agents.
  Prefixes reads() const;

  /// Agents see the writes known so far, and those of this thread up to `ticks`.
  void fence(Segment const& of, int lane, std::uint32_t ticks);
  /// What was fenced is done, whoever publishes it: an agent may overwrite it.
  void learn_fenced() {
    if (fenced_ != nullptr) join(Prefixes(*fenced_));
  }
  /// Whether an access that is known was fenced for agents.
  bool is_fenced(Segment const& segment, int lane) const {
    return fenced_ != nullptr && fenced_->knows(segment, lane);
  }

  /// Drops what the threads' own progress shows to be said by the barrier numbers as well.
  void forget_lanes_of(int team);
  /// `ticks`: by thread of the cluster.
  void forget_lanes_below(std::span<std::uint32_t const> ticks, int team_threads);
  bool has_lanes() const { return !lanes_.empty(); }

 private:
  /// One group's threads, each by the ticks known of it; 0: nothing.
  struct Lanes {
    std::uint16_t team = 0;
    std::uint16_t group = 0;
    bool reads_only = false;
    std::uint32_t ticks[group_lanes] = {};
    bool is_before(Lanes const& other) const;
    bool is_of(Lanes const& other) const;
  };
  bool lanes_know(Segment const& segment, int lane, bool reads) const;
  bool read_barrier_knows(Segment const& segment) const {
    return !read_barriers_.empty() && segment.barriers < read_barriers_[segment.team];
  }
  Lanes& lanes_of(Lanes const& like);
  void join_fenced(Prefixes const& other);
  bool is_fenced_in(Prefixes const& other) const;

  bool has_passed_a_phase_ = false;
  std::uint32_t arrivals_ = 0;
  std::uint32_t read_arrivals_ = 0;  ///< at least as much
  std::vector<std::uint32_t> barriers_;
  std::vector<std::uint32_t> read_barriers_;  ///< by team, of reads alone; usually none
  std::vector<Lanes> lanes_;                  ///< sorted; usually none
  std::shared_ptr<Prefixes const> fenced_;    ///< what agents see; null before the first fence
};

}  // namespace kohort::simulator
