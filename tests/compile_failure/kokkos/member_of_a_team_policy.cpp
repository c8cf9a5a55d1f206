// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the functor is called as functor(Policy::member_type const& member)
#include <kohort/kokkos.hpp>

using Policy = kohort::ClusterPolicy<Kokkos::DefaultExecutionSpace>;
using Member = Policy::member_type;

using TeamMember = Kokkos::TeamPolicy<Kokkos::DefaultExecutionSpace>::member_type;

void launch() {
#ifdef KOHORT_CONTROL
  Kokkos::parallel_for("ours", Policy(4, 32), KOKKOS_LAMBDA(Member const&){});
#else
  Kokkos::parallel_for("TeamPolicy's", Policy(4, 32), KOKKOS_LAMBDA(TeamMember const&){});
#endif
}
