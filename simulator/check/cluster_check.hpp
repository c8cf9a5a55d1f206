// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../order/cluster_order.hpp"
#include "access_faults.hpp"
#include "cells.hpp"
#include "launch_check.hpp"
#include "necessity.hpp"

#include <kohort/simulator/operations.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace kohort::simulator {

struct ClusterState;
struct PhasedBarrier;
struct StoreQueue;
struct Transfer;
struct WarpgroupMeeting;

/// How a thread arrives at a phased barrier: `local` at its team's own, for a peer with or without
/// its writes.
enum class Arrival : std::uint8_t { local, released, relaxed };

/// The checker's view of one cluster: what its threads did to memory, and in which order that is.
/// The engine tells it of synchronisations, hooks in the kernel's code of accesses. It belongs to
/// the worker that runs the cluster.
class ClusterCheck {
 public:
  explicit ClusterCheck(ClusterState& cluster) : cluster_(cluster) {}

  void begin(LaunchCheck& launch, int worker);
  /// Whom atomics of cluster scope reach, in a launch of software clusters.
  void join_software_cluster(int number);
  /// Puts what was found into the cluster's finding.
  void end();

  // From the engine; atomics and fences that are not the library's come from hooks -------------
  void team_barrier_completed(int team, Site site);
  void cluster_arrived(int thread, bool publishes_writes, Site site);
  void cluster_barrier_completed();
  void cluster_waited(int thread);
  void met(std::vector<int> const& threads, BarrierKind kind, Site site);
  void thread_returned(int thread);
  void before_atomic(void const* address, AtomicAccess access, SiteId site);
  void after_atomic(void const* address, AtomicAccess access, bool wrote, SiteId site);
  void fence(AtomicScope scope, SiteId site);

  // Phased barriers, copies and products (async_order.cpp), of the running thread ---------------
  void barrier_initialised(PhasedBarrier& barrier, void const* address, Site site);
  void barrier_inits_fenced();
  /// Whether the thread knows that the barrier is one.
  bool knows_init(PhasedBarrier const& barrier) const;
  /// Whether it knows that somebody has waited for `phase`, one of the two before the one that
  /// fills, or there is no such phase.
  bool knows_a_wait(PhasedBarrier const& barrier, long long phase) const;
  /// The 8 bytes are operated upon.
  void barrier_changed(void const* address, Site site);
  /// What was found so far; null: nothing.
  std::unique_ptr<Finding> found() const {
    return faults_.empty() ? nullptr : faults_.finding(cluster_);
  }
  void arrived(PhasedBarrier& barrier, Arrival arrival, Site site);
  void bytes_came(PhasedBarrier& barrier, Transfer const& transfer);
  void phase_completed(PhasedBarrier& barrier);
  /// `thread` goes on from its wait.
  void waited(PhasedBarrier& barrier, int thread, AtomicScope scope);
  void fenced_for_transfers(Site site);
  void copy_begun(Transfer& transfer);
  void stores_waited(StoreQueue const& queue, bool read_only);
  void product_begun(WarpgroupMeeting& meeting, int first_thread);
  void products_waited(std::vector<Agent> const& begun, int pending);
  /// The last thread of `team` returns: copies and products are done with its scratch.
  void end_uses_of_scratch(int team);

  // From hooks ----------------------------------------------------------------------------------
  /// `bytes` is 1, 2, 4, 8 or 16; `offset` in the region.
  template <int Bytes, bool Writes>
  void access(std::uintptr_t offset, void const* program_counter);
  /// Of any alignment and length.
  void access_range(std::uintptr_t offset, std::size_t bytes, bool writes, SiteId site);
  /// An access that the compiler makes at once, and that orders nothing.
  void access_volatile(std::uintptr_t offset, std::uint32_t bytes, bool writes, SiteId site);
  /// Whether observers hear of accesses, and of one: device memory's alone.
  bool is_observed() const { return is_observed_; }
  void tell(std::uintptr_t offset, std::size_t bytes, bool writes) const;

 private:
  struct Access {
    AccessKind kind = AccessKind::read;
    AtomicScope scope = AtomicScope::system;
    std::uint32_t bytes = 0;  ///< of the granule, a bit each
    SiteId site = unknown_site;
  };
  /// A thread's part in patterns of fences and relaxed atomics.
  struct Fences {
    Published released;  ///< at its last fence
    AtomicScope scope = AtomicScope::system;
    std::vector<Released> seen;  ///< by relaxed loads since
    /// The last atomic that met releases, and which.
    std::uintptr_t last_address = 0;
    AtomicScope last_scope = AtomicScope::system;
    AtomicOrder last_order = AtomicOrder::relaxed;
    std::uint64_t last_version = 0;
  };

  ThreadOrder running() const;
  bool is_scratch(std::uintptr_t offset) const { return offset - scratch_ < scratch_bytes_; }
  /// Words of earlier segments are of an earlier cluster, or of an earlier launch.
  SegmentId first_segment(bool scratch) const {
    return scratch ? first_in_scratch_ : first_in_launch_;
  }

  template <bool Writes>
  void touch_scratch(std::uintptr_t granule, std::uint32_t bytes, ThreadOrder const& me,
                     SiteId site);
  template <bool Writes>
  void touch_global(std::uintptr_t granule, std::uint32_t bytes, ThreadOrder const& me,
                    SiteId site);
  /// The page as it was, and that the launch writes or reads it now.
  template <bool Writes>
  Page note_page(std::uintptr_t granule) const {
    Page& page = region.pages[granule / (region_page / 4)];
    Page const before = page;
    std::uint32_t& in = Writes ? page.written_in : page.read_in;
    if (in != launch_number_) in = launch_number_;
    return before;
  }
  /// All that two words can say (words.cpp).
  template <bool Writes>
  void touch(std::uintptr_t granule, std::uint32_t bytes, ThreadOrder const& me, SiteId site,
             bool scratch);
  bool all_known(ThreadOrder const& me, ReadWord readers) const;

  // races.cpp: what two words can't say.
  void touch_history(std::uintptr_t granule, Access const& access, ThreadOrder const& me);
  History& history_at(std::uintptr_t granule);
  std::uint32_t unknown_lanes(ThreadOrder const& me, HistoryEntry const& entry) const;
  bool drop_known(ThreadOrder const& me, HistoryEntry& entry) const;
  void report_unordered(History const& history, HistoryEntry const& entry, Access const& access,
                        ThreadOrder const& me);
  void compare(History const& history, Access const& access, ThreadOrder const& me);
  bool join_entry(History& history, Access const& access, ThreadOrder const& me);
  void remember(History& history, Access const& access, ThreadOrder const& me);
  bool replaces(Access const& access, ThreadOrder const& me, HistoryEntry const& entry,
                std::size_t entries) const;
  void merge_teams(History& history);
  void note_sites_of(std::uintptr_t granule, HistoryEntry const& entry);
  void merge_clusters(History& history);
  void report_race(std::uintptr_t granule, HistoryEntry const& earlier, SegmentId segment,
                   std::uint32_t lanes, Access const& access, ThreadOrder const& me);
  HistoryPool& pool_of(std::uintptr_t granule);
  /// A reader of a word that has another reader's site.
  void note_site(std::uintptr_t granule, ThreadOrder const& me, SiteId site) {
    region.reads[granule].site |= more_sites_bit;
    note_site(granule, me.segment, me.lane, site);
  }
  void note_site(std::uintptr_t granule, SegmentId segment, std::uint32_t lane, SiteId site) {
    noted_sites_[next_noted_++ % noted_sites_.size()] = {granule, segment, lane, site};
  }
  SiteId site_of_reader(std::uintptr_t granule, SegmentId segment, std::uint32_t lane,
                        SiteId otherwise) const;
  char const* id_of_race(std::uintptr_t offset) const;

  // memory_faults.cpp
  /// @return whether an object ends within the granule, so that this must be asked again
  bool first_touch(std::uintptr_t granule, std::uint32_t bytes, ThreadOrder const& me, bool writes,
                   SiteId site);
  bool check_bounds(std::uintptr_t granule, std::uint32_t bytes, ThreadOrder const& me,
                    AccessKind kind, SiteId site);
  void check_initialised(std::uintptr_t offset, std::uint32_t bytes, SiteId site,
                         ThreadOrder const& me);
  void check_initialised_if_poison(std::uintptr_t offset, std::size_t bytes, SiteId site,
                                   ThreadOrder const& me);
  void access_misaligned(std::uintptr_t offset, std::uint32_t bytes, bool writes, SiteId site);
  void report_misaligned(std::uintptr_t offset, std::uint32_t bytes, bool writes, SiteId site);

  // lifetime.cpp
  void touch_peer(std::uintptr_t offset, ThreadOrder const& me, AccessKind kind, SiteId site);
  void end_team(int team);
  bool is_known_in(int team, SegmentId segment, std::uint32_t lane, bool writes) const;

  // async_order.cpp, async_accesses.cpp
  KnowledgeHandle reads_of(Knowledge const& all) const;
  /// Of an issuer's knowledge what counts for its agents' writes.
  KnowledgeHandle for_writes(KnowledgeHandle known) const;
  void record_copy(Transfer const& transfer);
  void record_rows(Transfer const& transfer, ThreadOrder const& agent, SiteId site);
  void access_of_agent(ThreadOrder const& agent, void const* address, std::size_t bytes,
                       AccessKind kind, SiteId site);
  void touch_as_agent(std::uintptr_t granule, std::uint32_t mask, ThreadOrder const& agent,
                      AccessKind kind, SiteId site);
  void touch_peer_of_agent(std::uintptr_t offset, ThreadOrder const& agent, AccessKind kind,
                           SiteId site);
  void require_fence(std::uintptr_t granule, std::uint32_t mask, ThreadOrder const& agent,
                     AccessKind kind, SiteId site);
  void require_initialised(ThreadOrder const& agent, void const* address, std::size_t bytes,
                           SiteId site);
  void note_use_of_scratch(int team, Agent agent, void const* address, bool writes, SiteId site);

  // atomic_order.cpp
  void observe_releases(ReleasesByAddress const& releases, std::uintptr_t address,
                        AtomicAccess access, int thread);
  void add_release_of(ReleasesByAddress& releases, std::uintptr_t address, AtomicAccess access,
                      int thread, SiteId site);
  void touch_atomic(std::uintptr_t offset, AtomicAccess access, bool wrote, SiteId site);
  Fences& fences_of(int thread);
  bool reaches(AtomicScope scope, ThreadOrder const& from, std::uint32_t cluster,
               std::uint16_t team) const;

  void add(AccessFault fault);
  void report(char const* id, std::uintptr_t offset, std::uint32_t bytes, ThreadOrder const& me,
              AccessKind kind, SiteId site, int peer = -1);
  int team_of(std::uintptr_t offset) const;
  /// Notes the barrier. @return whether it orders anything
  bool orders(Site site, BarrierKind kind);

  // What hooks look at comes first.
  ClusterOrder order_;
  int const* running_index_ = nullptr;
  LaunchCheck* launch_ = nullptr;
  std::uintptr_t scratch_ = 0;
  std::uintptr_t scratch_bytes_ = 0;
  SegmentId first_in_scratch_ = 0;
  SegmentId first_in_launch_ = 0;
  std::uint32_t launch_number_ = 0;
  bool is_observed_ = false;
  bool watches_lifetime_ = false;
  ClusterState& cluster_;
  int worker_ = 0;
  SegmentSource source_;
  AccessFaults faults_;
  HistoryPool scratch_histories_;
  ReleasesByAddress scratch_releases_;
  std::unique_lock<std::mutex> foreign_releases_;  ///< during an atomic on global memory
  std::vector<Fences> fences_;  ///< by thread; none before the first fence or release met
  Site ignored_;                ///< barriers of this site order nothing
  BarrierNotes barriers_;

  /// Where readers read that came to a word after its first one: the last few thousand.
  struct NotedSite {
    std::uintptr_t granule = 0;
    SegmentId segment = 0;
    std::uint32_t lane = 0;
    SiteId site = unknown_site;
  };
  std::vector<NotedSite> noted_sites_ = std::vector<NotedSite>(std::size_t{1} << 14U);
  std::size_t next_noted_ = 0;

  /// The scratch object that was touched last, in whole granules.
  std::uintptr_t last_object_ = 0;
  std::uintptr_t last_object_bytes_ = 0;

  /// ManualLifetime: by accessing thread and owning team, the last read and the last write.
  struct PeerAccess {
    SegmentId segment = 0;
    SiteId site = unknown_site;
    std::uintptr_t offset = 0;
  };
  std::vector<PeerAccess> peer_accesses_;
  PeerAccess& peer_access(int accessor, int owner, bool writes) {
    return peer_accesses_[static_cast<std::size_t>((accessor * order_.teams() + owner) * 2 +
                                                   (writes ? 1 : 0))];
  }
  std::vector<int> threads_left_;  ///< by team

  struct ScratchUse {
    int team = 0;
    bool writes = false;
    Agent agent;
    void const* address = nullptr;
    SiteId site = unknown_site;
  };
  std::vector<ScratchUse> scratch_uses_;
};

/// The check of the cluster that this OS thread runs, or null.
extern __attribute__((tls_model("initial-exec"))) thread_local ClusterCheck* running_check;

inline ThreadOrder ClusterCheck::running() const { return order_.thread(*running_index_); }

}  // namespace kohort::simulator
