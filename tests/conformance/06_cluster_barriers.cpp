// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cluster barrier: whole, split into arrive and wait, relaxed, with work between.
#include "device.hpp"

namespace kohort::conformance::cluster_barriers {

/// Each team adds the next team's value to its own, `rounds` times; what each then holds.
inline std::vector<unsigned> ring_sums(int size, int rounds) {
  std::vector<unsigned> values(size);
  for (int rank = 0; rank < size; ++rank) values[rank] = rank + 1;
  for (int round = 0; round < rounds; ++round) {
    std::vector<unsigned> const before = values;
    for (int rank = 0; rank < size; ++rank) {
      values[rank] = before[rank] + 3 * before[(rank + round + 1) % size];
    }
  }
  return values;
}

/// Runs `functor`, which writes one number a thread, on `clusters` clusters of each size, and
/// compares with one number a rank.
template <class Policy, class Target, class MakeFunctor, class Expected>
void check_clusters(Target const& target, char const* label, MakeFunctor const& make_functor,
                    Expected const& expected_of_rank) {
  int const threads = team_threads(target, 64);
  int const clusters = 3;
  for (int size : cluster_sizes(target)) {
    auto const results = poisoned<unsigned>(target, clusters * size * threads);
    Policy policy(target, clusters * size, threads, size);
    policy.allow_nonportable_size();
    parallel_for(label, policy, make_functor(results.data()));
    std::vector<unsigned> expected;
    for (int cluster = 0; cluster < clusters; ++cluster) {
      for (unsigned value : expected_of_rank(size)) {
        expected.insert(expected.end(), threads, value);
      }
    }
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

template <class Member>
KOHORT_FUNCTION int thread_in_league(Member const& member) {
  return member.league_rank() * member.team_size() + member.team_rank();
}

/// A kernel's functor with its output, so that one kernel runs on every shape.
struct ManyRounds {
  static constexpr int rounds = 30;
  unsigned* result;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto cell = member.cluster_scratch();
    if (member.team_rank() == 0) *cell = member.cluster_rank() + 1;
    for (int round = 0; round < rounds; ++round) {
      member.cluster_barrier();
      int const next = (member.cluster_rank() + round + 1) % member.cluster_size();
      unsigned const sum = *cell + 3 * *member.peer(cell, next);
      member.cluster_barrier();
      if (member.team_rank() == 0) *cell = sum;
    }
    member.team_barrier();
    result[thread_in_league(member)] = *cell;
  }
};

template <class Target>
void whole_barriers_order_many_rounds(Target const& target) {
  check_clusters<ClusterPolicy<Target, ClusterScratch<unsigned>>>(
      target, "many_rounds", [](unsigned* result) { return ManyRounds{result}; },
      [](int size) { return ring_sums(size, ManyRounds::rounds); });
}

/// The same rounds, each barrier in another form.
struct SplitRounds {
  static constexpr int rounds = 24;
  unsigned* result;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto cell = member.cluster_scratch();
    unsigned own = member.cluster_rank() + 1;
    unsigned work = 0;
    for (int round = 0; round < rounds; ++round) {
      if (member.team_rank() == 0) *cell = own;
      auto published = member.cluster_arrive();
      work += busy_work(own, 10);
      member.cluster_wait(std::move(published));
      int const next = (member.cluster_rank() + round + 1) % member.cluster_size();
      unsigned const sum = own + 3 * *member.peer(cell, next);
      // The store depends on the load, so the load is done when the thread arrives.
      result[thread_in_league(member)] = sum;
      auto handed_back = member.cluster_arrive_relaxed();
      work += busy_work(sum, 10);
      member.cluster_wait(std::move(handed_back));
      own = sum;
    }
    // The difference is nothing that anybody can compute away.
    result[thread_in_league(member)] = own + (work == 0xdeadbeefu ? 1 : 0);
  }
};

template <class Target>
void split_barriers_order_as_whole_ones(Target const& target) {
  check_clusters<ClusterPolicy<Target, ClusterScratch<unsigned>>>(
      target, "split_rounds", [](unsigned* result) { return SplitRounds{result}; },
      [](int size) { return ring_sums(size, SplitRounds::rounds); });
}

struct WorkBetween {
  static constexpr int rounds = 20;
  unsigned* result;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto cell = member.cluster_scratch();
    unsigned own = member.cluster_rank() + 1;
    int calls = 0;
    for (int round = 0; round < rounds; ++round) {
      if (member.team_rank() == 0) *cell = own;
      member.cluster_barrier([&] { ++calls; });
      int const next = (member.cluster_rank() + round + 1) % member.cluster_size();
      own += 3 * *member.peer(cell, next);
      member.cluster_barrier([&] { ++calls; });
    }
    result[thread_in_league(member)] = own + (calls - 2 * rounds);
  }
};

template <class Target>
void work_between_runs_once_a_thread(Target const& target) {
  check_clusters<ClusterPolicy<Target, ClusterScratch<unsigned>>>(
      target, "work_between", [](unsigned* result) { return WorkBetween{result}; },
      [](int size) { return ring_sums(size, WorkBetween::rounds); });
}

/// Global memory written before the barrier is visible to peers after it.
template <class Target>
void cluster_barriers_order_global_memory(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const threads = team_threads(target, 128);
  for (int size : cluster_sizes(target)) {
    int const teams = 4 * size;
    auto const cells = poisoned<int>(target, teams * threads);
    auto const results = poisoned<int>(target, teams * threads);
    int* const cell = cells.data();
    int* const result = results.data();
    Policy policy(target, teams, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "cluster_barrier_global", policy,
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          int const team = member.league_rank();
          int const thread = member.team_rank();
          cell[team * threads + thread] = team * 7 + thread;
          member.cluster_barrier();
          int const next = team / size * size + (team + 1) % size;
          result[team * threads + thread] = cell[next * threads + threads - 1 - thread];
        });
    std::vector<int> expected;
    for (int team = 0; team < teams; ++team) {
      int const next = team / size * size + (team + 1) % size;
      for (int thread = 0; thread < threads; ++thread) {
        expected.push_back(next * 7 + threads - 1 - thread);
      }
    }
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

/// Team barriers between cluster barriers, of both team-level and cluster-level data.
struct BothLevels {
  static constexpr int rounds = 12;
  unsigned* result;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto cell = member.cluster_scratch();
    auto& local = member.team_scratch();
    int const threads = member.team_size();
    unsigned own = member.cluster_rank() + 1;
    for (int round = 0; round < rounds; ++round) {
      local[member.team_rank()] = own;
      member.team_barrier();
      unsigned const mirrored = local[threads - 1 - member.team_rank()];
      if (member.team_rank() == threads - 1) *cell = mirrored;
      member.cluster_barrier();
      int const next = (member.cluster_rank() + round + 1) % member.cluster_size();
      own = mirrored + 3 * *member.peer(cell, next);
      member.team_barrier();
      member.cluster_barrier();
    }
    result[thread_in_league(member)] = own;
  }
};

template <class Target>
void team_and_cluster_barriers_mix(Target const& target) {
  check_clusters<ClusterPolicy<Target, ClusterScratch<unsigned>, TeamScratch<unsigned[64]>>>(
      target, "both_levels", [](unsigned* result) { return BothLevels{result}; },
      [](int size) { return ring_sums(size, BothLevels::rounds); });
}

/// A fixed shape of one team has every form too, and they are team barriers.
template <class Target>
void a_fixed_cluster_of_one_has_every_form(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<1>, ClusterScratch<int[64]>>;
  int const threads = team_threads(target, 64);
  auto const results = poisoned<int>(target, 3 * threads);
  int* const result = results.data();
  parallel_for(
      "fixed_cluster_of_one", Policy(target, 3, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto tile = member.cluster_scratch();
        int const thread = member.team_rank();
        int sum = 0;
        tile[thread] = thread;
        member.cluster_barrier();
        sum += member.peer(tile, 0)[threads - 1 - thread];
        auto token = member.cluster_arrive();
        member.cluster_wait(std::move(token));
        tile[thread] = 2 * thread;
        member.cluster_barrier([] {});
        sum += tile[threads - 1 - thread];
        auto relaxed = member.cluster_arrive_relaxed();
        member.cluster_wait(std::move(relaxed));
        result[member.league_rank() * threads + thread] = sum;
      });
  std::vector<int> expected;
  for (int team = 0; team < 3; ++team) {
    for (int thread = 0; thread < threads; ++thread) expected.push_back(3 * (threads - 1 - thread));
  }
  require_all_equal(download(results), expected, "sums");
}

/// A token may be handed on before it is spent.
template <class Target>
void a_token_can_be_moved(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int>>;
  int const size = cluster_teams(target, 2);
  auto const results = poisoned<int>(target, size);
  int* const result = results.data();
  parallel_for(
      "moved_token", Policy(target, size, 8, size),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto cell = member.cluster_scratch();
        if (member.team_rank() == 0) *cell = 5 + member.cluster_rank();
        auto first = member.cluster_arrive();
        auto second = std::move(first);
        member.cluster_wait(std::move(second));
        if (member.team_rank() == 0)
          result[member.cluster_rank()] = *member.peer(cell, size - 1 - member.cluster_rank());
      });
  std::vector<int> expected;
  for (int rank = 0; rank < size; ++rank) expected.push_back(5 + size - 1 - rank);
  require_all_equal(download(results), expected, "the other team's cell");
}

namespace {
Rung<UnitTarget> const rung(
    "06_cluster_barriers",
    {{"WholeBarriersOrderManyRounds", whole_barriers_order_many_rounds<UnitTarget>},
     {"SplitBarriersOrderAsWholeOnes", split_barriers_order_as_whole_ones<UnitTarget>},
     {"WorkBetweenRunsOnceAThread", work_between_runs_once_a_thread<UnitTarget>},
     {"ClusterBarriersOrderGlobalMemory", cluster_barriers_order_global_memory<UnitTarget>},
     {"TeamAndClusterBarriersMix", team_and_cluster_barriers_mix<UnitTarget>},
     {"AFixedClusterOfOneHasEveryForm", a_fixed_cluster_of_one_has_every_form<UnitTarget>},
     {"ATokenCanBeMoved", a_token_can_be_moved<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::cluster_barriers
