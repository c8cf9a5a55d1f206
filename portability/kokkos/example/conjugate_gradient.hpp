// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

/// Conjugate gradients on many small Poisson problems (five-point stencil, zero around the grid):
/// in plain Kokkos, three launches an iteration, and on clusters, one launch for all of them.
namespace example {

/// Right-hand sides and solutions: system, row, column.
template <class Space>
using Grids = Kokkos::View<double***, Kokkos::LayoutRight, typename Space::memory_space>;

/// A system's vectors and scalars in device memory.
template <class Space>
class PlainConjugateGradient {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  using Scalars = Kokkos::View<double*, typename Space::memory_space>;

 public:
  PlainConjugateGradient(Grids<Space> const& right, Grids<Space> const& solution)
      : systems(static_cast<int>(right.extent(0))),
        rows(static_cast<int>(right.extent(1))),
        columns(static_cast<int>(right.extent(2))),
        x(solution),
        r("r", right.extent(0), right.extent(1), right.extent(2)),
        p("p", right.extent(0), right.extent(1), right.extent(2)),
        q("q", right.extent(0), right.extent(1), right.extent(2)),
        rr("rr", right.extent(0)),
        pq("pq", right.extent(0)),
        rr_before("rr_before", right.extent(0)) {
    Kokkos::deep_copy(x, 0);
    Kokkos::deep_copy(r, right);
    Kokkos::deep_copy(p, right);
  }

  void solve(int iterations) const {
    begin();
    for (int i = 0; i < iterations; ++i) {
      apply();
      update();
      turn();
    }
  }

  void begin() const {
    auto const self = *this;
    Kokkos::parallel_for(
        "plain: begin", Policy(systems, Kokkos::AUTO), KOKKOS_LAMBDA(Member const& member) {
          int const system = member.league_rank();
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(member, self.rows * self.columns),
              [&](int cell, double& to) {
                double const value = self.r(system, cell / self.columns, cell % self.columns);
                to += value * value;
              },
              sum);
          Kokkos::single(Kokkos::PerTeam(member), [&] { self.rr(system) = sum; });
        });
  }

  /// q = A p, and their product.
  void apply() const {
    auto const self = *this;
    Kokkos::parallel_for(
        "plain: apply", Policy(systems, Kokkos::AUTO), KOKKOS_LAMBDA(Member const& member) {
          int const system = member.league_rank();
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(member, self.rows * self.columns),
              [&](int cell, double& to) {
                int const i = cell / self.columns;
                int const j = cell % self.columns;
                double value = 4 * self.p(system, i, j);
                if (i > 0) value -= self.p(system, i - 1, j);
                if (i + 1 < self.rows) value -= self.p(system, i + 1, j);
                if (j > 0) value -= self.p(system, i, j - 1);
                if (j + 1 < self.columns) value -= self.p(system, i, j + 1);
                self.q(system, i, j) = value;
                to += value * self.p(system, i, j);
              },
              sum);
          Kokkos::single(Kokkos::PerTeam(member), [&] { self.pq(system) = sum; });
        });
  }

  /// x and r along p, and r's square.
  void update() const {
    auto const self = *this;
    Kokkos::parallel_for(
        "plain: update", Policy(systems, Kokkos::AUTO), KOKKOS_LAMBDA(Member const& member) {
          int const system = member.league_rank();
          double const alpha = self.rr(system) / self.pq(system);
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(member, self.rows * self.columns),
              [&](int cell, double& to) {
                int const i = cell / self.columns;
                int const j = cell % self.columns;
                self.x(system, i, j) += alpha * self.p(system, i, j);
                self.r(system, i, j) -= alpha * self.q(system, i, j);
                to += self.r(system, i, j) * self.r(system, i, j);
              },
              sum);
          member.team_barrier();
          Kokkos::single(Kokkos::PerTeam(member), [&] {
            self.rr_before(system) = self.rr(system);
            self.rr(system) = sum;
          });
        });
  }

  /// The next direction.
  void turn() const {
    auto const self = *this;
    Kokkos::parallel_for(
        "plain: turn", Policy(systems, Kokkos::AUTO), KOKKOS_LAMBDA(Member const& member) {
          int const system = member.league_rank();
          double const beta = self.rr(system) / self.rr_before(system);
          Kokkos::parallel_for(
              Kokkos::TeamThreadRange(member, self.rows * self.columns), [&](int cell) {
                int const i = cell / self.columns;
                int const j = cell % self.columns;
                self.p(system, i, j) = self.r(system, i, j) + beta * self.p(system, i, j);
              });
        });
  }

  int systems;
  int rows;
  int columns;
  Grids<Space> x;
  Grids<Space> r;
  Grids<Space> p;
  Grids<Space> q;
  Scalars rr;
  Scalars pq;
  Scalars rr_before;
};

/// A cluster a system: each team keeps its rows of all vectors in scratch, and reads the row above
/// and the row below them from its neighbours.
template <class Space>
struct ClusterConjugateGradient {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  using Slab = Kokkos::View<double**, Kokkos::LayoutRight, typename Member::scratch_memory_space,
                            Kokkos::MemoryUnmanaged>;

  static void solve(Grids<Space> const& right, Grids<Space> const& solution, int iterations,
                    int teams) {
    if (right.extent(1) % static_cast<std::size_t>(teams) != 0)
      throw std::invalid_argument(std::to_string(right.extent(1)) + " rows can't be shared by " +
                                  std::to_string(teams) + " teams evenly");
    int const systems = static_cast<int>(right.extent(0));
    int const rows = static_cast<int>(right.extent(1)) / teams;
    int const columns = static_cast<int>(right.extent(2));
    std::size_t const slab = Slab::shmem_size(rows, columns);
    Policy policy(systems * teams, 256);
    policy.set_cluster_size(teams).set_scratch_size(0, Kokkos::PerTeam(3 * slab),
                                                    kohort::PerCluster(slab));
    Kokkos::parallel_for("clusters: conjugate gradient", policy,
                         ClusterConjugateGradient{right, solution, rows, columns, iterations});
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const system = member.cluster_league_rank();
    int const first = member.cluster_rank() * rows;
    Slab const p(member.cluster_scratch(0), rows, columns);
    Slab const x(member.team_scratch(0), rows, columns);
    Slab const r(member.team_scratch(0), rows, columns);
    Slab const q(member.team_scratch(0), rows, columns);
    int const above = member.cluster_rank() - 1;
    int const below = member.cluster_rank() + 1;
    bool const has_above = above >= 0;
    bool const has_below = below < member.cluster_size();
    Slab const p_above = member.peer(p, has_above ? above : member.cluster_rank());
    Slab const p_below = member.peer(p, has_below ? below : member.cluster_rank());
    auto const cells = Kokkos::TeamThreadRange(member, rows * columns);

    double mine = 0;
    Kokkos::parallel_for(cells, [&](int cell) {
      int const i = cell / columns;
      int const j = cell % columns;
      double const value = right(system, first + i, j);
      x(i, j) = 0;
      r(i, j) = value;
      p(i, j) = value;
      mine += value * value;
    });
    // Its barrier makes p known to the neighbours, too.
    double rr = member.cluster_reduce(mine);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      mine = 0;
      Kokkos::parallel_for(cells, [&](int cell) {
        int const i = cell / columns;
        int const j = cell % columns;
        double value = 4 * p(i, j);
        if (i > 0) {
          value -= p(i - 1, j);
        } else if (has_above) {
          value -= p_above(rows - 1, j);
        }
        if (i + 1 < rows) {
          value -= p(i + 1, j);
        } else if (has_below) {
          value -= p_below(0, j);
        }
        if (j > 0) value -= p(i, j - 1);
        if (j + 1 < columns) value -= p(i, j + 1);
        q(i, j) = value;
        mine += value * p(i, j);
      });
      double const alpha = rr / member.cluster_reduce(mine);
      mine = 0;
      Kokkos::parallel_for(cells, [&](int cell) {
        int const i = cell / columns;
        int const j = cell % columns;
        x(i, j) += alpha * p(i, j);
        r(i, j) -= alpha * q(i, j);
        mine += r(i, j) * r(i, j);
      });
      double const before = rr;
      rr = member.cluster_reduce(mine);
      double const beta = rr / before;
      Kokkos::parallel_for(cells, [&](int cell) {
        int const i = cell / columns;
        int const j = cell % columns;
        p(i, j) = r(i, j) + beta * p(i, j);
      });
      member.cluster_barrier();  // the neighbours' new rows are there
    }
    Kokkos::parallel_for(cells, [&](int cell) {
      solution(system, first + cell / columns, cell % columns) = x(cell / columns, cell % columns);
    });
  }

  Grids<Space> right;
  Grids<Space> solution;
  int rows;  ///< of a team
  int columns;
  int iterations;
};

}  // namespace example
