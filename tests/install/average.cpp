// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "average.hpp"

#include <kohort/kohort.hpp>

void average_with_neighbour(float const* in, float* out, int teams) {
  using Target = kohort::KOHORT_UNIT_TARGET;
  using Policy = kohort::ClusterPolicy<Target, kohort::ClusterDims<2>,
                                       kohort::ClusterScratch<float[team_size]>>;
  Target target;
  Policy policy(target, teams, team_size);
  kohort::parallel_for(
      "average_with_neighbour", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        int const element = member.league_rank() * team_size + thread;
        auto tile = member.cluster_scratch();
        tile[thread] = in[element];
        member.cluster_barrier();
        auto neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        out[element] = 0.5f * (tile[thread] + neighbour[thread]);
      });
  target.fence("average_with_neighbour");
}
