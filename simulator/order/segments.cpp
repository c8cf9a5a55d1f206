// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "segments.hpp"

#include "../memory/region.hpp"

#include <sys/mman.h>

#include <atomic>
#include <new>

namespace kohort::simulator {
namespace {

constexpr SegmentId chunk = 1024;

/// 0 is no segment. A launch's own begin at a chunk's start.
std::atomic<SegmentId> next_chunk{chunk};

Segment* reserve_segments() {
  void* const memory = mmap(nullptr, most_segments * sizeof(Segment), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, most_segments * sizeof(Segment), MADV_DONTDUMP);
  return static_cast<Segment*>(memory);
}

}  // namespace

Segment* segments = nullptr;

SegmentId SegmentSource::make(Segment const& segment) {
  if (next_ == end_) {
    SegmentId const first = next_chunk.fetch_add(chunk, std::memory_order_relaxed);
    if (first >= most_segments - 256 * chunk) return 0;
    next_ = first;
    end_ = first + chunk;
  }
  segments[next_] = segment;
  return next_++;
}

SegmentId next_segment(bool may_start_over) {
  if (segments == nullptr) segments = reserve_segments();
  if (may_start_over && next_chunk.load() > most_segments / 2) {
    clear_shadow();
    madvise(segments, most_segments * sizeof(Segment), MADV_DONTNEED);
    next_chunk.store(chunk);
  }
  return next_chunk.load();
}

}  // namespace kohort::simulator
