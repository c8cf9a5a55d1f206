// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/operations.hpp>
#include <kohort/simulator/thread.hpp>

#include <cstddef>
#include <cstdint>

/// Phased barriers and async copies, as a running kernel asks for them. Each call may switch to
/// another simulated thread, and each can end in a Finding: then it does not return.
///
/// Barriers and scratch are named as the calling thread's team has them, also where a peer's are
/// meant.
namespace kohort::simulator {

/// A phase completes once `arrivals` came, and all the bytes that were expected.
void init_transfer_barrier(Thread& thread, void* barrier, int arrivals, Site site);
/// What init_transfer_barrier() did may be known to the cluster from the next barrier on.
void fence_transfer_barrier_init(Thread& thread, Site site);
void arrive_at_transfer_barrier(Thread& thread, void* barrier, Site site);
/// The same at the twin in team `rank`. `publishes_writes`: false of a relaxed arrival.
void arrive_at_peers_transfer_barrier(Thread& thread, void* barrier, int rank,
                                      bool publishes_writes, Site site);
void expect_bytes(Thread& thread, void* barrier, int bytes, bool arrives, Site site);
/// Until the phase with this parity is over; `scope`: whose publications are seen after it.
void wait_for_transfer_barrier(Thread& thread, void* barrier, std::uint32_t parity,
                               AtomicScope scope, Site site);
/// A wait at a place that no Waiter has.
[[noreturn]] void report_waiter_index(Thread& thread, int index, Site site);
/// Ordinary writes before it are seen by copies and products.
void fence_before_transfer(Thread& thread, Site site);

/// Device memory to scratch, and scratch to device memory.
void load_async(Thread& thread, void* scratch, void const* device, int bytes, void* barrier,
                Site site);
void store_async(Thread& thread, void* device, void const* scratch, int bytes, Site site);
/// To the twin of `object` in team `rank`: a value of 4, 8 or 16 B, or this team's scratch.
void push_value_async(Thread& thread, void* object, int rank, void const* value, int bytes,
                      void* barrier, Site site);
void push_async(Thread& thread, void* objects, int rank, void const* source, int bytes,
                void* barrier, Site site);

/// What can be added to device memory.
enum class TileElement : std::uint8_t {
  other,
  bfloat16,
  float16,
  float32,
  float64,
  int32,
  uint32,
  int64,
  uint64
};

/// A tensor seen as boxes. Dimension 0 is contiguous; extents, strides and box count elements.
struct Tile {
  std::byte* data = nullptr;
  int rank = 1;
  int element_bytes = 1;
  TileElement element = TileElement::other;
  int swizzle = 0;  ///< bits of the address that are permuted: 0, 1, 2, 3 for 0, 32, 64, 128 B
  int split = 1;    ///< pieces along the last dimension
  long long extents[5] = {1, 1, 1, 1, 1};
  long long strides[5] = {1, 1, 1, 1, 1};
  int box[5] = {1, 1, 1, 1, 1};

  std::uint32_t box_bytes() const {
    auto bytes = static_cast<std::uint32_t>(element_bytes);
    for (int d = 0; d < rank; ++d) bytes *= static_cast<std::uint32_t>(box[d]);
    return bytes;
  }
};

/// `at`: the box's first element, tile.rank numbers.
void tile_load_async(Thread& thread, Tile const& tile, int const* at, void* destination,
                     void* barrier, Site site);

/// Of a multicast, what the calling team issues: slices `first`, `first + step`, … to the teams
/// whose bits are set.
struct Multicast {
  std::uint32_t ranks = 1;
  int first = 0;
  int step = 1;
};
void tile_multicast_async(Thread& thread, Tile const& tile, int const* at, void* destination,
                          void* barrier, Multicast const& multicast, Site site);
void tile_store_async(Thread& thread, Tile const& tile, int const* at, void const* source,
                      bool adds, Site site);

/// Until at most `pending` batches of the thread's stores, the latest, are under way; a batch is
/// what was stored since the last wait. `read_only`: until their scratch was read.
void wait_for_stores(Thread& thread, int pending, bool read_only, Site site);

}  // namespace kohort::simulator
