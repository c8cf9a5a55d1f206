// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example applications: plain Kokkos and clusters give the same answers, in fewer launches.
#include "recorder.hpp"
#include "space.hpp"

#include <portability/kokkos/example/conjugate_gradient.hpp>
#include <portability/kokkos/example/row_solver.hpp>

#include <cmath>
#include <random>

namespace kohort_kokkos_test {
namespace {

template <class View>
double largest_difference(View const& left, View const& right) {
  auto const a = on_host(left);
  auto const b = on_host(right);
  double worst = 0;
  for (std::size_t i = 0; i < a.span(); ++i)
    worst = std::max(worst, std::abs(a.data()[i] - b.data()[i]));
  return worst;
}

template <class Space>
example::Grids<Space> random_grids(int systems, int rows, int columns) {
  example::Grids<Space> grids("grids", systems, rows, columns);
  auto const filled = Kokkos::create_mirror_view(grids);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < filled.span(); ++i) filled.data()[i] = normal(random);
  Kokkos::deep_copy(grids, filled);
  return grids;
}

/// The residual of a solution on the host: what no version shares code with.
template <class Grids>
double largest_residual(Grids const& right, Grids const& solution) {
  auto const b = on_host(right);
  auto const x = on_host(solution);
  int const rows = static_cast<int>(x.extent(1));
  int const columns = static_cast<int>(x.extent(2));
  double worst = 0;
  for (int s = 0; s < static_cast<int>(x.extent(0)); ++s) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        auto const at = [&](int row, int column) {
          bool const inside = row >= 0 && row < rows && column >= 0 && column < columns;
          return inside ? x(s, row, column) : 0.0;
        };
        double const applied =
            4 * at(i, j) - at(i - 1, j) - at(i + 1, j) - at(i, j - 1) - at(i, j + 1);
        worst = std::max(worst, std::abs(applied - b(s, i, j)));
      }
    }
  }
  return worst;
}

template <class Space>
void conjugate_gradients_agree() {
  constexpr int iterations = 100;
  auto const right = random_grids<Space>(3, 16, 24);
  example::Grids<Space> plain("plain", 3, 16, 24);
  example::Grids<Space> clusters("clusters", 3, 16, 24);
  std::size_t plain_launches = 0;
  std::size_t cluster_launches = 0;
  {
    Recorder const recorder;
    example::PlainConjugateGradient<Space>(right, plain).solve(iterations);
    plain_launches = seen().begun_with("plain").size();
  }
  {
    Recorder const recorder;
    example::ClusterConjugateGradient<Space>::solve(right, clusters, iterations, 4);
    cluster_launches = seen().begun_with("clusters").size();
  }
  Space().fence();
  EXPECT_EQ(plain_launches, 1 + 3 * iterations);
  EXPECT_EQ(cluster_launches, 1U);
  EXPECT_LT(largest_residual(right, plain), 1e-9);
  EXPECT_LT(largest_residual(right, clusters), 1e-9);
  EXPECT_LT(largest_difference(plain, clusters), 1e-9);
}

template <class Space>
void row_solvers_agree() {
  constexpr int systems = 5;
  constexpr int length = 512;
  example::Rows<Space> rows("rows", systems, length);
  auto const filled = Kokkos::create_mirror_view(rows);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int s = 0; s < systems; ++s)
    for (int i = 0; i < length; ++i)
      filled(s, i) = {i > 0 ? uniform(random) : 0, 3 + uniform(random),
                      i + 1 < length ? uniform(random) : 0, uniform(random)};
  Kokkos::deep_copy(rows, filled);
  example::Solutions<Space> plain("plain", systems, length);
  example::Solutions<Space> clusters("clusters", systems, length);
  std::size_t plain_launches = 0;
  std::size_t cluster_launches = 0;
  {
    Recorder const recorder;
    example::solve_rows_plain<Space>(rows, plain);
    plain_launches = seen().begun_with("plain").size();
  }
  {
    Recorder const recorder;
    example::ClusterRowSolver<Space>::solve(rows, clusters, 8);
    cluster_launches = seen().begun_with("clusters").size();
  }
  Space().fence();
  EXPECT_EQ(plain_launches, 10U);
  EXPECT_EQ(cluster_launches, 1U);
  auto const x = on_host(clusters);
  double worst = 0;
  for (int s = 0; s < systems; ++s) {
    for (int i = 0; i < length; ++i) {
      example::Row const& row = filled(s, i);
      double sum = row.middle * x(s, i);
      if (i > 0) sum += row.below * x(s, i - 1);
      if (i + 1 < length) sum += row.above * x(s, i + 1);
      worst = std::max(worst, std::abs(sum - row.right));
    }
  }
  EXPECT_LT(worst, 1e-12);
  // The same operations in the same order: a device may fuse them in another way.
  EXPECT_LT(largest_difference(plain, clusters), 1e-14);
}

template <class Space>
class MiniApp : public ::testing::Test {};
TYPED_TEST_SUITE(MiniApp, Spaces);
TYPED_TEST(MiniApp, ConjugateGradientsAgree) { conjugate_gradients_agree<TypeParam>(); }
TYPED_TEST(MiniApp, RowSolversAgree) { row_solvers_agree<TypeParam>(); }

}  // namespace
}  // namespace kohort_kokkos_test
