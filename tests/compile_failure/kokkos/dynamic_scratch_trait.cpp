// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: set_scratch_size(0, Kokkos::PerTeam(bytes), kohort::PerCluster(bytes))
#include <kohort/kokkos.hpp>

using Policy = kohort::ClusterPolicy<Kokkos::DefaultExecutionSpace>;
using Member = Policy::member_type;

void launch() {
#ifdef KOHORT_CONTROL
  Policy(4, 32).set_scratch_size(0, Kokkos::PerTeam(64), kohort::PerCluster(64));
#else
  kohort::ClusterPolicy<Kokkos::DefaultExecutionSpace, kohort::DynamicTeamScratch<int>>(4, 32);
#endif
}
