// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

/// Simulated device memory and scratch lie in one reserved range of addresses, so that a hook of
/// the checker rejects every other address with one comparison, and finds the shadow of these by
/// arithmetic. Reserved is not used: a page costs memory when it is touched, and the shadow's pages
/// are touched in check mode only.
namespace kohort::simulator {

/// Readers, and the place of the first of them: packed, so that one line of the cache has both.
struct __attribute__((packed, aligned(4))) ReadCell {
  std::uint64_t word = 0;
  std::uint32_t site = 0;
};

/// What a page is: whether a first touch needs a closer look.
enum class PageUse : std::uint8_t { nobodys, whole, partial, scratch };

struct Page {
  /// The last launch, by number, that wrote and read global memory here: where this one did not,
  /// half of the shadow need not be looked at.
  std::uint32_t written_in = 0;
  std::uint32_t read_in = 0;
  PageUse use = PageUse::nobodys;
};

/// Where the region lies. Zeros until the first allocation, and for good where nothing could be
/// reserved or AddressSanitizer watches the heap: then every address is rejected.
struct Region {
  std::uintptr_t base = 0;
  std::uintptr_t bytes = 0;
  // For every 4 B (check/cells.hpp); for every page.
  std::uint64_t* writes = nullptr;  ///< the last write
  ReadCell* reads = nullptr;        ///< the reads since
  Page* pages = nullptr;
};
extern Region region;

/// Whether a launch in check mode has begun in this process: until then the shadow is empty.
extern std::atomic<bool> shadow_is_in_use;

inline constexpr std::size_t region_page = 4096;

/// Whether addresses can be watched in this process. Reserves the region on the first call.
bool region_is_reserved();

/// Page-aligned memory with at least one page of nobody's behind it. Its shadow is empty.
/// @throws std::bad_alloc
std::byte* allocate_pages(std::size_t bytes, PageUse use);
/// `quarantine`: keeps the addresses out of use for a while, so that a late access is seen.
void free_pages(std::byte* memory, bool quarantine) noexcept;

/// An allocation of device memory, for reports.
struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool is_live = false;
  bool is_scratch = false;
};
/// The allocation that holds `address`, or else the nearest one, live ones first; `bytes` 0: none.
Allocation allocation_near(std::uintptr_t address);

/// What `address` is called in or near the allocation that begins at `begin`; empty: nobody named
/// it.
std::string name_near(std::uintptr_t begin, std::uintptr_t address);

/// The host wrote these bytes of a device allocation.
void note_host_write(void const* address, std::size_t bytes);
/// As many of these as were ever written where they come from.
void note_copy(void const* to, void const* from, std::size_t bytes);
bool host_wrote(std::uintptr_t address, std::size_t bytes);

/// Forgets every access: after the segments' numbers were used up.
void clear_shadow();

}  // namespace kohort::simulator
