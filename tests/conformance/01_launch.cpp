// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A league of teams runs: every thread exactly once, and each knows where it stands.
#include "device.hpp"

namespace kohort::conformance::launch {

/// Cells behind the league's own, which no thread may touch.
inline constexpr int guard_cells = 64;

template <class Target>
void count_runs(Target const& target, int teams, int threads) {
  using Policy = ClusterPolicy<Target>;
  std::size_t const cells = static_cast<std::size_t>(teams) * threads;
  auto const counts = filled<int>(target, cells + guard_cells, 0);
  int* const count = counts.data();
  parallel_for(
      "count_runs", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        atomic_add(&count[member.league_rank() * threads + member.team_rank()], 1);
      });
  std::vector<int> expected(cells, 1);
  expected.resize(cells + guard_cells, 0);
  require_all_equal(download(counts), expected,
                    std::to_string(teams) + " teams of " + std::to_string(threads));
}

template <class Target>
void every_thread_runs_once(Target const& target) {
  for (int teams : {1, 2, 37, 300}) {
    for (int threads : odd_team_sizes(target)) {
      if (teams * threads <= 50000) count_runs(target, teams, threads);
    }
  }
}

template <class Target>
void a_league_may_be_longer_than_the_device(Target const& target) {
  count_runs(target, 8 * properties(target).max_teams_per_sm * properties(target).sm_count / 4, 1);
}

struct Standing {
  int league_rank, league_size, team_rank, team_size;
  int cluster_rank, cluster_size, cluster_league_rank, cluster_league_size;
  bool operator==(Standing const&) const = default;
};

template <class Target>
void ranks_and_sizes_agree_with_the_policy(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const teams = 11;
  int const threads = team_threads(target, 96) - 1;
  auto const standings = poisoned<Standing>(target, teams * threads);
  Standing* const standing = standings.data();
  parallel_for(
      "ranks_and_sizes", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        standing[member.league_rank() * threads + member.team_rank()] = Standing{
            member.league_rank(),         member.league_size(),        member.team_rank(),
            member.team_size(),           member.cluster_rank(),       member.cluster_size(),
            member.cluster_league_rank(), member.cluster_league_size()};
      });
  std::vector<Standing> expected;
  for (int team = 0; team < teams; ++team) {
    for (int thread = 0; thread < threads; ++thread) {
      expected.push_back({team, teams, thread, threads, 0, 1, team, teams});
    }
  }
  require_all_equal(download(standings), expected, "standings");
}

struct SubgroupStanding {
  int lane, rank, size, subgroups;
  bool operator==(SubgroupStanding const&) const = default;
};

template <class Target>
void subgroups_partition_a_team(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const lanes = properties(target).subgroup_size;
  for (int threads : odd_team_sizes(target)) {
    auto const standings = poisoned<SubgroupStanding>(target, threads);
    SubgroupStanding* const standing = standings.data();
    parallel_for(
        "subgroup_standing", Policy(target, 1, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          standing[member.team_rank()] =
              SubgroupStanding{member.lane(), member.subgroup_rank(), member.subgroup_size(),
                               member.team_subgroups()};
        });
    std::vector<SubgroupStanding> expected;
    for (int thread = 0; thread < threads; ++thread) {
      expected.push_back({thread % lanes, thread / lanes, lanes, (threads + lanes - 1) / lanes});
    }
    require_all_equal(download(standings), expected, std::to_string(threads) + " threads");
  }
}

/// Only some threads work, and no barrier follows: a launch needs none.
template <class Target>
void threads_may_return_at_once(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const teams = 20;
  int const threads = team_threads(target, 64);
  auto const results = filled<int>(target, teams, 0);
  int* const result = results.data();
  parallel_for(
      "threads_may_return_at_once", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != member.league_rank() % threads) return;
        result[member.league_rank()] += member.team_rank() + 1;
      });
  std::vector<int> expected;
  for (int team = 0; team < teams; ++team) expected.push_back(team % threads + 1);
  require_all_equal(download(results), expected, "what one thread a team wrote");
}

namespace {
Rung<UnitTarget> const rung(
    "01_launch",
    {{"EveryThreadRunsOnce", every_thread_runs_once<UnitTarget>},
     {"ALeagueMayBeLongerThanTheDevice", a_league_may_be_longer_than_the_device<UnitTarget>},
     {"RanksAndSizesAgreeWithThePolicy", ranks_and_sizes_agree_with_the_policy<UnitTarget>},
     {"SubgroupsPartitionATeam", subgroups_partition_a_team<UnitTarget>},
     {"ThreadsMayReturnAtOnce", threads_may_return_at_once<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::launch
