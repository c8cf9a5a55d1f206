// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: peer() maps a View of this space
#include <kohort/kokkos.hpp>

using Policy = kohort::ClusterPolicy<Kokkos::DefaultExecutionSpace>;
using Member = Policy::member_type;

using Cells = Kokkos::View<int*, Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;

void launch(Kokkos::View<int*> const& device) {
  Kokkos::parallel_for(
      "peer", Policy(4, 32), KOKKOS_LAMBDA(Member const& member) {
#ifdef KOHORT_CONTROL
        Cells const cells(member.cluster_scratch(0), 8);
        member.peer(cells, 0)(0) = device(0);
#else
        member.peer(device, 0)(0) = 1;
#endif
      });
}
