// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <vector>

#include "average.hpp"

int main() {
  int const teams = 8;
  std::vector<float> in(teams * team_size);
  std::vector<float> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  average_with_neighbour(in.data(), out.data(), teams);
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::size_t const pair = i / team_size % 2 == 0 ? i + team_size : i - team_size;
    if (out[i] != 0.5f * (in[i] + in[pair])) {
      std::printf("element %zu is %g, expected %g\n", i, out[i], 0.5f * (in[i] + in[pair]));
      return 1;
    }
  }
  std::printf("%zu elements averaged with their neighbours\n", in.size());
}
