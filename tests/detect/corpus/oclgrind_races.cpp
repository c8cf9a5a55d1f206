// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Oclgrind's tests call data races of plain accesses.
#include "case.hpp"

namespace kohort::detect::oclgrind_races {

constexpr int threads = 64;
constexpr int teams = 4;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;
template <class Target>
using WithRow = ClusterPolicy<Target, TeamScratch<int[threads]>>;
template <class Target>
using RowMember = typename WithRow<Target>::member_type;
template <class Target>
using WithCell = ClusterPolicy<Target, TeamScratch<int>>;
template <class Target>
using CellMember = typename WithCell<Target>::member_type;

template <class Target>
void left_neighbour_is_read_while_it_is_written(Target const& target) {
  auto const row = filled<int>(target, threads, 1);
  int* const values = row.data();
  parallel_for(
      "shift", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (thread > 0) values[thread] = values[thread - 1] + thread;
      });
  target.fence();
}

template <class Target>
void left_neighbour_is_read_before_it_is_written(Target const& target) {
  auto const row = filled<int>(target, threads, 1);
  int* const values = row.data();
  parallel_for(
      "shift", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        int const left = thread > 0 ? values[thread - 1] : 0;
        member.team_barrier();
        if (thread > 0) values[thread] = left + thread;
      });
  target.fence();
}

template <class Target>
void teams_of_one_write_one_cell(Target const& target) {
  auto const cell = filled<int>(target, 1);
  int* const last = cell.data();
  parallel_for(
      "last_team", Plain<Target>(target, teams, 1),
      KOHORT_LAMBDA(Member<Target> const& member) { *last = member.league_rank(); });
  target.fence();
}

template <class Target>
void teams_of_one_write_own_cells(Target const& target) {
  auto const cells = filled<int>(target, teams);
  int* const ranks = cells.data();
  parallel_for(
      "last_team", Plain<Target>(target, teams, 1), KOHORT_LAMBDA(Member<Target> const& member) {
        ranks[member.league_rank()] = member.league_rank();
      });
  target.fence();
}

template <class Target>
void sum_starts_before_the_row_is_rewritten(Target const& target) {
  auto const out = filled<int>(target, 1);
  int* const sum = out.data();
  parallel_for(
      "sum_of_row", WithRow<Target>(target, 1, threads),
      KOHORT_LAMBDA(RowMember<Target> const& member) {
        int const thread = member.team_rank();
        int* const row = member.team_scratch();
        row[thread] = 0;
        member.team_barrier();
        row[thread] = thread;
        if (thread == 0) {
          int total = 0;
          for (int i = 0; i < threads; ++i) total += row[i];
          *sum = total;
        }
      });
  target.fence();
}

template <class Target>
void sum_starts_after_the_row_is_rewritten(Target const& target) {
  auto const out = filled<int>(target, 1);
  int* const sum = out.data();
  parallel_for(
      "sum_of_row", WithRow<Target>(target, 1, threads),
      KOHORT_LAMBDA(RowMember<Target> const& member) {
        int const thread = member.team_rank();
        int* const row = member.team_scratch();
        row[thread] = 0;
        member.team_barrier();
        row[thread] = thread;
        member.team_barrier();
        if (thread == 0) {
          int total = 0;
          for (int i = 0; i < threads; ++i) total += row[i];
          *sum = total;
        }
      });
  target.fence();
}

template <class Target>
void all_threads_write_the_scratch_cell(Target const& target) {
  auto const out = filled<int>(target, threads);
  int* const results = out.data();
  parallel_for(
      "elect", WithCell<Target>(target, 1, threads),
      KOHORT_LAMBDA(CellMember<Target> const& member) {
        int const thread = member.team_rank();
        member.team_scratch() = thread;
        member.team_barrier();
        results[thread] = member.team_scratch();
      });
  target.fence();
}

template <class Target>
void one_thread_writes_the_scratch_cell(Target const& target) {
  auto const out = filled<int>(target, threads);
  int* const results = out.data();
  parallel_for(
      "elect", WithCell<Target>(target, 1, threads),
      KOHORT_LAMBDA(CellMember<Target> const& member) {
        int const thread = member.team_rank();
        if (thread == threads - 1) member.team_scratch() = thread;
        member.team_barrier();
        results[thread] = member.team_scratch();
      });
  target.fence();
}

template <class Target>
void team_barrier_between_teams(Target const& target) {
  auto const parts = filled<int>(target, teams);
  auto const out = filled<int>(target, 1);
  int* const part = parts.data();
  int* const sum = out.data();
  parallel_for(
      "sum_of_teams", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.team_rank() == 0) part[member.league_rank()] = member.league_rank();
        member.team_barrier();
        if (member.league_rank() == 0 && member.team_rank() == 0) {
          int total = 0;
          for (int i = 0; i < teams; ++i) total += part[i];
          *sum = total;
        }
      });
  target.fence();
}

template <class Target>
void launch_between_teams(Target const& target) {
  auto const parts = filled<int>(target, teams);
  auto const out = filled<int>(target, 1);
  int* const part = parts.data();
  int* const sum = out.data();
  parallel_for(
      "parts_of_teams", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.team_rank() == 0) part[member.league_rank()] = member.league_rank();
      });
  parallel_for(
      "sum_of_teams", Plain<Target>(target, 1, 1), KOHORT_LAMBDA(Member<Target> const&) {
        int total = 0;
        for (int i = 0; i < teams; ++i) total += part[i];
        *sum = total;
      });
  target.fence();
}

template <class Target>
void one_team_writes_what_all_read(Target const& target) {
  auto const cell = filled<int>(target, 1, 42);
  auto const out = filled<int>(target, 2);
  int* const value = cell.data();
  int* const results = out.data();
  parallel_for(
      "read_then_write", Plain<Target>(target, 2, 1), KOHORT_LAMBDA(Member<Target> const& member) {
        int const team = member.league_rank();
        results[team] = *value;
        if (team == 1) *value = team;
      });
  target.fence();
}

template <class Target>
void one_team_writes_what_it_alone_reads(Target const& target) {
  auto const cells = filled<int>(target, 2, 42);
  auto const out = filled<int>(target, 2);
  int* const values = cells.data();
  int* const results = out.data();
  parallel_for(
      "read_then_write", Plain<Target>(target, 2, 1), KOHORT_LAMBDA(Member<Target> const& member) {
        int const team = member.league_rank();
        results[team] = values[team];
        if (team == 1) values[team] = team;
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "oclgrind_global_read_write_race",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind data-race/global_read_write_race",
     .faulty = left_neighbour_is_read_while_it_is_written<UnitTarget>,
     .repaired = left_neighbour_is_read_before_it_is_written<UnitTarget>},
    {.name = "oclgrind_global_write_write_race",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind data-race/global_write_write_race",
     .faulty = teams_of_one_write_one_cell<UnitTarget>,
     .repaired = teams_of_one_write_own_cells<UnitTarget>},
    {.name = "oclgrind_local_read_write_race",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "Oclgrind data-race/local_read_write_race",
     .faulty = sum_starts_before_the_row_is_rewritten<UnitTarget>,
     .repaired = sum_starts_after_the_row_is_rewritten<UnitTarget>},
    {.name = "oclgrind_local_write_write_race",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "Oclgrind data-race/local_write_write_race",
     .faulty = all_threads_write_the_scratch_cell<UnitTarget>,
     .repaired = one_thread_writes_the_scratch_cell<UnitTarget>},
    {.name = "oclgrind_intergroup_race",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind data-race/intergroup_race",
     .faulty = team_barrier_between_teams<UnitTarget>,
     .repaired = launch_between_teams<UnitTarget>},
    {.name = "oclgrind_intergroup_hidden_race",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind data-race/intergroup_hidden_race",
     .faulty = one_team_writes_what_all_read<UnitTarget>,
     .repaired = one_team_writes_what_it_alone_reads<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::oclgrind_races
