// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/registers.hpp>

#include <type_traits>

namespace kohort::Impl {

/// What another lane of the wavefront holds (ds_bpermute, by the lane's number).
struct HipShuffle {
  template <class T>
  static KOHORT_FUNCTION T from_lane(T const& value, [[maybe_unused]] int lane) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "values that lanes exchange are trivially copyable");
    constexpr int words = (sizeof(T) + 3) / 4;
    int word[words] = {};
    __builtin_memcpy(word, &value, sizeof(T));
    KOHORT_HIP_DEVICE_BODY(KOHORT_UNROLL for (int i = 0; i < words; ++i) word[i] =
                               __builtin_amdgcn_ds_bpermute(lane * 4, word[i]);
                           T result = value; __builtin_memcpy(&result, word, sizeof(T));
                           return result;)
  }

  static KOHORT_FUNCTION int lane() { return HipRegisters::thread() % HipRegisters::wavefront; }

  /// Whether all lanes of the wavefront are here.
  static KOHORT_FUNCTION bool is_whole_wavefront() {
    KOHORT_HIP_DEVICE_BODY(return __builtin_amdgcn_ballot_w64(true) == ~0ULL;)
  }

  /// The lane of a tile of `Lanes` that an exchange reads; the caller's own where there is none.
  template <int Lanes>
  static KOHORT_FUNCTION int in_tile(int place) {
    int const mine = lane();
    int const first = mine - mine % Lanes;
    return place < 0 || place >= Lanes ? mine : first + place;
  }
};

}  // namespace kohort::Impl
