// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../engine/state.hpp"
#include "cluster_check.hpp"

#include <algorithm>

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
constexpr std::size_t most_exact_releases = 8;

void add_release(std::vector<Released>& all, Released const& one, bool carries_all) {
  if (carries_all && all.size() >= most_exact_releases)
    std::erase_if(all, [&](Released const& other) { return other.scope <= one.scope; });
  for (Released& other : all) {
    if (other.scope != one.scope || other.cluster != one.cluster || other.team != one.team)
      continue;
    other.published = joined(other.published, one.published);
    return;
  }
  all.push_back(one);
}

}  // namespace

bool ClusterCheck::reaches(AtomicScope scope, ThreadOrder const& from, std::uint32_t cluster,
                           std::uint16_t team) const {
  if (scope >= AtomicScope::device) return true;
  bool const same_cluster = cluster == static_cast<std::uint32_t>(cluster_.index);
  return same_cluster && (scope == AtomicScope::cluster || team == from.team);
}

template <class Use>
void ClusterCheck::with_releases(std::uintptr_t address, Use const& use) {
  if (is_scratch(address - region.base)) {
    use(scratch_releases_);
  } else {
    launch_->with_releases(address, use);
  }
}

void ClusterCheck::before_atomic(void const* address, AtomicAccess access, SiteId site) {
  int const thread = cluster_.scheduler.running();
  is_in_atomic_ = true;
  auto const at = reinterpret_cast<std::uintptr_t>(address);
  if (at - region.base >= region.bytes || access.kind == AtomicAccess::Kind::load) return;
  ThreadOrder const& me = order_.thread(thread);
  Fences const* const fences = fences_.empty() ? nullptr : &fences_[static_cast<std::size_t>(thread)];
  bool const by_fence = fences != nullptr && fences->released != nullptr;
  bool const store = access.kind == AtomicAccess::Kind::store;
  Released released{access.scope, static_cast<std::uint32_t>(cluster_.index), me.team, nullptr};
  if (releases(access.order)) {
    released.published = order_.publish(thread);
  } else if (by_fence) {
    released.published = fences->released;
    released.scope = std::min(access.scope, fences->scope);
  }
  with_releases(at, [&](ReleasesByAddress& releases) {
    // A store begins a sequence anew; an update goes on with the one it meets.
    if (store) releases.erase(at);
    if (released.published != nullptr)
      add_release(releases[at], released, acquires(access.order));
  });
  if (releases(access.order)) order_.begin_segment(thread, site);
}

void ClusterCheck::after_atomic(void const* address, AtomicAccess access, bool wrote, SiteId site) {
  int const thread = cluster_.scheduler.running();
  is_in_atomic_ = false;
  auto const at = reinterpret_cast<std::uintptr_t>(address);
  if (at - region.base >= region.bytes) return;
  if (access.kind != AtomicAccess::Kind::store) {
    with_releases(at, [&](ReleasesByAddress& releases) {
      auto const found = releases.find(at);
      if (found == releases.end()) return;
      ThreadOrder const& me = order_.thread(thread);
      for (Released const& one : found->second) {
        if (!reaches(one.scope, me, one.cluster, one.team) ||
            !reaches(access.scope, me, one.cluster, one.team))
          continue;
        if (acquires(access.order)) {
          order_.acquire(thread, one.published);
        } else {
          if (fences_.empty()) fences_.resize(cluster_.threads.size());
          Fences& fences = fences_[static_cast<std::size_t>(thread)];
          fences.seen.push_back(one);
        }
      }
    });
  }
  std::uintptr_t const offset = at - region.base;
  ThreadOrder const& me = order_.thread(thread);
  AccessKind const kind = wrote ? AccessKind::atomic_write : AccessKind::atomic_read;
  if (is_scratch(offset) && watches_lifetime_) touch_peer(offset, me, wrote, site);
  if (access.kind != AtomicAccess::Kind::store && !wrote)
    check_initialised_if_poison(offset, access.bytes, site);
  if (!is_scratch(offset)) launch_->lock(offset >> 2U);
  touch_atomic(offset, access.bytes, {kind, access.scope, 0, site}, me);
  if (!is_scratch(offset)) launch_->unlock(offset >> 2U);
}

void ClusterCheck::touch_atomic(std::uintptr_t offset, std::uint32_t bytes, Access access,
                                ThreadOrder const& me) {
  for (std::uintptr_t at = offset; at < offset + bytes;) {
    std::uintptr_t const end = std::min((at & ~std::uintptr_t{3}) + 4, offset + bytes);
    access.bytes = ((1U << (end - at)) - 1U) << (at & 3U);
    touch_history(at >> 2U, access, me);
    at = end;
  }
}

void ClusterCheck::fence(AtomicScope scope, SiteId site) {
  int const thread = cluster_.scheduler.running();
  if (fences_.empty()) fences_.resize(cluster_.threads.size());
  Fences& fences = fences_[static_cast<std::size_t>(thread)];
  ThreadOrder const& me = order_.thread(thread);
  for (Released const& one : fences.seen)
    if (reaches(scope, me, one.cluster, one.team)) order_.acquire(thread, one.published);
  fences.seen.clear();
  fences.released = order_.publish(thread);
  fences.scope = scope;
  order_.begin_segment(thread, site);
}

void ClusterCheck::access_volatile(std::uintptr_t offset, std::uint32_t bytes, bool writes,
                                   SiteId site) {
  if (is_in_atomic_) return;
  // PTX: a volatile operation is a relaxed one at system scope.
  ThreadOrder const& me = running();
  if (is_scratch(offset) && watches_lifetime_) touch_peer(offset, me, writes, site);
  AccessKind const kind = writes ? AccessKind::atomic_write : AccessKind::atomic_read;
  if (!writes) check_initialised_if_poison(offset, bytes, site);
  if (!is_scratch(offset)) launch_->lock(offset >> 2U);
  touch_atomic(offset, bytes, {kind, AtomicScope::system, 0, site}, me);
  if (!is_scratch(offset)) launch_->unlock(offset >> 2U);
}

}  // namespace kohort::simulator
