// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sites.hpp"

#include "../report/report.hpp"
#include "backtrace.hpp"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>
#include <new>

namespace kohort::simulator {

SiteEntry* site_table = nullptr;

namespace {

constexpr std::uint32_t slots = 1U << site_bits;
constexpr std::uint32_t longest_search = 1024;

std::mutex insert_mutex;

}  // namespace

/// By linear search from the key's slot; slot 0 stays the unknown site's.
SiteId find_site(std::uintptr_t key, Site site) {
  std::scoped_lock lock(insert_mutex);
  std::uint32_t slot = site_slot(key);
  for (std::uint32_t step = 0; step < longest_search; ++step, slot = (slot + 1) % slots) {
    if (slot == 0) continue;
    std::uintptr_t const found = __atomic_load_n(&site_table[slot].key, __ATOMIC_RELAXED);
    if (found == key) return slot;
    if (found != 0) continue;
    site_table[slot].site = site;
    __atomic_store_n(&site_table[slot].key, key, __ATOMIC_RELEASE);
    return slot;
  }
  return unknown_site;
}

void prepare_sites() {
  static std::once_flag once;
  std::call_once(once, [] {
    void* const memory = mmap(nullptr, slots * sizeof(SiteEntry), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    site_table = static_cast<SiteEntry*>(memory);
  });
}

SiteId find_site(std::uintptr_t program_counter) { return find_site(program_counter, Site{}); }

SourceLine source_line(SiteId id) {
  if (id == unknown_site) return {};
  SiteEntry const& entry = site_table[id];
  if ((entry.key & call_site_bit) != 0) return {entry.site.file, entry.site.line};
  static std::mutex mutex;
  static std::map<SiteId, SourceLine> known;
  std::scoped_lock lock(mutex);
  auto const [found, is_new] = known.try_emplace(id);
  if (is_new) found->second = user_line_of(reinterpret_cast<void*>(entry.key));
  return found->second;
}

std::string place(SiteId id) {
  SourceLine const line = source_line(id);
  if (line.file.empty()) return "(no debug information: build with -g)";
  return place(Site{line.file.c_str(), line.line});
}

}  // namespace kohort::simulator
