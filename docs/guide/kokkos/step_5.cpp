// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.hpp"

using Policy = kohort::ClusterPolicy<Space, kohort::ClusterDims<4>, Kokkos::LaunchBounds<256>>;
using Member = Policy::member_type;
using Share = Kokkos::View<double*, Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;

void soften(Matrix const& x) {
  constexpr int share = columns / 4;
  Policy policy(rows * 4, 256);
  policy.set_scratch_size(0, Kokkos::PerTeam(Share::shmem_size(share)),
                          kohort::PerCluster(Share::shmem_size(2)));
  Kokkos::parallel_for(
      "soften", policy, KOKKOS_LAMBDA(Member const& member) {
        int const row = member.cluster_league_rank();
        int const first = member.cluster_rank() * share;
        Share const mine(member.team_scratch(0), share);
        Share const told(member.cluster_scratch(0), 2);  // a team's largest value and its sum
        auto const range = Kokkos::TeamThreadRange(member, share);
        double most = 0;
        Kokkos::parallel_reduce(
            range,
            [&](int i, double& to) {
              mine(i) = x(row, first + i);
              to = Kokkos::fmax(to, mine(i));
            },
            Kokkos::Max<double>(most));
        double sum = 0;
        Kokkos::parallel_reduce(
            range,
            [&](int i, double& to) {
              mine(i) = Kokkos::exp(mine(i) - most);
              to += mine(i);
            },
            sum);
        Kokkos::single(Kokkos::PerTeam(member), [&] {
          told(0) = most;
          told(1) = sum;
        });
        member.cluster_barrier();  // the one wait for the peers: both values are there
        double all_most = most;
        for (int rank = 0; rank < 4; ++rank)
          all_most = Kokkos::fmax(all_most, member.peer(told, rank)(0));
        double all_sum = 0;
        for (int rank = 0; rank < 4; ++rank) {
          auto const theirs = member.peer(told, rank);
          all_sum += theirs(1) * Kokkos::exp(theirs(0) - all_most);
        }
        double const scale = Kokkos::exp(most - all_most) / all_sum;
        Kokkos::parallel_for(range, [&](int i) { x(row, first + i) = mine(i) * scale; });
      });
}

KOHORT_STEP("step 5")
