// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, scans, broadcasts and gathers over clusters of 1 to 16 teams.
#include "device.hpp"

namespace kohort::conformance::cluster_collectives {

/// Team sizes for each cluster size: a multiple of the subgroup, and one that is none.
template <class Target>
std::vector<int> team_sizes(Target const& target) {
  int const lanes = properties(target).subgroup_size;
  return {1, lanes, team_threads(target, 2 * lanes + 3)};
}

template <class T>
KOHORT_FUNCTION T value_of(int number) {
  return static_cast<T>(static_cast<int>(scrambled(number) % 2001) - 1000);
}

/// One functor for all shapes, so that one kernel serves them.
template <class T, class Operation>
struct ReduceAndScan {
  T* result;
  int all;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    int const number = member.league_rank() * member.team_size() + member.team_rank();
    T const mine = value_of<T>(number);
    result[number] = member.cluster_reduce(mine, Operation());
    result[all + number] = member.cluster_scan(mine, Operation());
  }
};

template <class T, class Operation, class Target>
void check(Target const& target, char const* text) {
  using Policy = ClusterPolicy<Target>;
  for (int size : cluster_sizes(target)) {
    for (int threads : team_sizes(target)) {
      int const clusters = 3;
      int const in_cluster = size * threads;
      int const all = clusters * in_cluster;
      auto const results = poisoned<T>(target, 2 * all);
      Policy policy(target, clusters * size, threads, size);
      policy.allow_nonportable_size();
      parallel_for("cluster_collectives", policy, ReduceAndScan<T, Operation>{results.data(), all});
      Operation const operation;
      std::vector<T> expected(2 * all);
      for (int cluster = 0; cluster < clusters; ++cluster) {
        T below = Operation::template identity<T>();
        for (int i = 0; i < in_cluster; ++i) {
          expected[all + cluster * in_cluster + i] = below;
          below = operation(below, value_of<T>(cluster * in_cluster + i));
        }
        for (int i = 0; i < in_cluster; ++i) expected[cluster * in_cluster + i] = below;
      }
      require_all_equal(
          download(results), expected,
          std::string(text) + ", " + std::to_string(size) + " teams of " + std::to_string(threads));
    }
  }
}

template <class Target>
void reductions_and_scans(Target const& target) {
  check<int, Sum>(target, "sums of int");
  check<unsigned, BitXor>(target, "xor of unsigned");
  check<long long, Max>(target, "maxima of long long");
  check<float, Sum>(target, "sums of float");
  check<double, Sum>(target, "sums of double");
  check<double, Min>(target, "minima of double");
}

struct SameBits {
  float* result;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    int const number = member.league_rank() * member.team_size() + member.team_rank();
    result[number] = member.cluster_reduce(1.0f / (1 + scrambled(number) % 1000));
  }
};

template <class Target>
void every_thread_of_the_cluster_receives_the_same_bits(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int size : cluster_sizes(target)) {
    int const threads = team_threads(target, 100);
    auto const results = poisoned<float>(target, size * threads);
    Policy policy(target, size, threads, size);
    policy.allow_nonportable_size();
    parallel_for("same_bits", policy, SameBits{results.data()});
    std::vector<float> const seen = download(results);
    require_all_equal(seen, std::vector<float>(seen.size(), seen[0]),
                      "every thread's sum, cluster of " + std::to_string(size));
  }
}

/// Values of 24 bytes from each team, and one broadcast from each.
struct Sample {
  double weight;
  long long number;
  int team;
  bool operator==(Sample const&) const = default;
};

struct GatherAndBroadcast {
  double* gathered;
  int* broadcast;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    int const size = member.cluster_size();
    int const number = member.league_rank() * member.team_size() + member.team_rank();
    Sample const mine{number * 0.5, number * 7LL, member.league_rank()};
    auto const samples = member.cluster_gather(mine);
    double sum = 0;
    for (int rank = 0; rank < size; ++rank) {
      Sample const& one = samples[rank];
      sum = sum * 3 + one.weight + one.number + one.team;
    }
    gathered[number] = sum;
    unsigned mixed = 0;
    for (int source = 0; source < size; ++source) {
      mixed = mixed * 31 + member.cluster_broadcast(number + 1, source);
    }
    broadcast[number] = static_cast<int>(mixed);
  }
};

template <class Target>
void gathers_and_broadcasts_of_thread_0(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int size : cluster_sizes(target)) {
    for (int threads : team_sizes(target)) {
      int const teams = 2 * size;
      auto const gathered = poisoned<double>(target, teams * threads);
      auto const broadcast = poisoned<int>(target, teams * threads);
      Policy policy(target, teams, threads, size);
      policy.allow_nonportable_size();
      parallel_for("gather_and_broadcast", policy,
                   GatherAndBroadcast{gathered.data(), broadcast.data()});
      std::vector<double> sums;
      std::vector<int> mixtures;
      for (int team = 0; team < teams; ++team) {
        double sum = 0;
        unsigned mixed = 0;
        for (int rank = 0; rank < size; ++rank) {
          int const owner = team / size * size + rank;
          int const number = owner * threads;
          sum = sum * 3 + number * 0.5 + number * 7 + owner;
          mixed = mixed * 31 + number + 1;
        }
        sums.insert(sums.end(), threads, sum);
        mixtures.insert(mixtures.end(), threads, static_cast<int>(mixed));
      }
      std::string const shape = std::to_string(size) + " teams of " + std::to_string(threads);
      require_all_equal(download(gathered), sums, "gathered, " + shape);
      require_all_equal(download(broadcast), mixtures, "broadcast, " + shape);
    }
  }
}

/// Calls follow each other without a barrier, of other kinds, types and levels.
struct BackToBack {
  static constexpr int rounds = 8;
  double* result;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    int const thread = member.cluster_rank() * member.team_size() + member.team_rank();
    double sum = 0;
    for (int round = 0; round < rounds; ++round) {
      sum += member.cluster_reduce(thread + round);
      sum += member.cluster_reduce(thread * 0.5);
      sum += member.team_reduce(1LL);
      sum += member.cluster_scan(1);
      sum += member.cluster_broadcast(static_cast<float>(member.cluster_rank() + round),
                                      member.cluster_size() - 1);
      sum += member.cluster_reduce(static_cast<long long>(thread), Max());
      // Gathered values are there until the next cluster collective.
      auto const doubled = member.cluster_gather(member.cluster_rank() * 2);
      for (int rank = 0; rank < member.cluster_size(); ++rank) sum += doubled[rank];
      auto const halved = member.cluster_gather(member.cluster_rank() * 0.5);
      for (int rank = 0; rank < member.cluster_size(); ++rank) sum += halved[rank];
    }
    result[member.league_rank() * member.team_size() + member.team_rank()] = sum;
  }
};

template <class Target>
void calls_may_follow_each_other_at_once(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int size : cluster_sizes(target)) {
    for (int threads : team_sizes(target)) {
      auto const results = poisoned<double>(target, size * threads);
      Policy policy(target, size, threads, size);
      policy.allow_nonportable_size();
      parallel_for("mixed_collectives", policy, BackToBack{results.data()});
      double const all = size * threads;
      double const triangle = all * (all - 1) / 2;
      double const ranks = 2.5 * size * (size - 1) / 2;
      std::vector<double> expected;
      for (int thread = 0; thread < size * threads; ++thread) {
        double sum = 0;
        for (int round = 0; round < BackToBack::rounds; ++round) {
          sum += triangle + all * round + 0.5 * triangle + threads + thread + (size - 1 + round) +
                 (all - 1) + ranks;
        }
        expected.push_back(sum);
      }
      require_all_equal(download(results), expected,
                        std::to_string(size) + " teams of " + std::to_string(threads));
    }
  }
}

/// With fixed shapes, and beside cluster scratch of the policy's own.
template <class Target>
void fixed_shapes_leave_the_policys_scratch_alone(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<int[64]>>;
  int const threads = team_threads(target, 64);
  auto const results = poisoned<int>(target, 4 * threads);
  int* const result = results.data();
  bool const ran = launched(
      "fixed_shape_collectives", Policy(target, 4, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto tile = member.cluster_scratch();
        int const thread = member.team_rank();
        tile[thread] = member.league_rank() * 100 + thread;
        int const sum = member.cluster_reduce(1);
        int const below = member.cluster_scan(1);
        auto other = member.peer(tile, 1 - member.cluster_rank());
        result[member.league_rank() * threads + thread] =
            other[threads - 1 - thread] + 1000 * sum + below;
      });
  if (!ran) return;
  std::vector<int> expected;
  for (int team = 0; team < 4; ++team) {
    for (int thread = 0; thread < threads; ++thread) {
      expected.push_back((team ^ 1) * 100 + threads - 1 - thread + 2000 * threads +
                         team % 2 * threads + thread);
    }
  }
  require_all_equal(download(results), expected, "the peer's cell and the collectives");
}

namespace {
Rung<UnitTarget> const rung(
    "11_cluster_collectives",
    {{"ReductionsAndScans", reductions_and_scans<UnitTarget>},
     {"EveryThreadOfTheClusterReceivesTheSameBits",
      every_thread_of_the_cluster_receives_the_same_bits<UnitTarget>},
     {"GathersAndBroadcastsOfThread0", gathers_and_broadcasts_of_thread_0<UnitTarget>},
     {"CallsMayFollowEachOtherAtOnce", calls_may_follow_each_other_at_once<UnitTarget>},
     {"FixedShapesLeaveThePolicysScratchAlone",
      fixed_shapes_leave_the_policys_scratch_alone<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::cluster_collectives
