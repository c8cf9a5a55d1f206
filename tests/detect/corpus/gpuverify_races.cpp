// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GPUVerify's CUDA tests call races of whole words in global memory.
#include "case.hpp"

namespace kohort::detect::gpuverify_races {

constexpr int threads = 64;
constexpr int teams = 4;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;

/// Adds to each element the one `offset` further.
template <class Target>
void add_from_offset(Target const& target, int offset) {
  auto const row = filled<int>(target, 2 * threads, 1);
  int* const values = row.data();
  parallel_for(
      "add_from_offset", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const other = values[member.team_rank() + offset];
        values[member.team_rank()] += other;
      });
  target.fence();
}

template <class Target>
void offset_within_what_is_written(Target const& target) {
  add_from_offset(target, 3);
}

template <class Target>
void offset_beyond_what_is_written(Target const& target) {
  add_from_offset(target, threads);
}

template <class Target>
void two_threads_write(Target const& target, int distance) {
  auto const row = filled<float>(target, 512);
  float* const values = row.data();
  parallel_for(
      "two_writers", Plain<Target>(target, 1, 256), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (thread == 15) values[thread + distance] = 15.0F;
        if (thread == 200) values[thread] = 200.0F;
      });
  target.fence();
}

template <class Target>
void distance_that_hits(Target const& target) {
  two_threads_write(target, 185);
}

template <class Target>
void distance_that_misses(Target const& target) {
  two_threads_write(target, 186);
}

/// Writes to each element of `to` the one `distance` further in `from`.
template <class Target>
void shift(Target const& target, int const* from, int* to, int distance) {
  parallel_for(
      "shift", Plain<Target>(target, teams, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        to[element] = from[element + distance] + 1;
      });
  target.fence();
}

template <class Target>
void row_is_shifted_in_place(Target const& target) {
  auto const row = filled<int>(target, teams * threads + 1, 1);
  shift(target, row.data(), row.data(), 1);
}

template <class Target>
void row_is_shifted_into_another(Target const& target) {
  auto const row = filled<int>(target, teams * threads + 1, 1);
  auto const shifted = filled<int>(target, teams * threads);
  shift(target, row.data(), shifted.data(), 1);
}

template <class Target>
void next_team_is_read_in_place(Target const& target) {
  auto const row = filled<int>(target, (teams + 1) * threads, 1);
  shift(target, row.data(), row.data(), threads);
}

template <class Target>
void next_team_is_read_into_another_row(Target const& target) {
  auto const row = filled<int>(target, (teams + 1) * threads, 1);
  auto const shifted = filled<int>(target, teams * threads);
  shift(target, row.data(), shifted.data(), threads);
}

/// Threads whose entry of the table is not their rank write to one cell.
template <class Target>
void write_where_the_table_differs(Target const& target, std::vector<int> const& entries) {
  Buffer<int, Target> const table(target, entries.size());
  deep_copy(table, entries);
  auto const out = filled<int>(target, 1);
  int const* const ranks = table.data();
  int* const result = out.data();
  parallel_for(
      "look_up", Plain<Target>(target, 1, 8), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (ranks[thread] != thread) *result = thread;
      });
  target.fence();
}

template <class Target>
void table_that_differs_twice(Target const& target) {
  write_where_the_table_differs(target, {0, 1, 2, 4, 3, 5, 6, 7});
}

template <class Target>
void table_that_differs_nowhere(Target const& target) {
  write_where_the_table_differs(target, {0, 1, 2, 3, 4, 5, 6, 7});
}

struct Row {
  float* values;
};

template <class Target>
void all_write_through_a_struct(Target const& target) {
  auto const out = filled<float>(target, 1);
  Row const row{out.data()};
  parallel_for(
      "write_through_struct", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        row.values[0] = static_cast<float>(member.team_rank());
      });
  target.fence();
}

template <class Target>
void each_writes_its_own_through_a_struct(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  Row const row{out.data()};
  parallel_for(
      "write_through_struct", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        row.values[element] = static_cast<float>(member.team_rank());
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "gpuverify_miscfail3",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify misc/fail/miscfail3",
     .faulty = offset_within_what_is_written<UnitTarget>,
     .repaired = offset_beyond_what_is_written<UnitTarget>},
    {.name = "gpuverify_value_causing_race",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify param_values/value_causing_race",
     .faulty = distance_that_hits<UnitTarget>,
     .repaired = distance_that_misses<UnitTarget>},
    {.name = "gpuverify_cooperative_groups_race",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify cooperative_groups/fail/race",
     .faulty = row_is_shifted_in_place<UnitTarget>,
     .repaired = row_is_shifted_into_another<UnitTarget>},
    {.name = "gpuverify_bad_inter_group",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify warpsync/bad_inter_group",
     .faulty = next_team_is_read_in_place<UnitTarget>,
     .repaired = next_team_is_read_into_another_row<UnitTarget>},
    {.name = "gpuverify_globalarray",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify globalarray/fail",
     .faulty = table_that_differs_twice<UnitTarget>,
     .repaired = table_that_differs_nowhere<UnitTarget>},
    {.name = "gpuverify_struct_float",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify fresh_arrays/fail/struct_float",
     .faulty = all_write_through_a_struct<UnitTarget>,
     .repaired = each_writes_its_own_through_a_struct<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::gpuverify_races
