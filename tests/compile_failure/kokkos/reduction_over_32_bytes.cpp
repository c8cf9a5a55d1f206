// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: trivially copyable and at most 32 B
#include <kohort/kokkos.hpp>

using Policy = kohort::ClusterPolicy<Kokkos::DefaultExecutionSpace>;
using Member = Policy::member_type;

#ifdef KOHORT_CONTROL
constexpr int count = 4;
#else
constexpr int count = 5;
#endif
struct Several {
  double values[count] = {};
  KOKKOS_FUNCTION Several& operator+=(Several const& other) {
    for (int i = 0; i < count; ++i) values[i] += other.values[i];
    return *this;
  }
};

void launch() {
  Several sums;
  Kokkos::parallel_reduce(
      "several", Policy(4, 32), KOKKOS_LAMBDA(Member const&, Several& to) { to.values[0] += 1; },
      sums);
}
