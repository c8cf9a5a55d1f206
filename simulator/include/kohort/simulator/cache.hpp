// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/observer.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace kohort::simulator {

/// What the L2 cache of a domain was asked for during a launch, in lines of 128 B.
struct CacheCounts {
  long long reads = 0;
  long long read_hits = 0;
  long long writes = 0;
  long long written_back = 0;  ///< changed lines that left for the memory behind, all in the end

  /// 0 … 1; 0 where nothing was read.
  double read_hit_rate() const {
    return reads == 0 ? 0 : static_cast<double>(read_hits) / static_cast<double>(reads);
  }
  /// Bytes to and from the memory behind the cache.
  long long memory_bytes() const { return (reads - read_hits + written_back) * 128; }
  CacheCounts& operator+=(CacheCounts const& other);
};

/// Counts hits in the L2 caches of a launch: one a group of SMs where the profile says so, else one
/// for the device. It sees copies, and in check mode every access of an instrumented kernel
/// but atomics; ordinary accesses of run mode it does not see. Of copies in software it sees the
/// tensor, in check mode also cluster scratch that lies in device memory.
///
/// Teams that are resident together count as equally fast: what each of an SM's places asks for is
/// put in order by the bytes that it asked for before. Caches are empty when a launch begins, have
/// 16 ways and lines of 128 B (AMD CDNA 3 architecture white paper: an XCD's L2), least recently
/// used first out. It tells how often data are found, not how long anything
/// takes.
///
/// An observer: name it in SimulatorOptions::observers. The counts are of the last launch.
class CacheModel : public Observer {
 public:
  /// @param one_in  sets of a cache, of which one is looked at: 16 is enough for kernels that read
  ///                megabytes, 1 counts exactly
  /// @throws std::invalid_argument unless it is 1 or more
  explicit CacheModel(int one_in = 16);
  ~CacheModel() override;

  /// By domain; empty before the first launch.
  std::vector<CacheCounts> const& domains() const;
  CacheCounts total() const;

  void launch_started(LaunchShape const&, EngineOptions const&, long long clusters) override;
  bool wants_memory() const override { return true; }
  void memory_accessed(Thread const&, void const* address, std::size_t bytes, bool writes) override;
  void box_accessed(Thread const&, Tile const&, int const* at, bool writes) override;
  void launch_ended(LaunchCounts const&) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kohort::simulator
