// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of first_cluster.cpp without Kohort, with the guards that Kohort's launcher adds.
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

constexpr int team_size = 256;

__global__ void __cluster_dims__(2) average_with_neighbour(float const* in, float* out) {
  namespace cg = cooperative_groups;
  __shared__ float tile[team_size];
  cg::cluster_group const cluster = cg::this_cluster();
  int const thread = threadIdx.x;
  int const element = blockIdx.x * team_size + thread;
  tile[thread] = in[element];
  cluster.sync();
  float const* neighbour = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  out[element] = 0.5f * (tile[thread] + neighbour[thread]);
  cluster.sync();  // or the block could exit while its neighbour still reads its tile
}

int main() {
  int const teams = 64;
  std::vector<float> numbers(teams * team_size);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  std::vector<float> averages(numbers.size());
  std::size_t const bytes = numbers.size() * sizeof(float);

  float* in = nullptr;
  float* out = nullptr;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(in, numbers.data(), bytes, cudaMemcpyHostToDevice);
  average_with_neighbour<<<teams, team_size>>>(in, out);
  cudaError_t const error = cudaMemcpy(averages.data(), out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  std::size_t right = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (averages[i] == 0.5f * (numbers[i] + numbers[i ^ team_size])) ++right;
  }
  std::printf("right    %zu of %zu elements\n", right, numbers.size());
  return right == numbers.size() ? 0 : 1;
}
