// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain accesses that Oclgrind's tests call no data race.
#include "case.hpp"

namespace kohort::detect::oclgrind_race_passes {

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
void all_read_one_value(Target const& target) {
  auto const cell = filled<int>(target, 1, 42);
  auto const out = filled<int>(target, teams * threads);
  int const* const value = cell.data();
  int* const results = out.data();
  parallel_for(
      "broadcast", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        results[member.league_rank() * threads + member.team_rank()] = *value;
      });
  target.fence();
}

template <class Target>
void barrier_orders_global_memory(Target const& target) {
  auto const rows = filled<int>(target, teams * threads);
  auto const out = filled<int>(target, teams);
  int* const values = rows.data();
  int* const sums = out.data();
  parallel_for(
      "sums", Plain<Target>(target, teams, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int* const row = values + member.league_rank() * threads;
        row[member.team_rank()] = member.team_rank();
        member.team_barrier();
        if (member.team_rank() == 0) {
          int total = 0;
          for (int i = 0; i < threads; ++i) total += row[i];
          sums[member.league_rank()] = total;
        }
      });
  target.fence();
}

template <class Target>
void each_thread_updates_its_own(Target const& target) {
  auto const row = filled<int>(target, threads, 7);
  int* const values = row.data();
  parallel_for(
      "increment", Plain<Target>(target, threads, 1),
      KOHORT_LAMBDA(Member<Target> const& member) { values[member.league_rank()] += 1; });
  target.fence();
}

template <class Target>
void tree_in_scratch(Target const& target) {
  constexpr int count = 1000;
  auto const in = filled<int>(target, count, 3);
  auto const out = filled<int>(target, teams);
  int const* const values = in.data();
  int* const sums = out.data();
  parallel_for(
      "tree", WithRow<Target>(target, teams, threads),
      KOHORT_LAMBDA(RowMember<Target> const& member) {
        int const thread = member.team_rank();
        int* const row = member.team_scratch();
        int mine = 0;
        for (int i = member.league_rank() * threads + thread; i < count; i += teams * threads)
          mine += values[i];
        row[thread] = mine;
        for (int half = threads / 2; half > 0; half /= 2) {
          member.team_barrier();
          if (thread < half) row[thread] += row[thread + half];
        }
        if (thread == 0) sums[member.league_rank()] = row[0];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "oclgrind_broadcast",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind data-race/broadcast",
     .faulty = all_read_one_value<UnitTarget>},
    {.name = "oclgrind_global_fence",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind data-race/global_fence",
     .faulty = barrier_orders_global_memory<UnitTarget>},
    {.name = "oclgrind_increment",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind data-race/increment",
     .faulty = each_thread_updates_its_own<UnitTarget>},
    {.name = "oclgrind_reduce",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind misc/reduce",
     .faulty = tree_in_scratch<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::oclgrind_race_passes
