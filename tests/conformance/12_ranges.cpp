// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared loops, nested reductions, and single().
#include "device.hpp"

namespace kohort::conformance::ranges {

inline std::vector<int> loop_lengths() { return {0, 1, 5, 64, 1000}; }

template <class Target>
void a_team_shares_a_loop(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int count : loop_lengths()) {
    int const teams = 3;
    auto const results = filled<int>(target, teams * count + 1, 0);
    int* const result = results.data();
    parallel_for(
        "team_thread_range", Policy(target, teams, team_threads(target, 48)),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          int* const mine = result + member.league_rank() * count;
          parallel_for(TeamThreadRange(member, count), [&](int i) { mine[i] += i + 1; });
          for (int i : TeamThreadRange(member, count)) mine[i] += 1000;
        });
    std::vector<int> expected;
    for (int team = 0; team < teams; ++team) {
      for (int i = 0; i < count; ++i) expected.push_back(1000 + i + 1);
    }
    expected.push_back(0);
    require_all_equal(download(results), expected, std::to_string(count) + " turns");
  }
}

template <class Target>
void a_cluster_shares_a_loop(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int size : cluster_sizes(target)) {
    for (int count : loop_lengths()) {
      int const clusters = 2;
      auto const threads_turns = filled<int>(target, clusters * count + 1, 0);
      auto const teams_turns = filled<int>(target, clusters * count + 1, 0);
      int* const by_thread = threads_turns.data();
      int* const by_team = teams_turns.data();
      Policy policy(target, clusters * size, team_threads(target, 48), size);
      policy.allow_nonportable_size();
      parallel_for(
          "cluster_ranges", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
            int const first = member.cluster_league_rank() * count;
            for (int i : ClusterThreadRange(member, count)) {
              atomic_add(&by_thread[first + i], 1);
            }
            parallel_for(ClusterTeamRange(member, count),
                         [&](int i) { atomic_add(&by_team[first + i], 1); });
          });
      std::vector<int> once(clusters * count, 1);
      once.push_back(0);
      std::vector<int> by_each_thread(clusters * count, team_threads(target, 48));
      by_each_thread.push_back(0);
      std::string const text =
          "cluster of " + std::to_string(size) + ", " + std::to_string(count) + " turns";
      require_all_equal(download(threads_turns), once, "over threads, " + text);
      require_all_equal(download(teams_turns), by_each_thread, "over teams, " + text);
    }
  }
}

template <class Target>
void a_subgroup_shares_a_loop(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const lanes = properties(target).subgroup_size;
  for (int count : loop_lengths()) {
    auto const results = filled<int>(target, 2 * count + 1, 0);
    int* const result = results.data();
    parallel_for(
        "subgroup_lane_range", Policy(target, 1, 2 * lanes),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          int* const mine = result + member.subgroup_rank() * count;
          parallel_for(SubgroupLaneRange(member, count), [&](int i) { mine[i] += i + 1; });
        });
    std::vector<int> expected;
    for (int subgroup = 0; subgroup < 2; ++subgroup) {
      for (int i = 0; i < count; ++i) expected.push_back(i + 1);
    }
    expected.push_back(0);
    require_all_equal(download(results), expected, std::to_string(count) + " turns");
  }
}

template <class Target>
void nested_reductions_over_a_team(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int count : loop_lengths()) {
    for (int threads : odd_team_sizes(target)) {
      if (threads > 300) continue;
      auto const results = poisoned<long long>(target, 2 * threads);
      long long* const result = results.data();
      parallel_for(
          "nested_team_reduction", Policy(target, 1, threads),
          KOHORT_LAMBDA(typename Policy::member_type const& member) {
            long long sum = -1;
            parallel_reduce(
                TeamThreadRange(member, count),
                [&](int i, long long& update) { update += i * 3LL; }, sum);
            int largest = -1;
            parallel_reduce(
                TeamThreadRange(member, count),
                [&](int i, int& update) {
                  int const value = static_cast<int>(scrambled(i) % 5000);
                  if (update < value) update = value;
                },
                largest, Max());
            result[member.team_rank()] = sum;
            result[threads + member.team_rank()] = largest;
          });
      long long sum = 0;
      int largest = Max::identity<int>();
      for (int i = 0; i < count; ++i) {
        sum += i * 3LL;
        largest = std::max(largest, static_cast<int>(scrambled(i) % 5000));
      }
      std::vector<long long> expected(threads, sum);
      expected.insert(expected.end(), threads, largest);
      require_all_equal(download(results), expected,
                        std::to_string(count) + " turns, " + std::to_string(threads) + " threads");
    }
  }
}

template <class Target>
void nested_reductions_over_a_cluster(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int size : cluster_sizes(target)) {
    int const count = 777;
    int const threads = team_threads(target, 40);
    auto const results = poisoned<double>(target, size * threads);
    double* const result = results.data();
    Policy policy(target, size, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "nested_cluster_reduction", policy,
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          double sum = -1;
          parallel_reduce(
              ClusterThreadRange(member, count), [&](int i, double& update) { update += i * 0.5; },
              sum);
          result[member.league_rank() * threads + member.team_rank()] = sum;
        });
    require_all_equal(download(results),
                      std::vector<double>(size * threads, count * (count - 1) / 4.0),
                      "cluster of " + std::to_string(size));
  }
}

template <class Target>
void single_runs_in_one_thread(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const lanes = properties(target).subgroup_size;
  int const size = cluster_teams(target, 4);
  int const teams = 3 * size;
  int const threads = 2 * lanes + 1;
  auto const results = filled<int>(target, 3, 0);
  int* const result = results.data();
  Policy policy(target, teams, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "single", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        single(PerCluster(member), [&] { atomic_add(&result[0], 1 + member.cluster_rank()); });
        single(PerTeam(member), [&] { atomic_add(&result[1], 1 + member.team_rank()); });
        single(PerSubgroup(member), [&] { atomic_add(&result[2], 1 + member.lane()); });
      });
  require_all_equal(download(results), {3, teams, 3 * teams}, "runs per cluster, team, subgroup");
}

namespace {
Rung<UnitTarget> const rung(
    "12_ranges", {{"ATeamSharesALoop", a_team_shares_a_loop<UnitTarget>},
                  {"AClusterSharesALoop", a_cluster_shares_a_loop<UnitTarget>},
                  {"ASubgroupSharesALoop", a_subgroup_shares_a_loop<UnitTarget>},
                  {"NestedReductionsOverATeam", nested_reductions_over_a_team<UnitTarget>},
                  {"NestedReductionsOverACluster", nested_reductions_over_a_cluster<UnitTarget>},
                  {"SingleRunsInOneThread", single_runs_in_one_thread<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::ranges
