// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos.hpp>

#include <cmath>
#include <cstdio>

/// What every step shares: rows of data, and the host's own softmax of them to compare with.
using Space = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Space::memory_space>;

constexpr int rows = 6;
constexpr int columns = 4096;

void soften(Matrix const& x);  // the step's: each row becomes exp(x - max) / sum

inline int run(char const* step) {
  Matrix const x("x", rows, columns);
  auto const host = Kokkos::create_mirror(x);  // a copy, also where x is on the host
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < columns; ++i) host(row, i) = std::sin(row + 0.37 * i) * 5;
  Kokkos::deep_copy(x, host);
  soften(x);
  auto const found = Kokkos::create_mirror_view(x);
  Kokkos::deep_copy(found, x);
  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    double most = host(row, 0);
    for (int i = 0; i < columns; ++i) most = std::fmax(most, host(row, i));
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += std::exp(host(row, i) - most);
    for (int i = 0; i < columns; ++i)
      worst = std::fmax(worst, std::fabs(found(row, i) * sum / std::exp(host(row, i) - most) - 1));
  }
  std::printf("%s: %s\n", step, worst < 1e-12 ? "right" : "wrong");
  return worst < 1e-12 ? 0 : 1;
}

#define KOHORT_STEP(name)                        \
  int main(int argc, char** argv) {              \
    Kokkos::ScopeGuard const kokkos(argc, argv); \
    return run(name);                            \
  }
