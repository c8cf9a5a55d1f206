// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/phased_barrier.hpp>

#include <cuda.h>

#include <cstdint>
#include <cstring>

namespace kohort::Impl {

/// Copies by the copy engine (PTX ISA, "Data movement and conversion instructions: asynchronous
/// copy"). Addresses of 32 bits are shared ones.
struct BulkCopy {
  static KOHORT_FUNCTION void fence_scratch() {
    KOHORT_CUDA_HOPPER_BODY(asm volatile("fence.proxy.async.shared::cta;" ::: "memory");)
  }
  static KOHORT_FUNCTION void load([[maybe_unused]] std::uint32_t to,
                                   [[maybe_unused]] void const* from, [[maybe_unused]] int bytes,
                                   [[maybe_unused]] std::uint32_t barrier) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(to),
                     "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
                     : "memory");)
  }
  static KOHORT_FUNCTION void store([[maybe_unused]] void* to, [[maybe_unused]] std::uint32_t from,
                                    [[maybe_unused]] int bytes) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         __cvta_generic_to_global(to)),
                     "r"(from), "r"(bytes)
                     : "memory");)
  }
  /// Between the shared memories of two blocks.
  static KOHORT_FUNCTION void push([[maybe_unused]] std::uint32_t to,
                                   [[maybe_unused]] std::uint32_t from, [[maybe_unused]] int bytes,
                                   [[maybe_unused]] std::uint32_t barrier) {
    KOHORT_CUDA_HOPPER_BODY(
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(to),
                     "r"(from), "r"(bytes), "r"(barrier)
                     : "memory");)
  }
  template <class T>
  static KOHORT_FUNCTION void push_value([[maybe_unused]] std::uint32_t to,
                                         [[maybe_unused]] T const& value,
                                         [[maybe_unused]] std::uint32_t barrier) {
    std::uint32_t words[sizeof(T) / 4];
    memcpy(words, &value, sizeof(T));
    if constexpr (sizeof(T) == 4) {
      KOHORT_CUDA_HOPPER_BODY(
          asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 "
                       "[%0], %1, [%2];" ::"r"(to),
                       "r"(words[0]), "r"(barrier)
                       : "memory");)
    } else if constexpr (sizeof(T) == 8) {
      KOHORT_CUDA_HOPPER_BODY(
          asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
                       "[%0], {%1, %2}, [%3];" ::"r"(to),
                       "r"(words[0]), "r"(words[1]), "r"(barrier)
                       : "memory");)
    } else {
      KOHORT_CUDA_HOPPER_BODY(
          asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
                       "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
                       "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "r"(barrier)
                       : "memory");)
    }
  }
  /// What was stored by the calling thread counts as brought to `barrier`, and is visible to who
  /// waits for it.
  static KOHORT_FUNCTION void bring_stored([[maybe_unused]] std::uint32_t barrier,
                                           [[maybe_unused]] int bytes) {
    KOHORT_CUDA_HOPPER_BODY(
        __threadfence_block(); asm volatile(
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
            : "memory");)
  }
  static KOHORT_FUNCTION void prefetch([[maybe_unused]] CUtensorMap const* map) {
    KOHORT_CUDA_HOPPER_BODY(asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");)
  }
  static KOHORT_FUNCTION void commit() {
    KOHORT_CUDA_HOPPER_BODY(asm volatile("cp.async.bulk.commit_group;" ::: "memory");)
  }
  template <int Pending, bool ReadOnly>
  static KOHORT_FUNCTION void wait_group() {
    if constexpr (ReadOnly) {
      KOHORT_CUDA_HOPPER_BODY(asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending)
                                           : "memory");)
    } else {
      KOHORT_CUDA_HOPPER_BODY(asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending)
                                           : "memory");)
    }
  }

  static KOHORT_FUNCTION bool is_elected() {
    KOHORT_CUDA_HOPPER_BODY(std::uint32_t elected = 0;
                            asm volatile("{\n.reg .pred one;\nelect.sync _|one, 0xffffffff;\n"
                                         "selp.b32 %0, 1, 0, one;\n}"
                                         : "=r"(elected));
                            return elected != 0;)
  }
  /// A hint, and nothing on targets without the architecture's own features (sm_90, sm_100).
  template <int Count, bool Grows>
  static KOHORT_FUNCTION void set_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL)
    if constexpr (Grows) {
      asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
    } else {
      asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
    }
#endif
  }
};

/// Boxes of a tensor of `Rank` dimensions; `last` takes the place of the last of the coordinates.
template <int Rank>
struct TileCopy;

/// TileCopy of one rank: `at_<i>` names its coordinates as operands from the i-th on, and the
/// macro's last arguments pass them.
#define KOHORT_CUDA_TILE_COPY(rank, at_2, at_3, at_4, ...)                                         \
  template <>                                                                                      \
  struct TileCopy<rank> {                                                                          \
    static KOHORT_FUNCTION void load([[maybe_unused]] CUtensorMap const* map,                      \
                                     [[maybe_unused]] int const (&at)[rank],                       \
                                     [[maybe_unused]] int last, [[maybe_unused]] std::uint32_t to, \
                                     [[maybe_unused]] std::uint32_t barrier) {                     \
      KOHORT_CUDA_HOPPER_BODY(                                                                     \
          asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.tile"               \
                       ".mbarrier::complete_tx::bytes [%0], [%1, {" at_3 "}], [%2];" ::"r"(to),    \
                       "l"(map), "r"(barrier), __VA_ARGS__                                         \
                       : "memory");)                                                               \
    }                                                                                              \
    static KOHORT_FUNCTION void load_multicast([[maybe_unused]] CUtensorMap const* map,            \
                                               [[maybe_unused]] int const (&at)[rank],             \
                                               [[maybe_unused]] int last,                          \
                                               [[maybe_unused]] std::uint32_t to,                  \
                                               [[maybe_unused]] std::uint32_t barrier,             \
                                               [[maybe_unused]] std::uint32_t ranks) {             \
      KOHORT_CUDA_HOPPER_BODY(                                                                     \
          asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.tile"               \
                       ".mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {" at_4        \
                       "}], [%2], %3;" ::"r"(to),                                                  \
                       "l"(map), "r"(barrier), "h"(static_cast<std::uint16_t>(ranks)), __VA_ARGS__ \
                       : "memory");)                                                               \
    }                                                                                              \
    static KOHORT_FUNCTION void store([[maybe_unused]] CUtensorMap const* map,                     \
                                      [[maybe_unused]] int const (&at)[rank],                      \
                                      [[maybe_unused]] int last,                                   \
                                      [[maybe_unused]] std::uint32_t from) {                       \
      KOHORT_CUDA_HOPPER_BODY(asm volatile("cp.async.bulk.tensor." #rank                           \
                                           "d.global.shared::cta.tile.bulk_group [%0, {" at_2      \
                                           "}], [%1];" ::"l"(map),                                 \
                                           "r"(from), __VA_ARGS__                                  \
                                           : "memory");)                                           \
    }                                                                                              \
    static KOHORT_FUNCTION void add([[maybe_unused]] CUtensorMap const* map,                       \
                                    [[maybe_unused]] int const (&at)[rank],                        \
                                    [[maybe_unused]] int last,                                     \
                                    [[maybe_unused]] std::uint32_t from) {                         \
      KOHORT_CUDA_HOPPER_BODY(asm volatile("cp.reduce.async.bulk.tensor." #rank                    \
                                           "d.global.shared::cta.add.tile.bulk_group [%0, {" at_2  \
                                           "}], [%1];" ::"l"(map),                                 \
                                           "r"(from), __VA_ARGS__                                  \
                                           : "memory");)                                           \
    }                                                                                              \
  };

KOHORT_CUDA_TILE_COPY(1, "%2", "%3", "%4", "r"(last))
KOHORT_CUDA_TILE_COPY(2, "%2, %3", "%3, %4", "%4, %5", "r"(at[0]), "r"(last))
KOHORT_CUDA_TILE_COPY(3, "%2, %3, %4", "%3, %4, %5", "%4, %5, %6", "r"(at[0]), "r"(at[1]),
                      "r"(last))
KOHORT_CUDA_TILE_COPY(4, "%2, %3, %4, %5", "%3, %4, %5, %6", "%4, %5, %6, %7", "r"(at[0]),
                      "r"(at[1]), "r"(at[2]), "r"(last))
KOHORT_CUDA_TILE_COPY(5, "%2, %3, %4, %5, %6", "%3, %4, %5, %6, %7", "%4, %5, %6, %7, %8",
                      "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(last))

#undef KOHORT_CUDA_TILE_COPY

}  // namespace kohort::Impl
