// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers that cover too few threads, that part of the threads miss, that pair wrongly or wait for
// each other; and some that only look so.
#include "case.hpp"

#include <cstdint>
#include <utility>

namespace kohort::detect::own_barriers {

constexpr int teams = 2;
constexpr int threads = 128;

template <class Target>
using Teams = ClusterPolicy<Target, TeamScratch<float[threads]>>;
template <class Target>
using Member = typename Teams<Target>::member_type;

/// Each subgroup reduces its own lanes, in lockstep as it believes.
template <class Target, bool Repaired>
void lanes_in_lockstep(Target const& target) {
  auto const out = filled<float>(target, teams * 4);
  float* const results = out.data();
  parallel_for(
      "lanes_in_lockstep", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const lane = member.lane();
        float* const values = member.team_scratch() + member.team_rank() - lane;
        values[lane] = 1;
        member.subgroup_barrier();
        for (int distance = 16; distance > 0; distance /= 2) {
          if (lane < distance) values[lane] += values[lane + distance];
          if (Repaired) member.subgroup_barrier();
        }
        if (lane == 0) results[member.league_rank() * 4 + member.subgroup_rank()] = values[0];
      });
  target.fence();
}

/// A shuffle meets the lanes and orders no memory.
template <class Target, bool Repaired>
void shuffle_for_a_barrier(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "shuffle_for_a_barrier", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        auto const tile = member.template subgroup_tile<32>();
        member.team_scratch()[thread] = 0;
        member.subgroup_barrier();
        member.team_scratch()[thread] = 1;
        if (tile.all(thread >= 0) && Repaired) tile.barrier();
        results[member.league_rank() * threads + thread] = member.team_scratch()[thread ^ 1];
      });
  target.fence();
}

/// Two named barriers of two subgroups each, and data that all four share.
template <class Target, bool Repaired>
void named_barrier_of_one_half(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "named_barrier_of_one_half", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        int const half = member.subgroup_rank() / 2;
        member.team_scratch()[thread] = 0;
        member.team_barrier();
        member.team_scratch()[thread] = 1;
        if (Repaired) {
          member.named_barrier(1, 4);
        } else {
          member.named_barrier(1 + half, 2);
        }
        results[member.league_rank() * threads + thread] = member.team_scratch()[thread ^ 64];
      });
  target.fence();
}

/// Subgroups 0 and 1 fill, 2 and 3 empty; what hands the buffer back is missing or there.
template <class Target, bool Repaired>
void buffer_never_handed_back(Target const& target) {
  auto const out = filled<float>(target, teams * 64);
  float* const results = out.data();
  parallel_for(
      "buffer_never_handed_back", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const slot = member.team_rank() % 64;
        bool const fills = member.subgroup_rank() < 2;
        float sum = 0;
        for (int round = 0; round < 3; ++round) {
          if (fills) member.team_scratch()[slot] = static_cast<float>(round);
          member.named_barrier(1, 4);
          if (!fills) sum += member.team_scratch()[63 - slot];
          if (Repaired) member.named_barrier(2, 4);
        }
        if (!fills) results[member.league_rank() * 64 + slot] = sum;
      });
  target.fence();
}

template <class Caller>
KOHORT_FUNCTION void meet(Caller const& member) {
  member.team_barrier();
}
template <class Caller>
KOHORT_FUNCTION void store_and_meet(Caller const& member, int limit, bool all) {
  int const thread = member.team_rank();
  if (thread < limit) member.team_scratch()[thread] = 1;
  if (all || thread < limit) meet(member);
}

template <class Target, bool Repaired>
void team_barrier_in_a_branch_two_calls_deep(Target const& target) {
  parallel_for(
      "team_barrier_in_a_branch_two_calls_deep", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) { store_and_meet(member, 77, Repaired); });
  target.fence();
}

template <class Target, bool Repaired>
void barriers_of_two_branches(Target const& target) {
  parallel_for(
      "barriers_of_two_branches", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        bool const first = Repaired ? member.league_rank() == 0 : member.subgroup_rank() == 0;
        if (first) {
          member.team_scratch()[member.team_rank()] = 1;
          member.team_barrier();
        } else {
          member.team_barrier();
        }
      });
  target.fence();
}

/// As many barriers as the team's own share of the work has steps.
template <class Target, bool Repaired>
void unequal_trips(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2, 2>, ClusterScratch<int[2]>>;
  parallel_for(
      "unequal_trips", Policy(target, League(2, 4), threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const trips = Repaired ? 5 : 5 - member.cluster_rank() / 3;
        for (int trip = 0; trip < trips; ++trip) {
          if (member.team_rank() == 0) member.cluster_scratch()[trip % 2] = trip;
          member.cluster_barrier();
        }
      });
  target.fence();
}

/// A whole barrier between the halves of another.
template <class Target, bool Repaired>
void barrier_within_a_barrier(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<3>>;
  parallel_for(
      "barrier_within_a_barrier", Policy(target, 6, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto token = member.cluster_arrive();
        if (Repaired) {
          member.team_barrier();
        } else {
          member.cluster_barrier();
        }
        member.cluster_wait(std::move(token));
      });
  target.fence();
}

/// Lanes leave the loop one by one, and those that stay vote on.
template <class Target, bool Repaired>
void lanes_leave_a_vote(Target const& target) {
  auto const out = filled<int>(target, teams * threads);
  int* const results = out.data();
  parallel_for(
      "lanes_leave_a_vote", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        auto const tile = member.template subgroup_tile<16>();
        int left = tile.thread_rank() % 5 + 1;
        int votes = 0;
        if (Repaired) {
          while (tile.any(left > 0)) --left, ++votes;
        } else {
          while (left > 0) {
            --left;
            if (tile.any(left > 0)) ++votes;
          }
        }
        results[member.league_rank() * threads + member.team_rank()] =
            tile.shuffle(votes, 15 - tile.thread_rank());
      });
  target.fence();
}

/// Three roles, each of which meets its two neighbours, in a circle.
template <class Target, bool Repaired>
void roles_in_a_circle(Target const& target) {
  parallel_for(
      "roles_in_a_circle", Teams<Target>(target, teams, 96),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const role = member.subgroup_rank();
        int const next = (role + 1) % 3;
        int const first = Repaired && next < role ? next : role;
        member.named_barrier(1 + first, 2);
        member.named_barrier(1 + (first == role ? next : role), 2);
      });
  target.fence();
}

template <class Target, bool Repaired>
void counts_that_differ(Target const& target) {
  parallel_for(
      "counts_that_differ", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        member.named_barrier(3, Repaired || member.subgroup_rank() != 2 ? 4 : 3);
      });
  target.fence();
}

template <class Target, bool Repaired>
void token_lost_on_the_way_out(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>>;
  parallel_for(
      "token_lost_on_the_way_out", Policy(target, 4, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto token = member.cluster_arrive();
        if (!Repaired && member.team_rank() == 64) return;
        member.cluster_wait(std::move(token));
      });
  target.fence();
}

/// The writer of the flag waits at the barrier that the poller should come to.
template <class Target, bool Repaired>
void flag_behind_a_barrier(Target const& target) {
  auto const raised = filled<int>(target, teams);
  int* const flags = raised.data();
  parallel_for(
      "flag_behind_a_barrier", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int* const flag = flags + member.league_rank();
        if (Repaired && member.team_rank() == 1) atomic_store(flag, 1);
        if (member.team_rank() == 0) {
          while (atomic_load(flag) == 0) {
          }
        }
        member.team_barrier();
        if (!Repaired && member.team_rank() == 1) atomic_store(flag, 1);
      });
  target.fence();
}

/// Teams of one cluster meet from different lines, the threads of each from one.
template <class Target>
void control_roles_of_teams(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<float[threads]>>;
  auto const out = filled<float>(target, 4 * threads);
  float* const results = out.data();
  parallel_for(
      "control_roles_of_teams", Policy(target, 4, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        auto const other = member.peer(tile, 1 - member.cluster_rank());
        if (member.cluster_rank() == 0) {
          other[thread] = 3;
          member.cluster_barrier();
        } else {
          member.cluster_barrier();
          results[member.league_rank() * threads + thread] = tile[threads - 1 - thread];
        }
      });
  target.fence();
}

/// An id is free again once its meeting is over, for another count as well.
template <class Target>
void control_name_used_again(Target const& target) {
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "control_name_used_again", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        member.team_scratch()[thread] = 1;
        member.named_barrier(7, 4);
        float const across = member.team_scratch()[thread ^ 64];
        member.named_barrier(6, 4);
        if (thread < 64) {
          member.team_scratch()[thread] = 2;
          member.named_barrier(7, 2);
        }
        results[member.league_rank() * threads + thread] =
            across + member.team_scratch()[thread ^ 32];
      });
  target.fence();
}

/// Whole teams that have nothing to do pass no barrier; nobody waits for them.
template <class Target>
void control_team_without_work(Target const& target) {
  auto const out = filled<float>(target, 5 * threads);
  float* const results = out.data();
  parallel_for(
      "control_team_without_work", Teams<Target>(target, 5, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (member.league_rank() % 2 == 1) return;
        for (int round = 0; round < member.league_rank(); ++round) {
          member.team_scratch()[thread] = static_cast<float>(round);
          member.team_barrier();
          results[member.league_rank() * threads + thread] = member.team_scratch()[thread ^ 3];
          member.team_barrier();
        }
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {"lanes_in_lockstep", "race", "race-team-scratch", "own", lanes_in_lockstep<UnitTarget, false>,
     lanes_in_lockstep<UnitTarget, true>},
    {"shuffle_for_a_barrier", "race", "race-team-scratch", "own",
     shuffle_for_a_barrier<UnitTarget, false>, shuffle_for_a_barrier<UnitTarget, true>},
    {"named_barrier_of_one_half", "race", "race-team-scratch", "own",
     named_barrier_of_one_half<UnitTarget, false>, named_barrier_of_one_half<UnitTarget, true>},
    {"buffer_never_handed_back", "race", "race-team-scratch", "own",
     buffer_never_handed_back<UnitTarget, false>, buffer_never_handed_back<UnitTarget, true>},
    {"team_barrier_in_a_branch_two_calls_deep", "barrier", "team-barrier-divergent", "own",
     team_barrier_in_a_branch_two_calls_deep<UnitTarget, false>,
     team_barrier_in_a_branch_two_calls_deep<UnitTarget, true>},
    {"barriers_of_two_branches", "barrier", "team-barrier-mismatch", "own",
     barriers_of_two_branches<UnitTarget, false>, barriers_of_two_branches<UnitTarget, true>},
    {"unequal_trips", "barrier", "cluster-barrier-unequal", "own", unequal_trips<UnitTarget, false>,
     unequal_trips<UnitTarget, true>},
    {"barrier_within_a_barrier", "barrier", "cluster-barrier-double-arrive", "own",
     barrier_within_a_barrier<UnitTarget, false>, barrier_within_a_barrier<UnitTarget, true>},
    {"lanes_leave_a_vote", "barrier", "subgroup-divergent", "own",
     lanes_leave_a_vote<UnitTarget, false>, lanes_leave_a_vote<UnitTarget, true>},
    {"roles_in_a_circle", "barrier", "deadlock", "own", roles_in_a_circle<UnitTarget, false>,
     roles_in_a_circle<UnitTarget, true>},
    {"counts_that_differ", "barrier", "named-barrier", "own", counts_that_differ<UnitTarget, false>,
     counts_that_differ<UnitTarget, true>},
    {"token_lost_on_the_way_out", "barrier", "arrive-token-dropped", "own",
     token_lost_on_the_way_out<UnitTarget, false>, token_lost_on_the_way_out<UnitTarget, true>},
    {"flag_behind_a_barrier", "barrier", "spin-without-progress", "own",
     flag_behind_a_barrier<UnitTarget, false>, flag_behind_a_barrier<UnitTarget, true>},
    {"control_roles_of_teams", "control", "", "own", control_roles_of_teams<UnitTarget>},
    {"control_name_used_again", "control", "", "own", control_name_used_again<UnitTarget>},
    {"control_team_without_work", "control", "", "own", control_team_without_work<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::own_barriers
