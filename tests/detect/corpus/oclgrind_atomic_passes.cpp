// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics beside plain accesses that Oclgrind's tests call no data race.
#include "case.hpp"

#include <cstdint>

namespace kohort::detect::oclgrind_atomic_passes {

constexpr int threads = 64;
constexpr int teams = 2;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;
template <class Target>
using WithCell = ClusterPolicy<Target, TeamScratch<int>>;
template <class Target>
using CellMember = typename WithCell<Target>::member_type;

template <class Target>
void all_teams_count(Target const& target) {
  auto const counter = filled<int>(target, 1);
  int* const count = counter.data();
  parallel_for(
      "count", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const&) { atomic_add(count, 1); });
  target.fence();
}

template <class Target>
void all_teams_add_64_bits(Target const& target) {
  auto const total = filled<std::uint64_t>(target, 1);
  std::uint64_t* const sum = total.data();
  parallel_for(
      "sum", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const&) { atomic_add(sum, 0xffffffffU); });
  target.fence();
}

template <class Target>
void all_teams_meet_in_minimum_and_maximum(Target const& target) {
  auto const extremes = filled<int>(target, 2);
  int* const values = extremes.data();
  parallel_for(
      "extremes", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const value = (member.team_rank() - threads / 2) * (member.league_rank() + 1);
        atomic_min(values, value);
        atomic_max(values + 1, value);
      });
  target.fence();
}

template <class Target>
void each_thread_mixes_on_its_own_cell(Target const& target) {
  auto const row = filled<int>(target, threads);
  int* const values = row.data();
  parallel_for(
      "mixed", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int* const mine = values + member.team_rank();
        if (member.team_rank() % 2 == 0) {
          *mine = 0;
          atomic_add(mine, 1);
        } else {
          atomic_add(mine, 1);
          *mine = *mine + 1;
        }
      });
  target.fence();
}

template <class Target>
void barriers_part_plain_and_atomic_global(Target const& target) {
  auto const totals = Buffer<int, Target>(target, teams);
  auto const out = filled<int>(target, teams);
  int* const sums = totals.data();
  int* const results = out.data();
  parallel_for(
      "totals", Plain<Target>(target, teams, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const team = member.league_rank();
        if (member.team_rank() == 0) sums[team] = 0;
        member.team_barrier();
        atomic_add(sums + team, member.team_rank());
        member.team_barrier();
        if (member.team_rank() == 0) results[team] = sums[team];
      });
  target.fence();
}

template <class Target>
void barriers_part_plain_and_atomic_scratch(Target const& target) {
  auto const out = filled<int>(target, teams);
  int* const results = out.data();
  parallel_for(
      "totals", WithCell<Target>(target, teams, threads),
      KOHORT_LAMBDA(CellMember<Target> const& member) {
        int* const sum = &member.team_scratch();
        if (member.team_rank() == 0) *sum = 0;
        member.team_barrier();
        atomic_add(sum, member.team_rank());
        member.team_barrier();
        if (member.team_rank() == 0) results[member.league_rank()] = *sum;
      });
  target.fence();
}

/// The winner of a round reads plainly while the losers' exchanges fail: those only read.
template <class Target>
void failed_exchanges_beside_a_plain_read(Target const& target) {
  auto const out = filled<int>(target, threads);
  int* const results = out.data();
  parallel_for(
      "one_a_round", WithCell<Target>(target, 1, threads),
      KOHORT_LAMBDA(CellMember<Target> const& member) {
        int* const ticket = &member.team_scratch();
        if (member.team_rank() == 0) *ticket = 0;
        bool served = false;
        for (int round = 0; round < threads; ++round) {
          member.team_barrier();
          int const before = *ticket;
          member.team_barrier();
          if (!served && atomic_compare_exchange(ticket, before, before + 1) == before) {
            served = true;
            results[member.team_rank()] = *ticket;
          }
        }
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "oclgrind_atomic_increment",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind atomics/atomic_increment",
     .faulty = all_teams_count<UnitTarget>},
    {.name = "oclgrind_atom_add",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind atomics/atom_add",
     .faulty = all_teams_add_64_bits<UnitTarget>},
    {.name = "oclgrind_atomic_minmax_signed",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind atomics/atomic_minmax_signed",
     .faulty = all_teams_meet_in_minimum_and_maximum<UnitTarget>},
    {.name = "oclgrind_atomic_same_workitem",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind atomics/atomic_same_workitem",
     .faulty = each_thread_mixes_on_its_own_cell<UnitTarget>},
    {.name = "oclgrind_atomic_global_fence",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind atomics/atomic_global_fence",
     .faulty = barriers_part_plain_and_atomic_global<UnitTarget>},
    {.name = "oclgrind_atomic_local_fence",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind atomics/atomic_local_fence",
     .faulty = barriers_part_plain_and_atomic_scratch<UnitTarget>},
    {.name = "oclgrind_atomic_cmpxchg_false_race",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind atomics/atomic_cmpxchg_false_race",
     .faulty = failed_exchanges_beside_a_plain_read<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::oclgrind_atomic_passes
