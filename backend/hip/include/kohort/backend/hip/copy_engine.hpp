// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/emulated/phased_barrier.hpp>
#include <kohort/backend/emulated/tile_copy.hpp>
#include <kohort/backend/hip/emulated_platform.hpp>
#include <kohort/backend/hip/named_barrier.hpp>
#include <kohort/backend/hip/registers.hpp>
#include <kohort/backend/hip/thread.hpp>

namespace kohort::Impl {

/// A box that a pipeline's producer asks for.
struct HipCopy {
  EmulatedTile tile;  ///< a copy: the producer's own may be in memory that is its alone
  int at[5];
  int rank;
  int last;        ///< of the last dimension: the first element,
  int last_count;  ///< and how many
  int bytes;
  void* destination;
  TransferBarrier* barrier;
};

/// A wavefront that copies, because gfx9 has no engine that does. The warpgroup of a pipeline's
/// producer has two: one thread of the first asks, all lanes of the second copy together and tell
/// the barrier when the bytes are there, so that the producer goes on at once.
///
/// `posted` and `done` count copies; copy i lies in place i % slots from `posted` > i to `done` >
/// i. The word `producer` (HipNamedBarriers, zero when a kernel begins) tells who asks: 0 nobody,
/// or the thread's rank + 1, or `ending`. Each word has one writer at a time: the producer opens
/// and ends, the copying wavefront closes. tests/models/copy_engine.pml searches that.
struct HipCopyEngine {
  static constexpr unsigned slots = 4;
  static constexpr unsigned ending = ~0U;
  struct State {
    HipCopy copies[slots];
    unsigned posted;
    unsigned done;
  };

  static KOHORT_FUNCTION State& state() {
    KOHORT_HIP_DEVICE_BODY(__shared__ alignas(16) std::byte memory[sizeof(State)];
                           return *reinterpret_cast<State*>(memory);)
  }
  static KOHORT_FUNCTION unsigned* producer() {
    return HipNamedBarriers::words() + HipNamedBarriers::ids;
  }
  /// Whether the calling thread's copies are done by the wavefront beside it.
  static KOHORT_FUNCTION bool is_mine() {
    return load(producer()) == static_cast<unsigned>(HipRegisters::thread()) + 1U;
  }

  /// By the producer's thread, once the engine of a pipeline before is closed.
  static KOHORT_FUNCTION void open() {
    while (load(producer()) != 0) pause();
    HipFences::acquire<Scope::team>();
    store(&state().posted, 0);
    store(&state().done, 0);
    publish(producer(), static_cast<unsigned>(HipRegisters::thread()) + 1U);
  }
  /// By the producer's thread. Waits for all that it asked for, also what was for no stage.
  static KOHORT_FUNCTION void end() {
    while (load(&state().done) != load(&state().posted)) pause();
    publish(producer(), ending);
  }

  /// By the producer's thread; waits for a place. @param write  writes the copy there, in LDS
  template <class Write>
  static KOHORT_FUNCTION void post(Write const& write) {
    State& shared = state();
    unsigned const number = load(&shared.posted);
    while (number - load(&shared.done) == slots) pause();
    HipFences::acquire<Scope::team>();  // the place's last copy was read
    write(shared.copies[number % slots]);
    publish(&shared.posted, number + 1);
  }

  /// By the whole second wavefront, from before open() until after end().
  static KOHORT_FUNCTION void serve() {
    State& shared = state();
    unsigned done = 0;
    while (load(producer()) == 0) pause();
    HipFences::acquire<Scope::team>();
    for (;;) {
      unsigned const posted = load(&shared.posted);
      HipFences::acquire<Scope::team>();
      if (posted == done) {
        // Who ends has nothing under way.
        if (load(producer()) == ending) break;
        pause();
        continue;
      }
      // Whatever was asked for meanwhile is under way together.
      for (unsigned i = done; i != posted; ++i) begin(shared.copies[i % slots]);
      all_done();
      for (unsigned i = done; i != posted; ++i) bring(shared.copies[i % slots]);
      done = posted;
      if (HipShuffle::lane() == 0) publish(&shared.done, done);
    }
    if (HipShuffle::lane() == 0) publish(producer(), 0);
  }

 private:
  static KOHORT_FUNCTION unsigned load([[maybe_unused]] unsigned* word) {
    KOHORT_HIP_DEVICE_BODY(
        return __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);)
  }
  static KOHORT_FUNCTION void store([[maybe_unused]] unsigned* word,
                                    [[maybe_unused]] unsigned value) {
    KOHORT_HIP_DEVICE_BODY(
        __hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); return;)
  }
  /// Release at team scope: both wavefronts are of one workgroup, and what they share is LDS.
  static KOHORT_FUNCTION void publish(unsigned* word, unsigned value) {
    HipFences::release<Scope::team>();
    store(word, value);
  }
  static KOHORT_FUNCTION void pause() {
    KOHORT_HIP_DEVICE_BODY(__builtin_amdgcn_s_sleep(1); return;)
  }

  static KOHORT_FUNCTION void begin(HipCopy const& copy) {
    switch (copy.rank) {
      case 1:
        return begin_ranked<1>(copy);
      case 2:
        return begin_ranked<2>(copy);
      case 3:
        return begin_ranked<3>(copy);
      case 4:
        return begin_ranked<4>(copy);
      default:
        return begin_ranked<5>(copy);
    }
  }
  template <int Rank>
  static KOHORT_FUNCTION void begin_ranked(HipCopy const& copy) {
    int at[Rank];
    KOHORT_UNROLL
    for (int d = 0; d < Rank; ++d) at[d] = copy.at[d];
    EmulatedBox<Rank> const box(copy.tile, at, copy.last, copy.last_count);
    box.load_together(copy.destination, HipShuffle::lane(), HipRegisters::wavefront,
                      [](std::byte* place, std::byte const* memory) { move(place, memory); });
  }

  /// 16 B of device memory to `place`, which lies 16 B behind the lane's before. On gfx950 from
  /// memory to LDS without a register, if all lanes' places are in LDS.
  static KOHORT_FUNCTION void move([[maybe_unused]] std::byte* place,
                                   [[maybe_unused]] std::byte const* memory) {
#if defined(__gfx950__)
    if (__builtin_amdgcn_is_shared(place)) {
      using Lds = __attribute__((address_space(3))) void;
      using Global = __attribute__((address_space(1))) void;
      // The instruction adds 16 B a lane by itself.
      auto const offset =
          static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>((Lds*)place)) -
          static_cast<std::uint32_t>(HipShuffle::lane()) * 16U;
      auto const first =
          static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(offset)));
      __builtin_amdgcn_global_load_lds(
          (Global*)const_cast<std::byte*>(memory),
          (Lds*)(reinterpret_cast<Lds*>(static_cast<std::uintptr_t>(first))), 16, 0, 0);
      return;
    }
#endif
    *reinterpret_cast<Piece*>(place) = *reinterpret_cast<Piece const*>(memory);
  }
  /// Every lane's copies, those by the compiler's own loads and those to LDS.
  static KOHORT_FUNCTION void all_done() {
    KOHORT_HIP_DEVICE_BODY(asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::
                                            : "memory");
                           __builtin_amdgcn_wave_barrier(); return;)
  }
  static KOHORT_FUNCTION void bring(HipCopy const& copy) {
    if (HipShuffle::lane() == 0)
      EmulatedPhasedBarrier<Hip>::update(0, copy.barrier, 0, -copy.bytes, CallSite{});
  }
};

}  // namespace kohort::Impl
