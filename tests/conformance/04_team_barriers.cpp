// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers within a team: of the team, of a subgroup, and named ones for some subgroups.
#include "device.hpp"

namespace kohort::conformance::team_barriers {

inline constexpr int most_threads = 256;

/// `rounds` times each thread adds a neighbour's value to its own; what every thread has then.
inline std::vector<unsigned> neighbour_sums(int threads, int rounds) {
  std::vector<unsigned> values(threads);
  for (int thread = 0; thread < threads; ++thread) values[thread] = thread + 1;
  for (int round = 0; round < rounds; ++round) {
    std::vector<unsigned> const before = values;
    for (int thread = 0; thread < threads; ++thread) {
      values[thread] = before[thread] + 3 * before[(thread + round + 1) % threads];
    }
  }
  return values;
}

template <class Target>
void team_barriers_order_many_rounds(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<unsigned[most_threads]>>;
  int const rounds = 40;
  for (int threads : odd_team_sizes(target)) {
    if (threads > most_threads) continue;
    auto const results = poisoned<unsigned>(target, 2 * threads);
    unsigned* const result = results.data();
    parallel_for(
        "team_barrier_rounds", Policy(target, 2, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto& cells = member.team_scratch();
          int const thread = member.team_rank();
          cells[thread] = thread + 1;
          for (int round = 0; round < rounds; ++round) {
            member.team_barrier();
            unsigned const sum = cells[thread] + 3 * cells[(thread + round + 1) % threads];
            member.team_barrier();
            cells[thread] = sum;
          }
          result[member.league_rank() * threads + thread] = cells[thread];
        });
    std::vector<unsigned> const one_team = neighbour_sums(threads, rounds);
    std::vector<unsigned> expected = one_team;
    expected.insert(expected.end(), one_team.begin(), one_team.end());
    require_all_equal(download(results), expected, std::to_string(threads) + " threads");
  }
}

/// Global memory that a thread wrote is visible to its team after the barrier.
template <class Target>
void team_barriers_order_global_memory(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const threads = team_threads(target);
  int const teams = 10;
  auto const cells = poisoned<int>(target, teams * threads);
  auto const results = poisoned<int>(target, teams * threads);
  int* const cell = cells.data();
  int* const result = results.data();
  parallel_for(
      "team_barrier_global", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const base = member.league_rank() * threads;
        int const thread = member.team_rank();
        cell[base + thread] = base * 3 + thread;
        member.team_barrier();
        result[base + thread] = cell[base + (thread + threads / 2) % threads];
      });
  std::vector<int> expected;
  for (int team = 0; team < teams; ++team) {
    for (int thread = 0; thread < threads; ++thread) {
      expected.push_back(team * threads * 3 + (thread + threads / 2) % threads);
    }
  }
  require_all_equal(download(results), expected, "values through global memory");
}

template <class Target>
void subgroup_barriers_order_their_lanes(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<unsigned[most_threads]>>;
  int const lanes = properties(target).subgroup_size;
  int const subgroups = std::min(team_threads(target) / lanes, 4);
  int const threads = lanes * subgroups;
  int const rounds = 15;
  auto const results = poisoned<unsigned>(target, threads);
  unsigned* const result = results.data();
  parallel_for(
      "subgroup_barrier_rounds", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        unsigned* const cells =
            member.team_scratch() + member.subgroup_rank() * member.subgroup_size();
        int const lane = member.lane();
        cells[lane] = lane + 1;
        // Subgroups need not agree: each does one round more than the one before it.
        int const mine = rounds - member.team_subgroups() + 1 + member.subgroup_rank();
        for (int round = 0; round < mine; ++round) {
          member.subgroup_barrier();
          unsigned const sum = cells[lane] + 3 * cells[(lane + round + 1) % lanes];
          member.subgroup_barrier();
          cells[lane] = sum;
        }
        result[member.team_rank()] = cells[lane];
      });
  std::vector<unsigned> expected;
  for (int subgroup = 0; subgroup < subgroups; ++subgroup) {
    for (unsigned value : neighbour_sums(lanes, rounds - subgroups + 1 + subgroup)) {
      expected.push_back(value);
    }
  }
  require_all_equal(download(results), expected, "sums within subgroups");
}

/// Two pairs of subgroups meet at two barriers, a different number of times each.
template <class Target>
void named_barriers_are_for_some_subgroups(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<unsigned[most_threads]>>;
  int const lanes = properties(target).subgroup_size;
  int const threads = 4 * lanes;
  int const half = 2 * lanes;
  auto const results = poisoned<unsigned>(target, threads);
  unsigned* const result = results.data();
  parallel_for(
      "named_barriers", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const pair = member.team_rank() / half;
        int const place = member.team_rank() % half;
        unsigned* const cells = member.team_scratch() + pair * half;
        cells[place] = place + 1;
        int const rounds = pair == 0 ? 5 : 12;
        for (int round = 0; round < rounds; ++round) {
          member.named_barrier(1 + pair, 2);
          unsigned const sum = cells[place] + 3 * cells[(place + round + 1) % half];
          member.named_barrier(1 + pair, 2);
          cells[place] = sum;
        }
        result[member.team_rank()] = cells[place];
      });
  std::vector<unsigned> expected = neighbour_sums(half, 5);
  for (unsigned value : neighbour_sums(half, 12)) expected.push_back(value);
  require_all_equal(download(results), expected, "sums within pairs of subgroups");
}

/// Producer and consumer subgroups hand one slot to and fro over a "full" and a "free" barrier.
template <class Target>
void named_barriers_make_a_hand_over(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<int[most_threads]>>;
  int const lanes = properties(target).subgroup_size;
  int const rounds = 25;
  auto const results = poisoned<int>(target, lanes);
  int* const result = results.data();
  parallel_for(
      "hand_over", Policy(target, 1, 2 * lanes),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto& slot = member.team_scratch();
        int const lane = member.lane();
        int sum = 0;
        for (int round = 0; round < rounds; ++round) {
          if (member.subgroup_rank() == 0) slot[lane] = round * 100 + lane;
          member.named_barrier(6, 2);
          if (member.subgroup_rank() == 1) sum += slot[(lane + 1) % lanes];
          member.named_barrier(7, 2);
        }
        if (member.subgroup_rank() == 1) result[lane] = sum;
      });
  std::vector<int> expected;
  for (int lane = 0; lane < lanes; ++lane) {
    expected.push_back(100 * rounds * (rounds - 1) / 2 + rounds * ((lane + 1) % lanes));
  }
  require_all_equal(download(results), expected, "what the consumer summed");
}

/// The three kinds in turn, with the team barrier closing each round.
template <class Target>
void kinds_of_barriers_mix(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<int[most_threads]>>;
  int const lanes = properties(target).subgroup_size;
  int const threads = 4 * lanes;
  int const rounds = 10;
  auto const results = poisoned<int>(target, threads);
  int* const result = results.data();
  parallel_for(
      "mixed_barriers", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto& cells = member.team_scratch();
        int const thread = member.team_rank();
        int const neighbour = member.subgroup_rank() * lanes + (member.lane() + 1) % lanes;
        int sum = 0;
        for (int round = 0; round < rounds; ++round) {
          cells[thread] = round + thread;
          member.subgroup_barrier();
          sum += cells[neighbour];
          member.named_barrier(3, 4);
          sum += cells[(thread + lanes) % threads];
          member.team_barrier();
        }
        result[thread] = sum;
      });
  std::vector<int> expected;
  for (int thread = 0; thread < threads; ++thread) {
    int const neighbour = thread / lanes * lanes + (thread % lanes + 1) % lanes;
    expected.push_back(rounds * (rounds - 1) + rounds * (neighbour + (thread + lanes) % threads));
  }
  require_all_equal(download(results), expected, "sums");
}

namespace {
Rung<UnitTarget> const rung(
    "04_team_barriers",
    {{"TeamBarriersOrderManyRounds", team_barriers_order_many_rounds<UnitTarget>},
     {"TeamBarriersOrderGlobalMemory", team_barriers_order_global_memory<UnitTarget>},
     {"SubgroupBarriersOrderTheirLanes", subgroup_barriers_order_their_lanes<UnitTarget>},
     {"NamedBarriersAreForSomeSubgroups", named_barriers_are_for_some_subgroups<UnitTarget>},
     {"NamedBarriersMakeAHandOver", named_barriers_make_a_hand_over<UnitTarget>},
     {"KindsOfBarriersMix", kinds_of_barriers_mix<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::team_barriers
