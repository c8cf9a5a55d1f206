// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Step 1: two teams that read each other's on-chip memory.
#include <kohort/kohort.hpp>

#include <cstdio>
#include <vector>

constexpr int team_size = 256;

/// Averages each element of `in` with the same element of the neighbouring team; `teams` is even.
template <class Target>
void average_with_neighbour(Target const& target, float const* in, float* out, int teams) {
  using Policy = kohort::ClusterPolicy<Target, kohort::ClusterDims<2>,
                                       kohort::ClusterScratch<float[team_size]>>;
  Policy policy(target, teams, team_size);

  kohort::parallel_for(
      "average_with_neighbour", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        int const element = member.league_rank() * team_size + thread;
        auto tile = member.cluster_scratch();  // mine, and mappable by my peers
        tile[thread] = in[element];
        member.cluster_barrier();
        auto neighbour = member.peer(tile, member.cluster_rank() ^ 1);  // a handle, never a copy
        out[element] = 0.5f * (tile[thread] + neighbour[thread]);
      });
}

int main() {
  kohort::UnitTarget const target;
  int const teams = 64;
  std::vector<float> numbers(teams * team_size);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  std::vector<float> averages(numbers.size());

  kohort::Buffer<float, kohort::UnitTarget> in(target, numbers.size());
  kohort::Buffer<float, kohort::UnitTarget> out(target, numbers.size());
  kohort::deep_copy(in, numbers);
  average_with_neighbour(target, in.data(), out.data(), teams);
  kohort::deep_copy(averages, out);  // waits for the kernel

  std::size_t right = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::size_t const pair = i ^ team_size;
    if (averages[i] == 0.5f * (numbers[i] + numbers[pair])) ++right;
  }
  std::printf("device   %s\n", kohort::properties(target).device.c_str());
  std::printf("league   %d teams of %d threads in %d clusters\n", teams, team_size, teams / 2);
  std::printf("right    %zu of %zu elements\n", right, numbers.size());
  return right == numbers.size() ? 0 : 1;
}
