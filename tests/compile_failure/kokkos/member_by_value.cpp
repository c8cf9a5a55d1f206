// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: takes the member by const reference
#include <kohort/kokkos.hpp>

using Policy = kohort::ClusterPolicy<Kokkos::DefaultExecutionSpace>;
using Member = Policy::member_type;

void launch() {
#ifdef KOHORT_CONTROL
  Kokkos::parallel_for("by reference", Policy(4, 32), KOKKOS_LAMBDA(Member const&){});
#else
  Kokkos::parallel_for("by value", Policy(4, 32), KOKKOS_LAMBDA(Member){});
#endif
}
