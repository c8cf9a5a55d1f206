// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device_code.hpp>

#include <type_traits>

namespace kohort::Impl {

enum class LaneExchange { index, up, down, exclusive_or };

/// The first lane of the calling lane's tile, counted in the warp.
template <int Lanes>
KOHORT_FUNCTION int tile_first_lane() {
  if constexpr (Lanes >= 32) {
    return 0;
  } else {
    KOHORT_CUDA_DEVICE_BODY(return threadIdx.x & 31 & ~(Lanes - 1);)
  }
}

/// The tile's lanes as the hardware's mask. Tiles of one warp may run apart, so a tile names only
/// its own. A whole warp names all 32: lanes that a partial last warp lacks count as exited, and
/// no instruction waits for those.
template <int Lanes>
KOHORT_FUNCTION unsigned tile_mask() {
  if constexpr (Lanes >= 32) {
    return 0xffffffffu;
  } else {
    return ((1u << Lanes) - 1) << tile_first_lane<Lanes>();
  }
}

template <int Lanes, LaneExchange Way>
KOHORT_FUNCTION unsigned exchange_word([[maybe_unused]] unsigned word,
                                       [[maybe_unused]] int argument) {
  if constexpr (Way == LaneExchange::index) {
    KOHORT_CUDA_DEVICE_BODY(return __shfl_sync(tile_mask<Lanes>(), word, argument, Lanes);)
  } else if constexpr (Way == LaneExchange::up) {
    KOHORT_CUDA_DEVICE_BODY(return __shfl_up_sync(tile_mask<Lanes>(), word, argument, Lanes);)
  } else if constexpr (Way == LaneExchange::down) {
    KOHORT_CUDA_DEVICE_BODY(return __shfl_down_sync(tile_mask<Lanes>(), word, argument, Lanes);)
  } else {
    KOHORT_CUDA_DEVICE_BODY(return __shfl_xor_sync(tile_mask<Lanes>(), word, argument, Lanes);)
  }
}

/// Moves a value of any size between lanes, one 32-bit word at a time.
template <int Lanes, LaneExchange Way, class T>
KOHORT_FUNCTION T exchange_lanes(T const& value, int argument) {
  static_assert(std::is_trivially_copyable_v<T>,
                "values that lanes exchange are trivially copyable");
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned word[words] = {};
  __builtin_memcpy(word, &value, sizeof(T));
  for (int i = 0; i < words; ++i) word[i] = exchange_word<Lanes, Way>(word[i], argument);
  T result = value;
  __builtin_memcpy(&result, word, sizeof(T));
  return result;
}

}  // namespace kohort::Impl
