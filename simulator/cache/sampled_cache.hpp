// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/cache.hpp>

#include <cstdint>
#include <vector>

namespace kohort::simulator {

/// A set-associative cache of which some of the sets are looked at.
class SampledCache {
 public:
  static constexpr std::uint64_t line_bytes = 128;
  static constexpr std::size_t ways = 16;

  /// @param bytes   a multiple of a set's 2 KiB, or what is beyond one is not there
  /// @param one_in  sets, of which one is looked at
  SampledCache(long long bytes, int one_in);

  void access(std::uint64_t line, bool writes);
  /// What all sets would count if the rest were like those looked at, changed lines written back.
  CacheCounts counts() const;

 private:
  struct Way {
    std::uint64_t line = ~std::uint64_t{0};
    bool is_changed = false;
  };
  std::uint64_t sets_;
  std::uint64_t one_in_;      ///< sets
  std::vector<Way> ways_of_;  ///< of the sets looked at, the latest used first
  CacheCounts seen_;
};

}  // namespace kohort::simulator
