// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/state.hpp"
#include "cluster_check.hpp"

#include <algorithm>
#include <atomic>

/// Atomics and fences: what they order, and the accesses that they are. The rules are those of the
/// C++ memory model with the scopes of the PTX one: a release and an acquire meet only if each is
/// in the other's scope.
namespace kohort::simulator {
namespace {

bool releases(AtomicOrder order) {
  return order == AtomicOrder::release || order == AtomicOrder::acquire_release ||
         order == AtomicOrder::sequentially_consistent;
}

bool acquires(AtomicOrder order) {
  return order == AtomicOrder::acquire || order == AtomicOrder::acquire_release ||
         order == AtomicOrder::sequentially_consistent;
}

/// Beyond this many, a release that carries all an earlier one does takes its place, whatever
/// narrower scopes make of it: a grid's barrier would keep one for every team.
constexpr std::size_t most_exact_releases = 256;

void add_release(Releases& at, Released const& one, bool carries_all) {
  std::vector<Released>& all = at.all;
  if (carries_all && one.scope >= AtomicScope::device)
    for (Released& other : all) other.is_carried |= other.scope >= AtomicScope::device;
  if (carries_all && all.size() >= most_exact_releases)
    std::erase_if(all, [&](Released const& other) { return other.scope <= one.scope; });
  for (Released& other : all) {
    if (other.scope != one.scope || other.cluster != one.cluster || other.team != one.team)
      continue;
    other.published = joined(other.published, one.published);
    other.is_carried = false;
    return;
  }
  all.push_back(one);
}

}  // namespace

bool ClusterCheck::reaches(AtomicScope scope, ThreadOrder const& from, std::uint32_t cluster,
                           std::uint16_t team) const {
  if (scope >= AtomicScope::device) return true;
  auto const mine = static_cast<std::uint32_t>(cluster_.index);
  if (scope == AtomicScope::cluster) return launch_->share_a_cluster(cluster, mine);
  return cluster == mine && team == from.team();
}

void ClusterCheck::before_atomic(void const* address, AtomicAccess access, SiteId site) {
  running_check = nullptr;  // hooks within the operation have nothing to tell
  auto const at = reinterpret_cast<std::uintptr_t>(address);
  if (at - region.base >= region.bytes) return;
  std::uintptr_t const offset = at - region.base;
  bool const reads = access.kind != AtomicAccess::Kind::store;
  if (reads) check_initialised_if_poison(offset, access.bytes, site, running());
  if (offset % access.bytes != 0) report_misaligned(offset, access.bytes, !reads, site);
  // Until the operation has been accounted for, nobody else's on the same address may be.
  if (!is_scratch(offset)) foreign_releases_ = launch_->lock_releases(at);
}

/// What the operation acquires comes first: a read-modify-write passes it on.
void ClusterCheck::after_atomic(void const* address, AtomicAccess access, bool wrote, SiteId site) {
  running_check = this;
  auto const at = reinterpret_cast<std::uintptr_t>(address);
  if (at - region.base >= region.bytes) return;
  bool const scratch = is_scratch(at - region.base);
  int const thread = cluster_.scheduler.running();
  ReleasesByAddress& releases = scratch ? scratch_releases_ : launch_->releases(at);
  if (access.kind != AtomicAccess::Kind::store) observe_releases(releases, at, access, thread);
  touch_atomic(at - region.base, access, wrote, site);
  if (wrote) add_release_of(releases, at, access, thread, site);
  if (!scratch) foreign_releases_.unlock();
}

void ClusterCheck::observe_releases(ReleasesByAddress const& releases, std::uintptr_t address,
                                    AtomicAccess access, int thread) {
  auto const found = releases.find(address);
  if (found == releases.end()) return;
  // Who polls meets the same releases again and again.
  Fences& mine = fences_of(thread);
  bool const is_the_same = mine.last_address == address && mine.last_scope == access.scope &&
                           mine.last_order == access.order;
  if (is_the_same && mine.last_version == found->second.version) return;
  mine.last_address = address;
  mine.last_scope = access.scope;
  mine.last_order = access.order;
  mine.last_version = found->second.version;
  for (Released const& one : found->second.all) {
    if (one.is_carried && access.scope >= AtomicScope::device) continue;
    ThreadOrder const me = order_.thread(thread);
    if (!reaches(one.scope, me, one.cluster, one.team) ||
        !reaches(access.scope, me, one.cluster, one.team))
      continue;
    if (one.cluster != static_cast<std::uint32_t>(cluster_.index))
      launch_->note_acquire_of_others();
    if (acquires(access.order)) {
      order_.acquire(thread, one.published);
    } else {
      mine.seen.push_back(one);
    }
  }
}

void ClusterCheck::add_release_of(ReleasesByAddress& releases, std::uintptr_t address,
                                  AtomicAccess access, int thread, SiteId site) {
  Released released;
  released.scope = access.scope;
  released.cluster = static_cast<std::uint32_t>(cluster_.index);
  released.team = order_.thread(thread).team();
  if (kohort::simulator::releases(access.order)) {
    released.published = order_.publish(thread);
    order_.begin_segment(thread, site);
  } else if (!fences_.empty() && fences_of(thread).released != nullptr) {
    released.published = fences_of(thread).released;
    released.scope = std::min(access.scope, fences_of(thread).scope);
  }
  // A store begins a sequence anew; an update goes on with the one it meets.
  if (access.kind == AtomicAccess::Kind::store) releases.erase(address);
  if (released.published != nullptr)
    add_release(releases[address], released,
                kohort::simulator::releases(access.order) && acquires(access.order) &&
                    access.scope >= AtomicScope::device);
  if (released.published == nullptr && access.kind != AtomicAccess::Kind::store) return;
  static std::atomic<std::uint64_t> last_version{0};
  if (auto const found = releases.find(address); found != releases.end())
    found->second.version = ++last_version;
}

ClusterCheck::Fences& ClusterCheck::fences_of(int thread) {
  if (fences_.empty()) fences_.resize(cluster_.threads.size());
  return fences_[static_cast<std::size_t>(thread)];
}

void ClusterCheck::touch_atomic(std::uintptr_t offset, AtomicAccess access, bool wrote,
                                SiteId site) {
  ThreadOrder const me = running();
  bool const scratch = is_scratch(offset);
  AccessKind const kind = wrote ? AccessKind::atomic_write : AccessKind::atomic_read;
  if (scratch && watches_lifetime_) touch_peer(offset, me, kind, site);
  if (!scratch) launch_->lock(offset >> 2U);
  for (std::uintptr_t at = offset; at < offset + access.bytes;) {
    std::uintptr_t const end = std::min((at & ~std::uintptr_t{3}) + 4, offset + access.bytes);
    std::uint32_t const mask = ((1U << (end - at)) - 1U) << (at & 3U);
    if (!scratch) note_page<true>(at >> 2U);
    if (!scratch) note_page<false>(at >> 2U);
    touch_history(at >> 2U, {kind, access.scope, mask, site}, me);
    at = end;
  }
  if (!scratch) launch_->unlock(offset >> 2U);
}

void ClusterCheck::fence(AtomicScope scope, SiteId site) {
  int const thread = cluster_.scheduler.running();
  Fences& fences = fences_of(thread);
  ThreadOrder const me = order_.thread(thread);
  std::erase_if(fences.seen, [&](Released const& one) {
    if (!reaches(scope, me, one.cluster, one.team)) return false;
    order_.acquire(thread, one.published);
    return true;
  });
  fences.released = order_.publish(thread);
  fences.scope = scope;
  order_.begin_segment(thread, site);
}

/// PTX: a volatile operation is a relaxed one at system scope.
void ClusterCheck::access_volatile(std::uintptr_t offset, std::uint32_t bytes, bool writes,
                                   SiteId site) {
  AtomicAccess access;
  access.kind = writes ? AtomicAccess::Kind::store : AtomicAccess::Kind::load;
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.scope = AtomicScope::system;
  void const* const address = reinterpret_cast<void const*>(region.base + offset);
  before_atomic(address, access, site);
  after_atomic(address, access, writes, site);
}

}  // namespace kohort::simulator
