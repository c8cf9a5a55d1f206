// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No peer is touched before it started or after it ended, unless the kernel asked to see to that
// itself.
#include "device.hpp"

namespace kohort::conformance::lifetime {

/// Far more than a barrier takes, so that a missing guard is not hidden by luck.
inline constexpr int long_work = 20000;

/// Team 0 pushes at once; the others are still at work.
template <class Target>
void a_push_reaches_a_team_that_starts_late(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int[64]>>;
  int const threads = team_threads(target, 64);
  for (int size : cluster_sizes(target)) {
    int const teams = 6 * size;
    auto const results = poisoned<int>(target, teams * threads);
    auto const noises = poisoned<unsigned>(target, teams);
    int* const result = results.data();
    unsigned* const noise = noises.data();
    Policy policy(target, teams, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "late_starters", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto tile = member.cluster_scratch();
          int const thread = member.team_rank();
          if (member.cluster_rank() == 0) {
            for (int rank = 0; rank < size; ++rank) {
              member.peer(tile, rank)[thread] = member.league_rank() + rank * 100 + thread;
            }
          } else if (thread == 0) {
            noise[member.league_rank()] = busy_work(member.league_rank(), long_work);
          }
          member.cluster_barrier();
          result[member.league_rank() * threads + thread] = tile[thread];
        });
    std::vector<int> expected;
    for (int team = 0; team < teams; ++team) {
      for (int thread = 0; thread < threads; ++thread) {
        expected.push_back(team / size * size + team % size * 100 + thread);
      }
    }
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

/// All teams but one return after the last barrier; that one goes on reading their scratch.
template <class Target>
void a_team_that_has_returned_can_still_be_read(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<unsigned[64]>>;
  int const threads = team_threads(target, 64);
  int const passes = 40;
  for (int size : cluster_sizes(target)) {
    int const clusters = 6;
    auto const results = poisoned<unsigned>(target, clusters * threads);
    unsigned* const result = results.data();
    Policy policy(target, clusters * size, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "early_finishers", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto tile = member.cluster_scratch();
          int const thread = member.team_rank();
          tile[thread] = scrambled(member.league_rank() * 64 + thread);
          member.cluster_barrier();
          if (member.cluster_rank() != size - 1) return;
          unsigned sum = 0;
          for (int pass = 0; pass < passes; ++pass) {
            for (int rank = 0; rank < size; ++rank) {
              sum = sum * 17 + member.peer(tile, rank)[(thread + pass) % threads];
            }
          }
          result[member.cluster_league_rank() * threads + thread] = sum;
        });
    std::vector<unsigned> expected;
    for (int cluster = 0; cluster < clusters; ++cluster) {
      for (int thread = 0; thread < threads; ++thread) {
        unsigned sum = 0;
        for (int pass = 0; pass < passes; ++pass) {
          for (int rank = 0; rank < size; ++rank) {
            int const cell = (cluster * size + rank) * 64 + (thread + pass) % threads;
            sum = sum * 17 + static_cast<unsigned>(scrambled(cell));
          }
        }
        expected.push_back(sum);
      }
    }
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

/// The guards alone: a kernel in clusters that never calls anything of the cluster.
template <class Target>
void a_kernel_need_not_use_its_cluster(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const size = cluster_teams(target, 4);
  int const teams = 200 * size;
  int const threads = team_threads(target, 64);
  auto const results = filled<int>(target, teams, 0);
  int* const result = results.data();
  Policy policy(target, teams, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "guards_alone", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() % 2 == 1) return;
        if (member.team_rank() == 0) result[member.league_rank()] += member.cluster_rank() + 1;
      });
  std::vector<int> expected;
  for (int team = 0; team < teams; ++team) expected.push_back(team % size + 1);
  require_all_equal(download(results), expected, "what thread 0 wrote");
}

/// The first cluster call comes after team barriers and team collectives.
template <class Target>
void the_entry_guard_waits_at_the_first_cluster_call(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int>, TeamScratch<int[64]>>;
  int const size = cluster_teams(target, 4);
  int const threads = team_threads(target, 64);
  auto const results = poisoned<int>(target, 8 * size);
  int* const result = results.data();
  Policy policy(target, 8 * size, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "late_first_cluster_call", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        member.team_scratch()[member.team_rank()] = member.team_rank();
        member.team_barrier();
        int const mirrored = member.team_scratch()[threads - 1 - member.team_rank()];
        int const sum = member.team_reduce(mirrored);
        auto next = member.peer(member.cluster_scratch(), (member.cluster_rank() + 1) % size);
        if (member.team_rank() == 0) *next = sum + member.cluster_rank();
        member.cluster_barrier();
        if (member.team_rank() == 0) result[member.league_rank()] = *member.cluster_scratch();
      });
  std::vector<int> expected;
  for (int team = 0; team < 8 * size; ++team) {
    expected.push_back(threads * (threads - 1) / 2 + (team + size - 1) % size);
  }
  require_all_equal(download(results), expected, "what the team before pushed");
}

/// Many more clusters than are resident: a slot's next cluster must not see the last one's peers.
template <class Target>
void slots_are_handed_from_cluster_to_cluster(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int>>;
  int const size = cluster_teams(target, 2);
  int const teams = 1500 * size;
  auto const results = poisoned<int>(target, teams);
  int* const result = results.data();
  parallel_for(
      "slots", Policy(target, teams, 4, size),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto cell = member.cluster_scratch();
        int const other = size - 1 - member.cluster_rank();
        auto theirs = member.peer(cell, other);
        if (member.team_rank() == 0) *theirs = member.league_rank();
        member.cluster_barrier();
        if (member.team_rank() == 0) result[member.league_rank()] = *cell;
      });
  std::vector<int> expected;
  for (int team = 0; team < teams; ++team) {
    expected.push_back(team / size * size + size - 1 - team % size);
  }
  require_all_equal(download(results), expected, "what the other team pushed");
}

/// Without guards the kernel's own barriers stand at both ends.
template <class Target>
void manual_lifetime_leaves_the_guards_to_the_kernel(Target const& target) {
  using Policy = ClusterPolicy<Target, ManualLifetime, ClusterScratch<int[64]>>;
  int const threads = team_threads(target, 64);
  for (int size : cluster_sizes(target)) {
    int const teams = 6 * size;
    auto const results = poisoned<int>(target, teams * threads);
    int* const result = results.data();
    Policy policy(target, teams, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "manual_lifetime", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto tile = member.cluster_scratch();
          int const thread = member.team_rank();
          member.cluster_barrier();
          auto next = member.peer(tile, (member.cluster_rank() + 1) % size);
          next[thread] = member.league_rank() * 64 + thread;
          member.cluster_barrier();
          result[member.league_rank() * threads + thread] = tile[thread];
        });
    std::vector<int> expected;
    for (int team = 0; team < teams; ++team) {
      int const before = team / size * size + (team + size - 1) % size;
      for (int thread = 0; thread < threads; ++thread) expected.push_back(before * 64 + thread);
    }
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

/// sglang#25574: all teams but one leave early and nobody touches their memory, which is right.
template <class Target>
void manual_lifetime_lets_whole_teams_leave_early(Target const& target) {
  using Policy = ClusterPolicy<Target, ManualLifetime, TeamScratch<int[64]>>;
  int const size = cluster_teams(target, 8);
  int const threads = team_threads(target, 64);
  int const clusters = 20;
  auto const results = poisoned<int>(target, clusters * threads);
  int* const result = results.data();
  Policy policy(target, clusters * size, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "early_leavers", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.cluster_rank() != 0) return;
        auto& cells = member.team_scratch();
        int const thread = member.team_rank();
        cells[thread] = member.cluster_league_rank() + thread;
        member.team_barrier();
        result[member.cluster_league_rank() * threads + thread] = cells[threads - 1 - thread];
      });
  std::vector<int> expected;
  for (int cluster = 0; cluster < clusters; ++cluster) {
    for (int thread = 0; thread < threads; ++thread) {
      expected.push_back(cluster + threads - 1 - thread);
    }
  }
  require_all_equal(download(results), expected, "what the team that stayed computed");
}

namespace {
Rung<UnitTarget> const rung(
    "07_lifetime",
    {{"APushReachesATeamThatStartsLate", a_push_reaches_a_team_that_starts_late<UnitTarget>},
     {"ATeamThatHasReturnedCanStillBeRead", a_team_that_has_returned_can_still_be_read<UnitTarget>},
     {"AKernelNeedNotUseItsCluster", a_kernel_need_not_use_its_cluster<UnitTarget>},
     {"TheEntryGuardWaitsAtTheFirstClusterCall",
      the_entry_guard_waits_at_the_first_cluster_call<UnitTarget>},
     {"SlotsAreHandedFromClusterToCluster", slots_are_handed_from_cluster_to_cluster<UnitTarget>},
     {"ManualLifetimeLeavesTheGuardsToTheKernel",
      manual_lifetime_leaves_the_guards_to_the_kernel<UnitTarget>},
     {"ManualLifetimeLetsWholeTeamsLeaveEarly",
      manual_lifetime_lets_whole_teams_leave_early<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::lifetime
