// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/simulator/cache.hpp>

#include "../engine/launch_state.hpp"
#include "../transfer/tile_copy.hpp"
#include "sampled_cache.hpp"

#include <map>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace kohort::simulator {
namespace {

struct Box {
  Tile tile;
  int at[5];
};

/// What a place for a team asked for, in its order.
struct Event {
  std::uint64_t clock;  ///< bytes that the place had asked for before
  std::uint64_t address;
  std::uint32_t bytes;
  std::int32_t box;  ///< in Lane::boxes, or -1
  bool writes;
};

struct Lane {
  int domain = 0;
  std::uint64_t clock = 0;
  std::vector<Event> events;
  std::vector<Box> boxes;
};

/// Addresses as a device could have them: pages in the order of their first use, so that counts do
/// not depend on where this process happens to have its memory.
class Pages {
 public:
  std::uint64_t line_of(std::uint64_t address) {
    std::uint64_t const page = address / page_bytes;
    if (page != last_) {
      frame_ = frames_.try_emplace(page, frames_.size()).first->second;
      last_ = page;
    }
    return (frame_ * page_bytes + address % page_bytes) / SampledCache::line_bytes;
  }

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  std::unordered_map<std::uint64_t, std::uint64_t> frames_;
  std::uint64_t last_ = ~std::uint64_t{0};
  std::uint64_t frame_ = 0;
};

void access(SampledCache& cache, Pages& pages, std::uint64_t address, std::uint64_t bytes,
            bool writes) {
  std::uint64_t const end = address + bytes;
  for (std::uint64_t at = address / SampledCache::line_bytes * SampledCache::line_bytes; at < end;
       at += SampledCache::line_bytes)
    cache.access(pages.line_of(at), writes);
}

void access(SampledCache& cache, Pages& pages, Lane const& lane, Event const& event) {
  if (event.box < 0) return access(cache, pages, event.address, event.bytes, event.writes);
  Box const& box = lane.boxes[static_cast<std::size_t>(event.box)];
  for (int r = 0; r < rows_of(box.tile); ++r) {
    TileRow const row = row_of(box.tile, box.at, r);
    if (row.memory == nullptr) continue;
    access(cache, pages, reinterpret_cast<std::uint64_t>(row.memory),
           static_cast<std::uint64_t>(row.count) * box.tile.element_bytes, event.writes);
  }
}

}  // namespace

struct CacheModel::State {
  int one_in = 1;
  std::mutex mutex;
  DeviceProfile const* profile = nullptr;
  std::map<std::pair<int, int>, Lane> lanes;  ///< by SM and place on it
  std::vector<CacheCounts> domains;

  Lane& lane_of(Thread const& thread) {
    auto const& cluster = static_cast<ClusterState const&>(*thread.team->cluster);
    TeamPlace const place = cluster.launch->placement().place(cluster.slot, thread.team->rank);
    Lane& lane = lanes[{place.sm, place.sm_slot}];
    lane.domain = profile->l2_is_per_group ? place.group : 0;
    return lane;
  }
  void note(Lane& lane, Event event, std::uint64_t bytes) {
    event.clock = lane.clock;
    lane.clock += bytes;
    lane.events.push_back(event);
  }
  void replay();
};

/// All lanes at once, the one that asked for least so far first.
void CacheModel::State::replay() {
  std::size_t const count = profile->l2_is_per_group ? profile->sm_groups.size() : 1;
  std::vector<SampledCache> caches(
      count, SampledCache(profile->l2_bytes / static_cast<long long>(count), one_in));
  Pages pages;
  using Next = std::pair<std::uint64_t, std::size_t>;  // clock, lane
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  std::vector<Lane const*> all;
  std::vector<std::size_t> done;
  for (auto const& [place, lane] : lanes) {
    if (!lane.events.empty()) queue.emplace(0, all.size());
    all.push_back(&lane);
    done.push_back(0);
  }
  while (!queue.empty()) {
    std::size_t const number = queue.top().second;
    queue.pop();
    Lane const& lane = *all[number];
    access(caches[static_cast<std::size_t>(lane.domain)], pages, lane, lane.events[done[number]]);
    if (++done[number] < lane.events.size()) queue.emplace(lane.events[done[number]].clock, number);
  }
  domains.clear();
  for (SampledCache const& cache : caches) domains.push_back(cache.counts());
}

CacheCounts& CacheCounts::operator+=(CacheCounts const& other) {
  reads += other.reads;
  read_hits += other.read_hits;
  writes += other.writes;
  written_back += other.written_back;
  return *this;
}

CacheModel::CacheModel(int one_in) : state_(std::make_unique<State>()) {
  if (one_in < 1)
    throw std::invalid_argument("kohort: CacheModel looks at one set in 1 or more, not in " +
                                std::to_string(one_in));
  state_->one_in = one_in;
}
CacheModel::~CacheModel() = default;

std::vector<CacheCounts> const& CacheModel::domains() const { return state_->domains; }

CacheCounts CacheModel::total() const {
  CacheCounts all;
  for (CacheCounts const& one : state_->domains) all += one;
  return all;
}

void CacheModel::launch_started(LaunchShape const&, EngineOptions const& options, long long) {
  state_->profile = options.profile;
  state_->lanes.clear();
}

void CacheModel::memory_accessed(Thread const& thread, void const* address, std::size_t bytes,
                                 bool writes) {
  std::scoped_lock const lock(state_->mutex);
  state_->note(
      state_->lane_of(thread),
      {0, reinterpret_cast<std::uint64_t>(address), static_cast<std::uint32_t>(bytes), -1, writes},
      bytes);
}

void CacheModel::box_accessed(Thread const& thread, Tile const& tile, int const* at, bool writes) {
  std::scoped_lock const lock(state_->mutex);
  Lane& lane = state_->lane_of(thread);
  Box box{tile, {}};
  std::copy_n(at, tile.rank, box.at);
  lane.boxes.push_back(box);
  state_->note(lane, {0, 0, 0, static_cast<std::int32_t>(lane.boxes.size()) - 1, writes},
               tile.box_bytes());
}

void CacheModel::launch_ended(LaunchCounts const&) {
  state_->replay();
  state_->lanes.clear();
}

}  // namespace kohort::simulator
