// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example applications under mode check and several schedules: no access is at fault.
#include <gtest/gtest.h>

#include <portability/kokkos/example/conjugate_gradient.hpp>
#include <portability/kokkos/example/row_solver.hpp>

#include <string>

namespace {

using Space = Kokkos::DefaultExecutionSpace;

class UnderSchedule : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    kohort::kokkos_simulator() = kohort::Simulator({.mode = "check", .schedule = GetParam()});
  }
};

TEST_P(UnderSchedule, ConjugateGradientsAreClean) {
  example::Grids<Space> const right("right", 2, 8, 12);
  example::Grids<Space> const solution("solution", 2, 8, 12);
  Kokkos::deep_copy(right, 1.0);
  EXPECT_NO_THROW(example::ClusterConjugateGradient<Space>::solve(right, solution, 3, 4));
}

TEST_P(UnderSchedule, RowSolversAreClean) {
  example::Rows<Space> const rows("rows", 2, 64);
  example::Solutions<Space> const solution("solution", 2, 64);
  for (int i = 0; i < 64; ++i) {
    rows(0, i) = {i > 0 ? 0.5 : 0, 3, i < 63 ? 0.25 : 0, 1};
    rows(1, i) = rows(0, i);
  }
  EXPECT_NO_THROW(example::ClusterRowSolver<Space>::solve(rows, solution, 4));
}

INSTANTIATE_TEST_SUITE_P(Applications, UnderSchedule,
                         ::testing::Values("rank", "reverse", "last:1", "random:7", "pct:3:5"));

}  // namespace
