// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.hpp"

using Policy = kohort::ClusterPolicy<Space>;
using Member = Policy::member_type;
using Share = Kokkos::View<double*, Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;

void soften(Matrix const& x) {
  constexpr int teams = 4;
  constexpr int share = columns / teams;
  Policy policy(rows * teams, Kokkos::AUTO);
  policy.set_cluster_size(teams).set_scratch_size(0, Kokkos::PerTeam(Share::shmem_size(share)));
  Kokkos::parallel_for(
      "soften", policy, KOKKOS_LAMBDA(Member const& member) {
        int const row = member.cluster_league_rank();
        int const first = member.cluster_rank() * share;
        Share const mine(member.team_scratch(0), share);
        auto const range = Kokkos::TeamThreadRange(member, share);
        double most = -1e300;
        Kokkos::parallel_for(range, [&](int i) {
          mine(i) = x(row, first + i);
          most = Kokkos::fmax(most, mine(i));
        });
        most = member.cluster_reduce(most, kohort::Max{});
        double sum = 0;
        Kokkos::parallel_for(range, [&](int i) {
          mine(i) = Kokkos::exp(mine(i) - most);
          sum += mine(i);
        });
        sum = member.cluster_reduce(sum);
        Kokkos::parallel_for(range, [&](int i) { x(row, first + i) = mine(i) / sum; });
      });
}

KOHORT_STEP("step 4")
