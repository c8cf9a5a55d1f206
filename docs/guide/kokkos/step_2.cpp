// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.hpp"

using Policy = kohort::ClusterPolicy<Space>;
using Member = Policy::member_type;

void soften(Matrix const& x) {
  Policy const policy(rows, Kokkos::AUTO);
  Kokkos::parallel_for(
      "soften", policy, KOKKOS_LAMBDA(Member const& member) {
        int const row = member.league_rank();
        auto const range = Kokkos::TeamThreadRange(member, columns);
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

KOHORT_STEP("step 2")
