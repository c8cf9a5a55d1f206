// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Oclgrind's tests call data races between atomics and plain accesses.
#include "case.hpp"

namespace kohort::detect::oclgrind_atomics {

constexpr int threads = 64;
constexpr int teams = 2;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;

template <class Target>
void plain_reset_beside_exchange(Target const& target) {
  auto const cell = filled<int>(target, 1);
  int* const value = cell.data();
  parallel_for(
      "reset_or_claim", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.team_rank() == 0) {
          *value = 0;
        } else {
          atomic_compare_exchange(value, 0, 0x01000001);
        }
      });
  target.fence();
}

template <class Target>
void atomic_reset_beside_exchange(Target const& target) {
  auto const cell = filled<int>(target, 1);
  int* const value = cell.data();
  parallel_for(
      "reset_or_claim", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.team_rank() == 0) {
          atomic_store(value, 0);
        } else {
          atomic_compare_exchange(value, 0, 0x01000001);
        }
      });
  target.fence();
}

template <class Target>
void exchange_that_may_fail_meets_plain_reset(Target const& target) {
  auto const cell = filled<int>(target, 1, -1);
  int* const value = cell.data();
  parallel_for(
      "claim_by_rank", Plain<Target>(target, 1, 2), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (thread == 0) *value = 0;
        atomic_compare_exchange(value, thread, 42);
      });
  target.fence();
}

template <class Target>
void exchange_that_may_fail_follows_reset(Target const& target) {
  auto const cell = filled<int>(target, 1, -1);
  int* const value = cell.data();
  parallel_for(
      "claim_by_rank", Plain<Target>(target, 1, 2), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (thread == 0) *value = 0;
        member.team_barrier();
        atomic_compare_exchange(value, thread, 42);
      });
  target.fence();
}

template <class Target>
void team_reads_what_other_teams_add(Target const& target) {
  auto const total = filled<int>(target, 1);
  auto const out = filled<int>(target, teams);
  int* const sum = total.data();
  int* const results = out.data();
  parallel_for(
      "total_of_teams", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        atomic_add(sum, member.team_rank());
        member.team_barrier();
        if (member.team_rank() == 0) results[member.league_rank()] = *sum;
      });
  target.fence();
}

template <class Target>
void team_reads_what_itself_adds(Target const& target) {
  auto const totals = filled<int>(target, teams);
  auto const out = filled<int>(target, teams);
  int* const sums = totals.data();
  int* const results = out.data();
  parallel_for(
      "total_of_team", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const team = member.league_rank();
        atomic_add(sums + team, member.team_rank());
        member.team_barrier();
        if (member.team_rank() == 0) results[team] = sums[team];
      });
  target.fence();
}

template <class Target>
void one_team_resets_for_all(Target const& target) {
  auto const counter = filled<int>(target, 1);
  int* const count = counter.data();
  parallel_for(
      "count", Plain<Target>(target, teams, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.league_rank() == 0 && member.team_rank() == 0) *count = 0;
        member.team_barrier();
        atomic_add(count, 1);
      });
  target.fence();
}

template <class Target>
void one_team_resets_for_itself(Target const& target) {
  auto const counters = filled<int>(target, teams);
  int* const counts = counters.data();
  parallel_for(
      "count", Plain<Target>(target, teams, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int* const count = counts + member.league_rank();
        if (member.team_rank() == 0) *count = 0;
        member.team_barrier();
        atomic_add(count, 1);
      });
  target.fence();
}

template <class Target>
void last_thread_reads_before_all_have_added(Target const& target) {
  auto const counter = filled<int>(target, 1);
  auto const out = filled<int>(target, 1);
  int* const count = counter.data();
  int* const result = out.data();
  parallel_for(
      "count_and_tell", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        atomic_add(count, 1);
        if (member.team_rank() == threads - 1) *result = *count;
      });
  target.fence();
}

template <class Target>
void last_thread_reads_after_all_have_added(Target const& target) {
  auto const counter = filled<int>(target, 1);
  auto const out = filled<int>(target, 1);
  int* const count = counter.data();
  int* const result = out.data();
  parallel_for(
      "count_and_tell", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        atomic_add(count, 1);
        member.team_barrier();
        if (member.team_rank() == threads - 1) *result = *count;
      });
  target.fence();
}

template <class Target>
void first_thread_resets_while_others_subtract(Target const& target) {
  auto const counter = filled<int>(target, 1, 9);
  int* const count = counter.data();
  parallel_for(
      "reset_and_count", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.team_rank() == 0) *count = 0;
        atomic_add(count, -1);
      });
  target.fence();
}

template <class Target>
void first_thread_resets_before_others_subtract(Target const& target) {
  auto const counter = filled<int>(target, 1, 9);
  int* const count = counter.data();
  parallel_for(
      "reset_and_count", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.team_rank() == 0) *count = 0;
        member.team_barrier();
        atomic_add(count, -1);
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "oclgrind_atomic_cmpxchg_read_race",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind atomics/atomic_cmpxchg_read_race",
     .faulty = plain_reset_beside_exchange<UnitTarget>,
     .repaired = atomic_reset_beside_exchange<UnitTarget>},
    {.name = "oclgrind_atomic_cmpxchg_write_race",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind atomics/atomic_cmpxchg_write_race",
     .faulty = exchange_that_may_fail_meets_plain_reset<UnitTarget>,
     .repaired = exchange_that_may_fail_follows_reset<UnitTarget>},
    {.name = "oclgrind_atomic_global_fence_race",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind atomics/atomic_global_fence_race",
     .faulty = team_reads_what_other_teams_add<UnitTarget>,
     .repaired = team_reads_what_itself_adds<UnitTarget>},
    {.name = "oclgrind_atomic_intergroup_race",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind atomics/atomic_intergroup_race",
     .faulty = one_team_resets_for_all<UnitTarget>,
     .repaired = one_team_resets_for_itself<UnitTarget>},
    {.name = "oclgrind_atomic_race_after",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind atomics/atomic_race_after",
     .faulty = last_thread_reads_before_all_have_added<UnitTarget>,
     .repaired = last_thread_reads_after_all_have_added<UnitTarget>},
    {.name = "oclgrind_atomic_race_before",
     .kind = "race",
     .expected = "race-global",
     .source = "Oclgrind atomics/atomic_race_before",
     .faulty = first_thread_resets_while_others_subtract<UnitTarget>,
     .repaired = first_thread_resets_before_others_subtract<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::oclgrind_atomics
