// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "region.hpp"

#include <kohort/simulator/operations.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace kohort::simulator {

Region region;
std::atomic<bool> shadow_is_in_use{false};

namespace {

constexpr std::size_t gigabyte = std::size_t{1} << 30;
/// Shadow bytes a byte.
constexpr std::size_t shadow_factor = (sizeof(std::uint64_t) + sizeof(ReadCell)) / 4;
/// A large block's memory goes back to the system when it is freed; smaller ones are soon wanted.
constexpr std::size_t kept_bytes = std::size_t{64} << 20;
constexpr std::size_t most_quarantined = 256;

struct Block {
  std::size_t bytes = 0;  ///< asked for
  std::size_t pages = 0;  ///< taken, the one behind included
  bool is_live = true;
  bool is_scratch = false;
  std::map<std::uintptr_t, std::uintptr_t> host_writes;  ///< begin → end, merged
  std::uintptr_t named_from = 0;                         ///< where `describe` counts from
  std::function<std::string(std::ptrdiff_t)> describe;
};

class Heap {
 public:
  Heap() { reserve(); }

  std::byte* take(std::size_t bytes, PageUse use) {
    // Addresses are plenty: memory is what runs out.
    if (bytes > physical_memory_) throw std::bad_alloc();
    std::scoped_lock lock(mutex_);
    std::size_t const pages = (std::max<std::size_t>(bytes, 1) + region_page - 1) / region_page + 1;
    std::uintptr_t const begin = find(pages);
    Block block;
    block.bytes = bytes;
    block.pages = pages;
    block.is_scratch = use == PageUse::scratch;
    blocks_[begin] = std::move(block);
    Page* const taken = region.pages + (begin - region.base) / region_page;
    for (std::size_t page = 0; page + 1 < pages; ++page) taken[page].use = use;
    if (use == PageUse::whole && bytes % region_page != 0) taken[pages - 2].use = PageUse::partial;
    return reinterpret_cast<std::byte*>(begin);
  }

  void give_back(std::byte* memory, bool quarantine) {
    std::scoped_lock lock(mutex_);
    auto const found = blocks_.find(reinterpret_cast<std::uintptr_t>(memory));
    if (found == blocks_.end()) return;
    auto& [begin, block] = *found;
    Page* const left = region.pages + (begin - region.base) / region_page;
    std::fill(left, left + block.pages, Page{});
    if (shadow_is_in_use.load(std::memory_order_relaxed))
      drop_shadow(begin, block.pages * region_page);
    if (block.pages * region_page > kept_bytes)
      madvise(memory, block.pages * region_page, MADV_DONTNEED);
    block.is_live = false;
    block.host_writes.clear();
    if (!quarantine) {
      release(begin);
      return;
    }
    quarantine_.push_back(begin);
    if (quarantine_.size() <= most_quarantined) return;
    release(quarantine_.front());
    quarantine_.pop_front();
  }

  Allocation nearest(std::uintptr_t address) {
    std::scoped_lock lock(mutex_);
    auto const above = blocks_.upper_bound(address);
    Allocation const after = above == blocks_.end() ? Allocation{} : allocation(*above);
    if (above == blocks_.begin()) return after;
    Allocation const before = allocation(*std::prev(above));
    bool const inside = address < before.begin + before.bytes;
    if (inside || after.bytes == 0) return before;
    if (before.is_live != after.is_live) return before.is_live ? before : after;
    return address - (before.begin + before.bytes) <= after.begin - address ? before : after;
  }

  void note_host_write(std::uintptr_t begin, std::uintptr_t end) {
    std::scoped_lock lock(mutex_);
    auto block = blocks_.upper_bound(begin);
    if (block == blocks_.begin() || begin == end) return;
    auto& writes = std::prev(block)->second.host_writes;
    auto next = writes.upper_bound(begin);
    if (next != writes.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
    }
    while (next != writes.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = writes.erase(next);
    }
    writes[begin] = end;
  }

  void name(std::uintptr_t inside, std::function<std::string(std::ptrdiff_t)> describe) {
    std::scoped_lock lock(mutex_);
    auto block = blocks_.upper_bound(inside);
    if (block == blocks_.begin()) return;
    --block;
    if (inside >= block->first + block->second.bytes) return;
    block->second.named_from = inside;
    block->second.describe = std::move(describe);
  }

  std::string name_near(std::uintptr_t begin, std::uintptr_t address) {
    std::function<std::string(std::ptrdiff_t)> describe;
    std::uintptr_t from = 0;
    {
      std::scoped_lock lock(mutex_);
      auto const block = blocks_.find(begin);
      if (block == blocks_.end() || !block->second.describe) return {};
      describe = block->second.describe;
      from = block->second.named_from;
    }
    return describe(static_cast<std::ptrdiff_t>(address - from));  // it may ask for memory itself
  }

  bool host_wrote(std::uintptr_t begin, std::uintptr_t end) {
    std::scoped_lock lock(mutex_);
    auto block = blocks_.upper_bound(begin);
    if (block == blocks_.begin()) return false;
    auto const& writes = std::prev(block)->second.host_writes;
    auto const next = writes.upper_bound(begin);
    return next != writes.begin() && std::prev(next)->second >= end;
  }

 private:
  static Allocation allocation(std::pair<std::uintptr_t const, Block> const& block) {
    return {block.first, block.second.bytes, block.second.is_live, block.second.is_scratch};
  }

  void reserve() {
#if !defined(__SANITIZE_ADDRESS__)
    for (std::size_t bytes = 1024 * gigabyte; bytes >= 4 * gigabyte; bytes /= 4) {
      std::size_t const pages = bytes / region_page;
      std::size_t const all = bytes * (1 + shadow_factor) + pages * sizeof(Page);
      void* const memory = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) continue;
      madvise(memory, all, MADV_DONTDUMP);
      auto* at = static_cast<std::byte*>(memory);
      region.base = reinterpret_cast<std::uintptr_t>(at);
      next_ = region.base + region_page;  // the first block has a page of nobody's before it
      at += bytes;
      region.writes = reinterpret_cast<std::uint64_t*>(at);
      at += bytes * 2;
      region.reads = reinterpret_cast<ReadCell*>(at);
      at += bytes / 4 * sizeof(ReadCell);
      region.pages = reinterpret_cast<Page*>(at);
      region.bytes = bytes;
      return;
    }
#endif
  }

  /// A free run of pages: the smallest that fits, or new ones.
  std::uintptr_t find(std::size_t pages) {
    auto const fits = free_.lower_bound(pages);
    if (fits != free_.end() && fits->first <= 2 * pages + 16) {
      std::uintptr_t const begin = fits->second;
      std::size_t const left = fits->first - pages;
      free_.erase(fits);
      if (left > 0) free_.emplace(left, begin + pages * region_page);
      return begin;
    }
    std::uintptr_t const begin = next_;
    if (region.bytes == 0 || begin + pages * region_page > region.base + region.bytes)
      throw std::bad_alloc();
    next_ += pages * region_page;
    return begin;
  }

  void release(std::uintptr_t begin) {
    auto const found = blocks_.find(begin);
    free_.emplace(found->second.pages, begin);
    blocks_.erase(found);
  }

  static void drop_shadow(std::uintptr_t begin, std::size_t bytes) {
    std::size_t const offset = begin - region.base;
    madvise(region.writes + offset / 4, bytes * 2, MADV_DONTNEED);
    madvise(region.reads + offset / 4, bytes / 4 * sizeof(ReadCell), MADV_DONTNEED);
  }

  std::size_t const physical_memory_ = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                       static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::mutex mutex_;
  std::uintptr_t next_ = 0;
  std::map<std::uintptr_t, Block> blocks_;
  std::multimap<std::size_t, std::uintptr_t> free_;
  std::deque<std::uintptr_t> quarantine_;
};

/// Never destroyed: buffers with static storage may outlive it.
Heap& heap() {
  static Heap* const one = new Heap;
  return *one;
}

/// Whether a kernel in check mode wrote the byte, by the shadow's write word (check/cells.hpp).
bool device_wrote(std::uintptr_t address) {
  std::uintptr_t const offset = address - region.base;
  return (region.writes[offset / 4] >> (24U + offset % 4) & 1U) != 0;
}

}  // namespace

bool region_is_reserved() {
  heap();
  return region.bytes > 0;
}

std::byte* allocate_pages(std::size_t bytes, PageUse use) { return heap().take(bytes, use); }

void free_pages(std::byte* memory, bool quarantine) noexcept {
  heap().give_back(memory, quarantine);
}

Allocation allocation_near(std::uintptr_t address) { return heap().nearest(address); }

std::string name_near(std::uintptr_t begin, std::uintptr_t address) {
  return heap().name_near(begin, address);
}

bool is_device_memory(void const* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) - region.base < region.bytes;
}

void name_memory(void const* inside, std::function<std::string(std::ptrdiff_t byte)> describe) {
  if (is_device_memory(inside))
    heap().name(reinterpret_cast<std::uintptr_t>(inside), std::move(describe));
}

void note_host_write(void const* address, std::size_t bytes) {
  auto const begin = reinterpret_cast<std::uintptr_t>(address);
  if (begin - region.base < region.bytes) heap().note_host_write(begin, begin + bytes);
}

/// Memory that is not poison was written by someone; of poison the shadow and the host's copies
/// tell.
void note_copy(void const* to, void const* from, std::size_t bytes) {
  auto const source = reinterpret_cast<std::uintptr_t>(from);
  auto const destination = reinterpret_cast<std::uintptr_t>(to);
  if (destination - region.base >= region.bytes) return;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= bytes; ++at) {
    bool const is_written = at < bytes && (static_cast<unsigned char const*>(from)[at] != poison ||
                                           device_wrote(source + at) ||
                                           heap().host_wrote(source + at, source + at + 1));
    if (is_written) continue;
    if (at > begin) heap().note_host_write(destination + begin, destination + at);
    begin = at + 1;
  }
}

bool host_wrote(std::uintptr_t address, std::size_t bytes) {
  return heap().host_wrote(address, address + bytes);
}

void clear_shadow() {
  madvise(region.writes, region.bytes * 2, MADV_DONTNEED);
  madvise(region.reads, region.bytes / 4 * sizeof(ReadCell), MADV_DONTNEED);
}

}  // namespace kohort::simulator
