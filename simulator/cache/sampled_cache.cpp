// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sampled_cache.hpp"

#include <algorithm>

namespace kohort::simulator {
namespace {

/// Neighbours in every stride go to different sets, as caches' own hashes see to (a multiplication
/// by the golden ratio; D. Knuth, The Art of Computer Programming 3, 6.4).
std::uint64_t scattered(std::uint64_t line) { return line * 0x9e3779b97f4a7c15U >> 20U; }

}  // namespace

SampledCache::SampledCache(long long bytes, int one_in)
    : sets_(std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes) / (line_bytes * ways), 1)),
      one_in_(std::min(static_cast<std::uint64_t>(one_in), sets_)),
      ways_of_((sets_ + one_in_ - 1) / one_in_ * ways) {}

void SampledCache::access(std::uint64_t line, bool writes) {
  std::uint64_t const set = scattered(line) % sets_;
  if (set % one_in_ != 0) return;
  auto const first = ways_of_.begin() + static_cast<std::ptrdiff_t>(set / one_in_ * ways);
  auto const end = first + ways;
  auto found = std::find_if(first, end, [&](Way const& way) { return way.line == line; });
  bool const hit = found != end;
  if (writes) {
    ++seen_.writes;
  } else {
    ++seen_.reads;
    seen_.read_hits += hit ? 1 : 0;
  }
  if (!hit) {
    found = end - 1;
    seen_.written_back += found->is_changed ? 1 : 0;
    *found = {line, false};
  }
  found->is_changed |= writes;
  std::rotate(first, found, found + 1);
}

CacheCounts SampledCache::counts() const {
  CacheCounts all = seen_;
  all.written_back += std::count_if(ways_of_.begin(), ways_of_.end(),
                                    [](Way const& way) { return way.is_changed; });
  auto const scale = static_cast<long long>(one_in_);
  all.reads *= scale;
  all.read_hits *= scale;
  all.writes *= scale;
  all.written_back *= scale;
  return all;
}

}  // namespace kohort::simulator
