// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Oclgrind's tests call accesses out of bounds, uninitialised or unaligned.
#include "case.hpp"

namespace kohort::detect::oclgrind_memory {

constexpr int threads = 16;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;
template <class Target>
using WithRow = ClusterPolicy<Target, TeamScratch<float[threads]>>;
template <class Target>
using RowMember = typename WithRow<Target>::member_type;
template <class Target>
using WithDynamicRow = ClusterPolicy<Target, DynamicTeamScratch<float>>;
template <class Target>
using DynamicRowMember = typename WithDynamicRow<Target>::member_type;
template <class Target>
using WithCell = ClusterPolicy<Target, TeamScratch<int>>;
template <class Target>
using CellMember = typename WithCell<Target>::member_type;

/// c = a + b, where the three may have different lengths.
template <class Target>
void add(Target const& target, int first_count, int result_count) {
  auto const a = filled<int>(target, first_count, 1);
  auto const b = filled<int>(target, threads, 2);
  auto const c = filled<int>(target, result_count);
  int const* const first = a.data();
  int const* const second = b.data();
  int* const sums = c.data();
  parallel_for(
      "add", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const i = member.team_rank();
        sums[i] = first[i] + second[i];
      });
  target.fence();
}

template <class Target>
void last_thread_reads_beyond(Target const& target) {
  add(target, threads - 1, threads);
}

template <class Target>
void last_thread_writes_beyond(Target const& target) {
  add(target, threads, threads - 1);
}

template <class Target>
void all_lengths_agree(Target const& target) {
  add(target, threads, threads);
}

template <class Target>
void count_by_team(Target const& target, int counters) {
  auto const cells = filled<int>(target, counters);
  int* const counts = cells.data();
  parallel_for(
      "count", Plain<Target>(target, threads, 1), KOHORT_LAMBDA(Member<Target> const& member) {
        atomic_add(counts + member.league_rank(), 1);
      });
  target.fence();
}

template <class Target>
void last_team_counts_beyond(Target const& target) {
  count_by_team(target, threads - 1);
}

template <class Target>
void each_team_has_a_counter(Target const& target) {
  count_by_team(target, threads);
}

template <class Target>
void copy_first_to_all(Target const& target, Buffer<float, Target> const& in) {
  auto const out = filled<float>(target, threads);
  float const* const value = in.data();
  float* const results = out.data();
  parallel_for(
      "first_to_all", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) { results[member.team_rank()] = *value; });
  target.fence();
}

template <class Target>
void buffer_that_nobody_filled(Target const& target) {
  copy_first_to_all(target, Buffer<float, Target>(target, 1));
}

template <class Target>
void buffer_that_the_host_filled(Target const& target) {
  copy_first_to_all(target, filled<float>(target, 1, 1.5F));
}

template <class Target>
void row_with_a_hole(Target const& target) {
  auto const out = filled<float>(target, threads);
  float* const results = out.data();
  parallel_for(
      "row", WithRow<Target>(target, 1, threads), KOHORT_LAMBDA(RowMember<Target> const& member) {
        int const i = member.team_rank();
        float* const row = member.team_scratch();
        if (i != threads / 2) row[i] = static_cast<float>(i);
        results[i] = row[i];
      });
  target.fence();
}

template <class Target>
void row_without_a_hole(Target const& target) {
  auto const out = filled<float>(target, threads);
  float* const results = out.data();
  parallel_for(
      "row", WithRow<Target>(target, 1, threads), KOHORT_LAMBDA(RowMember<Target> const& member) {
        int const i = member.team_rank();
        float* const row = member.team_scratch();
        row[i] = i != threads / 2 ? static_cast<float>(i) : 0.0F;
        results[i] = row[i];
      });
  target.fence();
}

template <class Target>
void dynamic_row_with_a_hole(Target const& target) {
  auto const out = filled<float>(target, threads);
  float* const results = out.data();
  parallel_for(
      "row", WithDynamicRow<Target>(target, 1, threads).dynamic_team_scratch(threads),
      KOHORT_LAMBDA(DynamicRowMember<Target> const& member) {
        int const i = member.team_rank();
        float* const row = member.dynamic_team_scratch();
        if (i != threads / 2) row[i] = static_cast<float>(i);
        results[i] = row[i];
      });
  target.fence();
}

template <class Target>
void dynamic_row_without_a_hole(Target const& target) {
  auto const out = filled<float>(target, threads);
  float* const results = out.data();
  parallel_for(
      "row", WithDynamicRow<Target>(target, 1, threads).dynamic_team_scratch(threads),
      KOHORT_LAMBDA(DynamicRowMember<Target> const& member) {
        int const i = member.team_rank();
        float* const row = member.dynamic_team_scratch();
        row[i] = i != threads / 2 ? static_cast<float>(i) : 0.0F;
        results[i] = row[i];
      });
  target.fence();
}

/// A negative value takes the branch that leaves the cell alone.
template <class Target>
void keep_if_positive(Target const& target, int value) {
  auto const cell = filled<int>(target, 1, value);
  int* const in_and_out = cell.data();
  parallel_for(
      "keep_if_positive", WithCell<Target>(target, 1, 1),
      KOHORT_LAMBDA(CellMember<Target> const& member) {
        int& kept = member.team_scratch();
        if (*in_and_out > 0) kept = *in_and_out;
        *in_and_out = kept;
      });
  target.fence();
}

template <class Target>
void cell_is_left_alone(Target const& target) {
  keep_if_positive(target, -5);
}

template <class Target>
void cell_is_written(Target const& target) {
  keep_if_positive(target, 5);
}

template <class Target>
void read_from_byte(Target const& target, int byte) {
  auto const in = filled<int>(target, 4, 42);
  auto const out = filled<int>(target, 1);
  char const* const bytes = reinterpret_cast<char const*>(in.data());
  int* const result = out.data();
  parallel_for(
      "read_from_byte", Plain<Target>(target, 1, 1), KOHORT_LAMBDA(Member<Target> const&) {
        *result = *reinterpret_cast<int const*>(bytes + byte);
      });
  target.fence();
}

template <class Target>
void word_at_half_a_word(Target const& target) {
  read_from_byte(target, 2);
}

template <class Target>
void word_at_a_word(Target const& target) {
  read_from_byte(target, 4);
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "oclgrind_read_out_of_bounds",
     .kind = "memory",
     .expected = "buffer-out-of-bounds",
     .source = "Oclgrind memcheck/read_out_of_bounds",
     .faulty = last_thread_reads_beyond<UnitTarget>,
     .repaired = all_lengths_agree<UnitTarget>},
    {.name = "oclgrind_write_out_of_bounds",
     .kind = "memory",
     .expected = "buffer-out-of-bounds",
     .source = "Oclgrind memcheck/write_out_of_bounds",
     .faulty = last_thread_writes_beyond<UnitTarget>,
     .repaired = all_lengths_agree<UnitTarget>},
    {.name = "oclgrind_atomic_out_of_bounds",
     .kind = "memory",
     .expected = "buffer-out-of-bounds",
     .source = "Oclgrind memcheck/atomic_out_of_bounds",
     .faulty = last_team_counts_beyond<UnitTarget>,
     .repaired = each_team_has_a_counter<UnitTarget>},
    {.name = "oclgrind_uninitialized_global_buffer",
     .kind = "memory",
     .expected = "uninitialised-read",
     .source = "Oclgrind uninitialized/uninitialized_global_buffer",
     .faulty = buffer_that_nobody_filled<UnitTarget>,
     .repaired = buffer_that_the_host_filled<UnitTarget>},
    {.name = "oclgrind_uninitialized_local_array",
     .kind = "memory",
     .expected = "uninitialised-read",
     .source = "Oclgrind uninitialized/uninitialized_local_array",
     .faulty = row_with_a_hole<UnitTarget>,
     .repaired = row_without_a_hole<UnitTarget>},
    {.name = "oclgrind_uninitialized_local_ptr",
     .kind = "memory",
     .expected = "uninitialised-read",
     .source = "Oclgrind uninitialized/uninitialized_local_ptr",
     .faulty = dynamic_row_with_a_hole<UnitTarget>,
     .repaired = dynamic_row_without_a_hole<UnitTarget>},
    {.name = "oclgrind_uninitialized_local_variable",
     .kind = "memory",
     .expected = "uninitialised-read",
     .source = "Oclgrind uninitialized/uninitialized_local_variable",
     .faulty = cell_is_left_alone<UnitTarget>,
     .repaired = cell_is_written<UnitTarget>},
    {.name = "oclgrind_unaligned",
     .kind = "memory",
     .expected = "misaligned-access",
     .source = "Oclgrind alignment/unaligned",
     .faulty = word_at_half_a_word<UnitTarget>,
     .repaired = word_at_a_word<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::oclgrind_memory
