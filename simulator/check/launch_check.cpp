// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_check.hpp"

#include <stdexcept>
#include <string>

namespace kohort::simulator {
namespace {

/// Launches in check mode that are under way, from any thread of the host.
std::mutex running_mutex;
int running = 0;

void require_instrumentation(LaunchShape const& shape) {
#if defined(__SANITIZE_ADDRESS__)
  throw std::invalid_argument(
      "kohort: launch of \"" + shape.label +
      "\" in check mode: a build with AddressSanitizer can't check, because "
      "the two instrumentations exclude each other");
#else
  if (!shape.is_instrumented)
    throw std::invalid_argument(
        "kohort: launch of \"" + shape.label +
        "\" in check mode: its kernel was compiled without instrumentation, so nothing of it would "
        "be seen; call kohort_check_target(<target>) in CMake, or use mode run");
  if (shape.scratch_alignment > region_page)
    throw std::invalid_argument("kohort: launch of \"" + shape.label +
                                "\" in check mode: scratch aligned to more than a page of " +
                                std::to_string(region_page) + " B can't be watched");
  if (!region_is_reserved())
    throw std::invalid_argument("kohort: launch of \"" + shape.label +
                                "\" in check mode: no addresses could be reserved for device "
                                "memory and its shadow (is `ulimit -v` set?)");
#endif
}

}  // namespace

LaunchCheck::LaunchCheck(LaunchShape const& shape, int workers, long long clusters)
    : is_parallel_(workers > 1),
      reach_(shape.cluster_scope),
      histories_(static_cast<std::size_t>(workers)) {
  if (reach_ != ClusterScopeReach::cluster) teams_.resize(static_cast<std::size_t>(clusters));
  require_instrumentation(shape);
  shadow_is_in_use.store(true);
  prepare_sites();
  if (is_parallel_) locks_ = std::make_unique<std::atomic<bool>[]>(lock_count);
  std::scoped_lock lock(running_mutex);
  first_segment_ = next_segment(running == 0);
  ++running;
  static std::uint32_t last_number = 0;
  number_ = ++last_number;
}

LaunchCheck::~LaunchCheck() {
  for (HistoryPool& histories : histories_) histories.dissolve(forgotten_segment);
  std::scoped_lock lock(running_mutex);
  --running;
}

History& HistoryPool::take(std::uintptr_t granule) {
  if (free_.empty()) {
    all_.push_back(std::make_unique<History>());
    free_.push_back(all_.back().get());
  }
  History& history = *free_.back();
  free_.pop_back();
  history.granule = granule;
  return history;
}

void HistoryPool::give_back(History& history) {
  history.entries.clear();
  history.granule = ~std::uint64_t{0};
  history.is_at_an_end = false;
  history.merge_at = least_merged_entries;
  free_.push_back(&history);
}

void HistoryPool::dissolve(SegmentId segment) {
  for (auto const& history : all_) {
    if (history->granule == ~std::uint64_t{0}) continue;
    region.writes[history->granule] =
        segment == 0 ? 0
                     : WriteWord::of(std::uint64_t{segment} << 5U, history->written,
                                     history->written, unknown_site)
                           .bits;
    give_back(*history);
  }
}

}  // namespace kohort::simulator
