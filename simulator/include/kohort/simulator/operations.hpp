// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/thread.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

/// What a running kernel asks of the engine. Each call may switch to another simulated thread, and
/// each can end in a Finding: then it does not return.
namespace kohort::simulator {

#if defined(__GNUC__) && !defined(__clang__)
/// Called through the address itself: the jump in between was 2 % of a tree reduction. Clang has no
/// such attribute.
#define KOHORT_SIMULATOR_NO_PLT __attribute__((noplt))
#else
#define KOHORT_SIMULATOR_NO_PLT
#endif

KOHORT_SIMULATOR_NO_PLT void team_barrier(Thread& thread, Site site);
/// @param id  1 … 7
void named_barrier(Thread& thread, int id, int subgroups, Site site);
/// The 128 neighbouring threads that the thread belongs to meet.
void warpgroup_barrier(Thread& thread, Site site);

/// Of a launch in software clusters: the thread's team is one of software cluster `number`.
void join_software_cluster(Thread& thread, int number);
/// Device memory that a copy in software touches, for observers: the engine's own copies tell
/// themselves, and in check mode the copy's instrumented accesses do.
void note_copy(Thread& thread, void const* address, std::size_t bytes, bool writes);
/// No domain of the profile got a whole software cluster: the library has launched what `validate`
/// should have refused. @throws std::logic_error  that says so
[[noreturn]] void no_software_cluster();

/// Which barrier of the cluster a thread is at: the launcher's own are the same hardware barrier
/// as the kernel's, so that pairing one with another is possible, and a finding.
enum class ClusterBarrierKind : std::uint8_t { entry, inner, closing };

/// `publishes_writes`: false of a relaxed arrival, which hands back what was only read.
void cluster_arrive(Thread& thread, ClusterBarrierKind kind, bool publishes_writes, Site site);
void cluster_wait(Thread& thread, Site site);
void arrive_token_dropped(Thread& thread, Site site);
void arrive_token_spent_twice(Thread& thread, Site site);

/// How lanes choose whose value they receive.
enum class ExchangeKind : std::uint8_t { barrier, index, up, down, exclusive_or, ballot };

/// A rendezvous of the lanes of a tile, in which each receives `bytes` of the lane that it names.
struct Exchange {
  ExchangeKind kind = ExchangeKind::barrier;
  int lanes = 0;          ///< of the tile; its first lane is a multiple of it
  int argument = 0;       ///< source lane, distance, mask, or the ballot's predicate
  std::size_t bytes = 0;  ///< of the value
  void const* sent = nullptr;
  void* received = nullptr;  ///< the value, or the ballot's 64-bit result
};

void exchange(Thread& thread, Exchange const& request, Site site);

/// The same place in the block of team `rank` of the cluster.
void* map_peer(Thread& thread, void* mine, int rank, Site site);
/// A peer that a cluster of `size` teams does not have.
[[noreturn]] void report_peer_rank(Thread& thread, int rank, int size, Site site);

/// The thread that this OS thread is running, or null outside kernels.
Thread* current_thread() noexcept;

enum class AtomicScope : std::uint8_t { team, cluster, device, system };
enum class AtomicOrder : std::uint8_t {
  relaxed,
  acquire,
  release,
  acquire_release,
  sequentially_consistent
};

struct AtomicAccess {
  enum class Kind : std::uint8_t { load, store, update };
  Kind kind = Kind::update;
  std::uint8_t bytes = 4;
  AtomicOrder order = AtomicOrder::relaxed;
  AtomicScope scope = AtomicScope::device;
};

/// To be called around every atomic operation of `thread`. The first is a decision point; the
/// second, told whether the operation wrote and whether memory changed, tells a spin from progress.
void before_atomic(Thread& thread, void const* address, AtomicAccess access, Site site);
void after_atomic(Thread& thread, bool wrote, bool changed);

/// Orders the thread's accesses for observers within `scope`.
void fence(Thread& thread, AtomicScope scope, Site site);

/// Device memory: 128-byte aligned and poisoned, so that a read before a write shows.
void* allocate(std::size_t bytes);
void deallocate(void* memory) noexcept;
/// The host copied into device memory.
void written_by_host(void const* memory, std::size_t bytes);
/// The same from device memory, whose unwritten bytes stay so.
void copied_on_device(void const* to, void const* from, std::size_t bytes);

/// What reports call the device memory that holds `inside`, in place of "a Buffer". `describe` is
/// given a byte's distance from `inside`: any, also one outside of the memory. Lasts as long as
/// reports may speak of the memory.
void name_memory(void const* inside, std::function<std::string(std::ptrdiff_t byte)> describe);
/// Whether `memory` lies in the range of addresses that allocate() gives and mode check watches.
bool is_device_memory(void const* memory);

/// The byte with which scratch and device memory begin: as a float -1.2e-12, as an int -1.4e9.
inline constexpr unsigned char poison = 0xAB;

}  // namespace kohort::simulator
