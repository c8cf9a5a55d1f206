// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters in software beside the device's own: every task is done once, by teams that find each
// other, in whichever way tasks are handed out.
#include "device.hpp"

#include <memory>

namespace kohort::conformance::emulated {

struct Nothing {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const&) const {}
};

/// Skips where the unit's kernels have no emulated form.
template <class Target>
void needs_emulation(Target const& target) {
  Support const support =
      ClusterPolicy<Target>(target, 2, 1, 2).mode(ClusterMode::emulated).validate(Nothing{});
  if (!support) throw CaseSkipped("needs emulated clusters: " + support.reason);
}

inline constexpr TaskHandout all_handouts[] = {TaskHandout::automatic, TaskHandout::fixed,
                                               TaskHandout::by_domain, TaskHandout::dynamic};

template <class Target, class... Traits>
ClusterPolicy<Target, Traits...> emulated_policy(Target const& target, int league, int threads,
                                                 int size, TaskHandout handout) {
  ClusterPolicy<Target, Traits...> policy(target, league, threads, size);
  policy.allow_nonportable_size().mode(ClusterMode::emulated).task_handout(handout);
  return policy;
}

/// Each team counts itself, and passes its cluster's number on round the ring.
struct CountAndPass {
  int* count;
  int* from_next;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto cell = member.cluster_scratch();
    if (member.team_rank() == 0) {
      atomic_add(&count[member.league_rank()], 1);
      *cell = member.league_rank();
    }
    member.cluster_barrier();
    if (member.team_rank() != 0) return;
    int const next = (member.cluster_rank() + 1) % member.cluster_size();
    from_next[member.league_rank()] = *member.peer(cell, next);
  }
};

template <class Target>
void every_task_is_done_once(Target const& target) {
  needs_emulation(target);
  int const threads = properties(target).subgroup_size;
  int const many = std::is_same_v<Target, Simulator> ? 67 : 701;
  for (int size : cluster_sizes(target)) {
    if (size == 1) continue;
    for (TaskHandout handout : all_handouts) {
      for (int clusters : {1, 3, many}) {
        int const teams = clusters * size;
        auto const counts = filled<int>(target, teams, 0);
        auto const neighbours = poisoned<int>(target, teams);
        auto const policy =
            emulated_policy<Target, ClusterScratch<int>>(target, teams, threads, size, handout);
        parallel_for("tasks", policy, CountAndPass{counts.data(), neighbours.data()});
        std::string const what = std::to_string(clusters) + " clusters of " + std::to_string(size) +
                                 ", handout " + std::to_string(static_cast<int>(handout));
        require_all_equal(download(counts), std::vector<int>(teams, 1), what);
        std::vector<int> expected;
        for (int team = 0; team < teams; ++team)
          expected.push_back(team / size * size + (team + 1) % size);
        require_all_equal(download(neighbours), expected, what + ", from the next rank");
      }
    }
  }
}

/// Every cluster waits for the one before it, as a scan's blocks do: lower tasks begin first.
struct Chain {
  unsigned* done;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    unsigned const mine = static_cast<unsigned>(member.cluster_league_rank());
    if (member.cluster_rank() == 0 && member.team_rank() == 0) {
      while (atomic_load<Scope::device, MemoryOrder::acquire>(done) != mine) {
      }
    }
    member.cluster_barrier();
    if (member.cluster_rank() == member.cluster_size() - 1 && member.team_rank() == 0)
      atomic_store<Scope::device, MemoryOrder::release>(done, mine + 1);
  }
};

template <class Target>
void a_task_may_wait_for_the_one_before(Target const& target) {
  needs_emulation(target);
  int const threads = properties(target).subgroup_size;
  for (TaskHandout handout : all_handouts) {
    int const clusters = std::is_same_v<Target, Simulator> ? 60 : 400;
    auto const done = filled<unsigned>(target, 1, 0);
    parallel_for("chain", emulated_policy(target, 3 * clusters, threads, 3, handout),
                 Chain{done.data()});
    require_equal(download(done)[0], unsigned(clusters), "links of the chain");
  }
}

/// Rank r passes r barriers and leaves; the last one's barriers go on without the others.
struct LeaveOneByOne {
  unsigned* sums;
  unsigned* cells;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    int const rank = member.cluster_rank();
    int const first = member.league_rank() - rank;
    unsigned sum = 0;
    for (int round = 0; round < rank; ++round) {
      unsigned* const mine = &cells[member.league_rank() * 2 + round % 2];
      if (member.team_rank() == 0) *mine = (round + 1) * 100 + rank;
      if (round % 3 == 1) {
        auto token = member.cluster_arrive();
        member.cluster_wait(std::move(token));
      } else {
        member.cluster_barrier();
      }
      // Who is still here: ranks above the round.
      for (int other = round + 1; other < member.cluster_size(); ++other)
        sum += cells[(first + other) * 2 + round % 2];
    }
    if (member.team_rank() == 0) sums[member.league_rank()] = sum;
  }
};

template <class Target>
void early_leavers_drop_out_of_the_count(Target const& target) {
  needs_emulation(target);
  int const threads =
      std::min(2 * properties(target).subgroup_size + 1, properties(target).max_team_size);
  for (int size : cluster_sizes(target)) {
    for (TaskHandout handout : {TaskHandout::fixed, TaskHandout::dynamic}) {
      if (size == 1) continue;
      int const clusters = std::is_same_v<Target, Simulator> ? 11 : 37;
      auto const sums = poisoned<unsigned>(target, clusters * size);
      auto const cells = poisoned<unsigned>(target, clusters * size * 2);
      parallel_for(
          "one_by_one",
          emulated_policy<Target, ManualLifetime>(target, clusters * size, threads, size, handout),
          LeaveOneByOne{sums.data(), cells.data()});
      std::vector<unsigned> expected;
      for (int team = 0; team < clusters * size; ++team) {
        unsigned sum = 0;
        for (int round = 0; round < team % size; ++round)
          for (int other = round + 1; other < size; ++other) sum += (round + 1) * 100 + other;
        expected.push_back(sum);
      }
      require_all_equal(download(sums), expected, "cluster of " + std::to_string(size));
    }
  }
}

/// Launches of different shapes on one target use the same memory one after the other.
template <class Target>
void launches_follow_each_other(Target const& target) {
  needs_emulation(target);
  int const threads = properties(target).subgroup_size;
  std::vector<std::pair<int, int>> shapes;
  int const rounds = std::is_same_v<Target, Simulator> ? 8 : 40;
  for (int round = 0; round < rounds; ++round)
    for (int size : cluster_sizes(target)) shapes.emplace_back(size, (round * 7 + size) % 50 + 1);
  int most = 0;
  for (auto const& [size, clusters] : shapes) most = std::max(most, size * clusters);
  auto const counts = filled<int>(target, most, 0);
  auto const neighbours = filled<int>(target, most, 0);
  std::vector<int> expected(most, 0);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    auto const& [size, clusters] = shapes[i];
    parallel_for("launches",
                 emulated_policy<Target, ClusterScratch<int>>(target, size * clusters, threads,
                                                              size, all_handouts[i % 4]),
                 CountAndPass{counts.data(), neighbours.data()});
    for (int team = 0; team < size * clusters; ++team) ++expected[team];
  }
  require_all_equal(download(counts), expected, "launches that each team was in");
}

/// Two targets at once: where one holds a part of the device, the other's teams still find
/// together.
template <class Target>
void two_targets_run_at_once(Target const& target) {
  needs_emulation(target);
  Target const other;
  constexpr bool is_simulated = std::is_same_v<Target, Simulator>;
  int const threads =
      is_simulated ? properties(target).subgroup_size : properties(target).max_team_size;
  int const size = cluster_teams(target, 8);
  int const teams = (is_simulated ? 6 : 60) * size;
  auto const counts = filled<int>(target, teams, 0);
  auto const other_counts = filled<int>(other, teams, 0);
  auto const neighbours = poisoned<int>(target, teams);
  auto const other_neighbours = poisoned<int>(other, teams);
  int const rounds = is_simulated ? 2 : 10;
  for (int round = 0; round < rounds; ++round) {
    parallel_for("one",
                 emulated_policy<Target, ClusterScratch<int>>(target, teams, threads, size,
                                                              TaskHandout::dynamic),
                 CountAndPass{counts.data(), neighbours.data()});
    parallel_for("other",
                 emulated_policy<Target, ClusterScratch<int>>(other, teams, threads, size,
                                                              TaskHandout::fixed),
                 CountAndPass{other_counts.data(), other_neighbours.data()});
  }
  require_all_equal(download(counts), std::vector<int>(teams, rounds), "the first target's");
  require_all_equal(download(other_counts), std::vector<int>(teams, rounds), "the other's");
}

/// What an emulated cluster's scratch may be, and what it may not.
template <class Target>
void too_much_cluster_scratch_is_refused(Target const& target) {
  needs_emulation(target);
  using Policy = ClusterPolicy<Target, DynamicClusterScratch<char>>;
  Policy policy(target, 4, 1, 2);
  policy.mode(ClusterMode::emulated).dynamic_cluster_scratch(1 << 20);
  LaunchError const error = require_throws<LaunchError>(
      [&] { parallel_for("refused", policy, Nothing{}); }, "a launch with 1 MiB a team");
  require(error.limit().find("B of cluster scratch at most") != std::string::npos, error.what());
  // More than a team's own memory has is no matter.
  policy.dynamic_cluster_scratch(static_cast<int>(properties(target).max_team_scratch_bytes) +
                                 4096);
  parallel_for("taken", policy, Nothing{});
}

namespace {
Rung<UnitTarget> const rung(
    "26_emulated",
    {{"EveryTaskIsDoneOnce", every_task_is_done_once<UnitTarget>},
     {"ATaskMayWaitForTheOneBefore", a_task_may_wait_for_the_one_before<UnitTarget>},
     {"EarlyLeaversDropOutOfTheCount", early_leavers_drop_out_of_the_count<UnitTarget>},
     {"LaunchesFollowEachOther", launches_follow_each_other<UnitTarget>},
     {"TwoTargetsRunAtOnce", two_targets_run_at_once<UnitTarget>},
     {"TooMuchClusterScratchIsRefused", too_much_cluster_scratch_is_refused<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::emulated
