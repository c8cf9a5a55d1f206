// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/thread.hpp>

#include <cstdint>
#include <string>

namespace kohort::simulator {

/// Places in the source as 20-bit numbers, small enough for a shadow word. A plain access is known
/// by its program counter, a call into the library by file and line.
using SiteId = std::uint32_t;

inline constexpr unsigned site_bits = 20;
inline constexpr SiteId unknown_site = 0;

struct SiteEntry {
  std::uintptr_t key = 0;  ///< the program counter, or a hash with the top bit set
  Site site;               ///< of the latter
};
extern SiteEntry* site_table;

/// The search beyond the first place, and the first time.
SiteId find_site(std::uintptr_t program_counter);

__attribute__((always_inline)) inline std::uint32_t site_slot(std::uintptr_t key) {
  return static_cast<std::uint32_t>((key * 0x9e3779b97f4a7c15U) >> (64U - site_bits));
}

__attribute__((always_inline)) inline SiteId site_of(void const* program_counter) {
  auto const key = reinterpret_cast<std::uintptr_t>(program_counter);
  std::uint32_t const slot = site_slot(key);
  if (site_table[slot].key == key) [[likely]]
    return slot;
  return find_site(key);
}

inline constexpr std::uintptr_t call_site_bit = std::uintptr_t{1} << 63U;
SiteId find_site(std::uintptr_t key, Site site);

inline SiteId site_of(Site site) {
  auto const file = reinterpret_cast<std::uintptr_t>(site.file);
  std::uintptr_t const key = call_site_bit | (file * 31U + static_cast<std::uintptr_t>(site.line));
  std::uint32_t const slot = site_slot(key);
  if (site_table[slot].key == key) return slot;
  return find_site(key, site);
}

/// To be called before the first site is asked for.
void prepare_sites();

/// A program counter's file and line, as debug information gives them: of the innermost frame that
/// is not the library's own.
struct SourceLine {
  std::string file;
  int line = 0;
};
SourceLine source_line(SiteId id);
/// "kernels/ring.cpp:41"
std::string place(SiteId id);

}  // namespace kohort::simulator
