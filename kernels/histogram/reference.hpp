// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/random_data.hpp>

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace kohort::kernels::histogram {

/// Counts with a plain division a sample.
inline std::vector<unsigned> reference_histogram(std::span<int const> in, int bins, int lower,
                                                 unsigned width) {
  std::vector<unsigned> total(static_cast<std::size_t>(bins), 0);
  std::mutex lock;
  in_parallel_parts(in.size(), [&](std::uint64_t first, std::uint64_t end) {
    std::vector<unsigned> part(total.size(), 0);
    for (std::uint64_t i = first; i < end; ++i) {
      std::int64_t const offset = std::int64_t{in[i]} - lower;
      if (offset < 0 || offset / width >= bins) continue;
      ++part[static_cast<std::size_t>(offset / width)];
    }
    std::lock_guard const guard(lock);
    for (std::size_t bin = 0; bin < total.size(); ++bin) total[bin] += part[bin];
  });
  return total;
}

}  // namespace kohort::kernels::histogram
