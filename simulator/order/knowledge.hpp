// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "segments.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
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
           (!lanes_.empty() && lanes_know(segment, lane, true));
  }
  /// The same of a read by any thread of the segment, as far as the barriers' numbers tell.
  bool knows_group(Segment const& segment) const {
    return segment.arrivals < read_arrivals_ || segment.barriers < barriers_[segment.team];
  }
  /// Whether `team` is known to have started.
  bool knows_of(int team) const;

  void join(Prefixes const& other);

  /// The cluster barrier's phase is over: every team has started by then, whoever released what.
  void pass_any_phase() { has_passed_a_phase_ = true; }
  /// Every thread of the cluster arrived at the barrier's first `arrivals` phases.
  void pass_cluster_barrier(std::uint32_t arrivals, bool reads_only);
  void pass_team_barrier(int team, std::uint32_t barriers);
  /// `ticks`: of one thread, up to which its accesses are known.
  void learn(Segment const& of, int lane, std::uint32_t ticks, bool reads_only);
  /// Drops what the threads' own progress shows to be said by the barrier numbers as well.
  void forget_lanes_of(int team);
  void forget_lanes_below(std::span<std::uint32_t const> ticks, int team_groups);
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
  Lanes& lanes_of(Lanes const& like);

  bool has_passed_a_phase_ = false;
  std::uint32_t arrivals_ = 0;
  std::uint32_t read_arrivals_ = 0;  ///< at least as much
  std::vector<std::uint32_t> barriers_;
  std::vector<Lanes> lanes_;  ///< sorted; usually none
};

/// What a release makes known, by the cluster's number. It may reach other workers, so it never
/// changes.
using Published = std::shared_ptr<std::map<std::uint32_t, Prefixes> const>;

/// Of both what either says.
Published joined(Published const& one, Published const& other);

/// What a thread knows: of its own cluster, and, through atomics on global memory, of others.
/// Shared by threads of one cluster that know the same; its owner alone changes it.
struct Knowledge {
  explicit Knowledge(int teams) : own(teams), content(next_content()) {}

  int users = 0;
  Prefixes own;
  Published others;
  /// A number that no other content has: equal numbers, equal knowledge.
  std::uint64_t content;

  void join(Knowledge const& other);
  static std::uint64_t next_content();
};

/// Counts users without atomics: a cluster's knowledge stays with its worker.
class KnowledgeHandle {
 public:
  KnowledgeHandle() = default;
  explicit KnowledgeHandle(Knowledge* knowledge) : knowledge_(knowledge) { hold(); }
  KnowledgeHandle(KnowledgeHandle const& other) : knowledge_(other.knowledge_) { hold(); }
  KnowledgeHandle(KnowledgeHandle&& other) noexcept
      : knowledge_(std::exchange(other.knowledge_, nullptr)) {}
  KnowledgeHandle& operator=(KnowledgeHandle other) noexcept {
    std::swap(knowledge_, other.knowledge_);
    return *this;
  }
  ~KnowledgeHandle() {
    if (knowledge_ != nullptr && --knowledge_->users == 0) delete knowledge_;
  }

  Knowledge const* get() const { return knowledge_; }
  Knowledge const* operator->() const { return knowledge_; }
  explicit operator bool() const { return knowledge_ != nullptr; }
  /// For changing: a copy of its own, unless `users` are all there are.
  Knowledge& own(int users = 1);

 private:
  void hold() {
    if (knowledge_ != nullptr) ++knowledge_->users;
  }
  Knowledge* knowledge_ = nullptr;
};

}  // namespace kohort::simulator
