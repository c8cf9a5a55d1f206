// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../order/knowledge.hpp"
#include "cells.hpp"

#include <kohort/simulator/launch.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace kohort::simulator {

/// A release that an acquire of the same address may see.
struct Released {
  AtomicScope scope = AtomicScope::system;
  std::uint32_t cluster = 0;
  std::uint16_t team = 0;
  /// A later release of device scope carries all of it: who acquires that one needs it no more.
  bool is_carried = false;
  Published published;
};
struct Releases {
  std::uint64_t version = 0;  ///< changes with every change, and is no other address's
  std::vector<Released> all;
};
using ReleasesByAddress = std::unordered_map<std::uintptr_t, Releases>;

/// Histories by their place in the shadow, reused: of one cluster's scratch, or of the global
/// memory that one worker's clusters touched.
class HistoryPool {
 public:
  History& take(std::uintptr_t granule);
  void give_back(History& history);
  /// Makes every history a plain word of `segment` again: 0 for memory that begins anew.
  void dissolve(SegmentId segment);

 private:
  std::vector<std::unique_ptr<History>> all_;
  std::vector<History*> free_;
};

/// What the clusters of a launch in check mode share.
class LaunchCheck {
 public:
  /// @throws std::invalid_argument when this build or this process can't check
  LaunchCheck(LaunchShape const& shape, int workers, long long clusters);
  ~LaunchCheck();
  LaunchCheck(LaunchCheck const&) = delete;
  LaunchCheck& operator=(LaunchCheck const&) = delete;

  SegmentId first_segment() const { return first_segment_; }
  /// Of the process's launches in check mode; 0 is none's.
  std::uint32_t number() const { return number_; }
  /// Words of global memory that a worker looks at are its alone meanwhile.
  void lock(std::uintptr_t granule) {
    if (!is_parallel_) return;
    std::atomic<bool>& lock = locks_[slot(granule)];
    while (lock.exchange(true, std::memory_order_acquire)) {
    }
  }
  void unlock(std::uintptr_t granule) {
    if (is_parallel_) locks_[slot(granule)].store(false, std::memory_order_release);
  }

  /// Whether a thread of one cluster has acquired what another's released.
  bool has_acquired_of_others() const { return acquired_.load(std::memory_order_relaxed); }
  void note_acquire_of_others() { acquired_.store(true, std::memory_order_relaxed); }

  /// Whether atomics of cluster scope by the two clusters reach each other. Both have started.
  bool share_a_cluster(std::uint32_t one, std::uint32_t other) const {
    if (one == other) return true;
    if (teams_.empty()) return false;
    SoftwareTeam const& left = teams_[one];
    SoftwareTeam const& right = teams_[other];
    bool const share_a_cache = reach_ == ClusterScopeReach::device || left.group == right.group;
    return share_a_cache && left.cluster >= 0 && left.cluster == right.cluster;
  }
  void note_group(std::uint32_t cluster, int group) {
    if (!teams_.empty()) teams_[cluster] = {group, -1};
  }
  void note_software_cluster(std::uint32_t cluster, int number) {
    if (!teams_.empty()) teams_[cluster].cluster = number;
  }

  /// Of the global memory that a worker's clusters touch.
  HistoryPool& histories(int worker) { return histories_[static_cast<std::size_t>(worker)]; }

  /// What was released at `address` of global memory, and the lock to hold meanwhile.
  ReleasesByAddress& releases(std::uintptr_t address) { return shard_of(address).releases; }
  std::unique_lock<std::mutex> lock_releases(std::uintptr_t address) {
    return std::unique_lock(shard_of(address).mutex);
  }

 private:
  /// Eight words a lock, so that a wide access needs one.
  static std::size_t slot(std::uintptr_t granule) { return (granule >> 4U) % lock_count; }
  static constexpr std::size_t lock_count = 1U << 16U;
  struct Shard {
    std::mutex mutex;
    ReleasesByAddress releases;
  };

  Shard& shard_of(std::uintptr_t address) { return shards_[address / 64 % shards_.size()]; }

  SegmentId first_segment_;
  std::uint32_t number_;
  bool is_parallel_;
  ClusterScopeReach reach_;
  /// By cluster, of a launch of software clusters: each is one of their teams.
  struct SoftwareTeam {
    int group = -1;
    int cluster = -1;
  };
  std::vector<SoftwareTeam> teams_;
  std::atomic<bool> acquired_{false};
  std::unique_ptr<std::atomic<bool>[]> locks_;
  std::array<Shard, 64> shards_;
  std::vector<HistoryPool> histories_;
};

}  // namespace kohort::simulator
