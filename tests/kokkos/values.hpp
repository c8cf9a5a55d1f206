// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace kohort_kokkos_test {

/// Values that repeat, with a least and a largest one in known places.
KOKKOS_INLINE_FUNCTION int value_at(int i) {
  return i == 17 ? -5 : i == 101 ? 900 : i * 7 % 31 + 1;
}

}  // namespace kohort_kokkos_test
