// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

/// Tridiagonal systems by parallel cyclic reduction: in each step every row takes out the rows at a
/// distance, which doubles. In plain Kokkos a launch a step, over device memory; on clusters one
/// launch, with the rows in scratch.
namespace example {

/// A row: below · x[i - d] + middle · x[i] + above · x[i + d] = right.
struct Row {
  double below = 0;
  double middle = 1;
  double above = 0;
  double right = 0;
};

/// `row` without the rows at the distance below and above it.
KOKKOS_INLINE_FUNCTION Row without_neighbours(Row const& row, Row const& below, Row const& above) {
  double const down = -row.below / below.middle;
  double const up = -row.above / above.middle;
  return {down * below.below, row.middle + down * below.above + up * above.below, up * above.above,
          row.right + down * below.right + up * above.right};
}

template <class Space>
using Rows = Kokkos::View<Row**, Kokkos::LayoutRight, typename Space::memory_space>;
template <class Space>
using Solutions = Kokkos::View<double**, Kokkos::LayoutRight, typename Space::memory_space>;

template <class Space>
void solve_rows_plain(Rows<Space> const& given, Solutions<Space> const& solution) {
  int const systems = static_cast<int>(given.extent(0));
  int const length = static_cast<int>(given.extent(1));
  Rows<Space> from("from", given.extent(0), given.extent(1));
  Rows<Space> to("to", given.extent(0), given.extent(1));
  Kokkos::deep_copy(from, given);
  Kokkos::RangePolicy<Space> const all(0, systems * length);
  for (int distance = 1; distance < length; distance *= 2) {
    Kokkos::parallel_for(
        "plain: row step", all, KOKKOS_LAMBDA(int index) {
          int const system = index / length;
          int const i = index % length;
          Row const none;
          to(system, i) =
              without_neighbours(from(system, i), i >= distance ? from(system, i - distance) : none,
                                 i + distance < length ? from(system, i + distance) : none);
        });
    Kokkos::kokkos_swap(from, to);
  }
  Kokkos::parallel_for(
      "plain: row result", all, KOKKOS_LAMBDA(int index) {
        Row const& row = from(index / length, index % length);
        solution(index / length, index % length) = row.right / row.middle;
      });
}

/// A cluster a system, a thread a row.
template <class Space>
struct ClusterRowSolver {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  using Share = Kokkos::View<Row**, Kokkos::LayoutRight, typename Member::scratch_memory_space,
                             Kokkos::MemoryUnmanaged>;

  static void solve(Rows<Space> const& given, Solutions<Space> const& solution, int teams) {
    if (given.extent(1) % static_cast<std::size_t>(teams) != 0)
      throw std::invalid_argument(std::to_string(given.extent(1)) + " rows can't be shared by " +
                                  std::to_string(teams) + " teams evenly");
    int const systems = static_cast<int>(given.extent(0));
    int const share = static_cast<int>(given.extent(1)) / teams;
    Policy policy(systems * teams, share);
    policy.set_cluster_size(teams).set_scratch_size(
        0, kohort::PerCluster(Share::shmem_size(2, share)));
    Kokkos::parallel_for("clusters: rows", policy, ClusterRowSolver{given, solution, share});
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const length = share * member.cluster_size();
    int const system = member.cluster_league_rank();
    int const mine = member.team_rank();
    int const i = member.cluster_rank() * share + mine;
    Share const rows(member.cluster_scratch(0), 2, share);
    rows(0, mine) = given(system, i);
    member.cluster_barrier();
    int now = 0;
    for (int distance = 1; distance < length; distance *= 2) {
      Row const none;
      auto const row_at = [&](int at) -> Row {
        if (at < 0 || at >= length) return none;
        return member.peer(rows, at / share)(now, at % share);
      };
      rows(1 - now, mine) =
          without_neighbours(rows(now, mine), row_at(i - distance), row_at(i + distance));
      now = 1 - now;
      member.cluster_barrier();  // all of the step is there, and nobody reads the step before
    }
    solution(system, i) = rows(now, mine).right / rows(now, mine).middle;
  }

  Rows<Space> given;
  Solutions<Space> solution;
  int share;  ///< rows of a team
};

}  // namespace example
