// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.hpp"

using Policy = kohort::ClusterPolicy<Space>;
using Member = Policy::member_type;

void soften(Matrix const& x) {
  constexpr int teams = 4;
  Policy policy(rows * teams, Kokkos::AUTO);
  policy.set_cluster_size(teams);
  Kokkos::parallel_for(
      "soften", policy, KOKKOS_LAMBDA(Member const& member) {
        int const row = member.cluster_league_rank();
        auto const range = kohort::ClusterThreadRange(member, columns);
        double most = 0;
        Kokkos::parallel_reduce(
            range, [&](int i, double& to) { to = Kokkos::fmax(to, x(row, i)); },
            Kokkos::Max<double>(most));
        double sum = 0;
        Kokkos::parallel_reduce(
            range, [&](int i, double& to) { to += Kokkos::exp(x(row, i) - most); }, sum);
        Kokkos::parallel_for(range,
                             [&](int i) { x(row, i) = Kokkos::exp(x(row, i) - most) / sum; });
      });
}

KOHORT_STEP("step 3")
