// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, scans and broadcasts over a team, whatever its size.
#include "device.hpp"

#include <cmath>

namespace kohort::conformance::team_collectives {

/// 32 bytes, the most that a collective takes: a mean and its extremes, in parts.
struct Summary {
  double sum;
  long long count;
  double least;
  double most;
  bool operator==(Summary const&) const = default;
};

struct Summarise {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    return T{0.0, 0, 1e300, -1e300};
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    return T{left.sum + right.sum, left.count + right.count,
             right.least < left.least ? right.least : left.least,
             left.most < right.most ? right.most : left.most};
  }
};

/// Whole numbers, so that sums are exact in any order.
template <class T>
KOHORT_FUNCTION T value_of(int number) {
  int const whole = static_cast<int>(scrambled(number) % 2001) - 1000;
  if constexpr (std::is_same_v<T, Summary>) {
    return Summary{whole * 0.5, 1, static_cast<double>(whole), static_cast<double>(whole)};
  } else {
    return static_cast<T>(whole);
  }
}

template <class T, class Operation, class Target>
void check(Target const& target, char const* text) {
  using Policy = ClusterPolicy<Target>;
  for (int threads : odd_team_sizes(target)) {
    int const teams = 3;
    int const all = teams * threads;
    auto const results = poisoned<T>(target, 3 * all);
    T* const result = results.data();
    parallel_for(
        "team_collectives", Policy(target, teams, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          int const number = member.league_rank() * threads + member.team_rank();
          T const mine = value_of<T>(number);
          result[number] = member.team_reduce(mine, Operation());
          result[all + number] = member.team_scan(mine, Operation());
          result[2 * all + number] = member.team_inclusive_scan(mine, Operation());
        });
    Operation const operation;
    std::vector<T> expected(3 * all);
    for (int team = 0; team < teams; ++team) {
      T below = Operation::template identity<T>();
      for (int number = team * threads; number < (team + 1) * threads; ++number) {
        expected[all + number] = below;
        below = operation(below, value_of<T>(number));
        expected[2 * all + number] = below;
      }
      for (int number = team * threads; number < (team + 1) * threads; ++number) {
        expected[number] = below;
      }
    }
    require_all_equal(download(results), expected,
                      std::string(text) + ", " + std::to_string(threads) + " threads");
  }
}

template <class Target>
void reductions_and_scans_of_integers(Target const& target) {
  check<int, Sum>(target, "sums of int");
  check<int, Min>(target, "minima of int");
  check<unsigned, BitXor>(target, "xor of unsigned");
  check<long long, Sum>(target, "sums of long long");
  check<long long, Max>(target, "maxima of long long");
}

template <class Target>
void reductions_and_scans_of_floating_numbers(Target const& target) {
  check<float, Sum>(target, "sums of float");
  check<float, Max>(target, "maxima of float");
  check<double, Sum>(target, "sums of double");
  check<double, Min>(target, "minima of double");
}

template <class Target>
void reductions_and_scans_of_structs(Target const& target) {
  check<Summary, Summarise>(target, "summaries");
}

/// Rounding depends on the order; every thread must still receive the same bits.
template <class Target>
void every_thread_receives_the_same_bits(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int threads : odd_team_sizes(target)) {
    auto const results = poisoned<float>(target, threads);
    float* const result = results.data();
    parallel_for(
        "same_bits", Policy(target, 1, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          float const mine = 1.0f / (1 + scrambled(member.team_rank()) % 1000);
          result[member.team_rank()] = member.team_reduce(mine);
        });
    std::vector<float> const seen = download(results);
    double sum = 0;
    for (int thread = 0; thread < threads; ++thread) sum += 1.0f / (1 + scrambled(thread) % 1000);
    // No value passes through more than 5 or 6 steps of a subgroup and 64 of a team, each of which
    // rounds by 2^-24 at most.
    require(std::abs(seen[0] - sum) <= 70 * 6e-8 * sum, "the sum is right up to rounding");
    require_all_equal(seen, std::vector<float>(threads, seen[0]),
                      "every thread's sum, " + std::to_string(threads) + " threads");
  }
}

template <class Target>
void broadcasts_from_every_thread(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int threads : odd_team_sizes(target)) {
    if (threads > 100) continue;
    auto const results = poisoned<int>(target, threads);
    int* const result = results.data();
    parallel_for(
        "team_broadcast", Policy(target, 1, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          unsigned sum = 0;
          for (int source = 0; source < threads; ++source) {
            sum = sum * 31 + member.team_broadcast(member.team_rank() * 5 + 1, source);
          }
          result[member.team_rank()] = static_cast<int>(sum);
        });
    unsigned sum = 0;
    for (int source = 0; source < threads; ++source) sum = sum * 31 + source * 5 + 1;
    require_all_equal(download(results), std::vector<int>(threads, static_cast<int>(sum)),
                      std::to_string(threads) + " threads");
  }
}

/// Calls follow each other without a barrier, of other kinds and other types: the storage that
/// they share must not be overwritten while a slow thread still reads.
template <class Target>
void calls_may_follow_each_other_at_once(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const rounds = 12;
  for (int threads : odd_team_sizes(target)) {
    auto const results = poisoned<double>(target, threads);
    double* const result = results.data();
    parallel_for(
        "mixed_collectives", Policy(target, 1, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          int const thread = member.team_rank();
          double sum = 0;
          for (int round = 0; round < rounds; ++round) {
            sum += member.team_reduce(thread + round);
            sum += member.team_reduce(thread * 0.5);
            sum += member.team_scan(1LL);
            sum += member.team_broadcast(static_cast<signed char>(round), threads - 1);
            sum += member.team_reduce(Summary{1.0, 1, 0.0, 0.0}, Summarise()).sum;
            sum += member.team_reduce(static_cast<float>(thread), Max());
            sum += member.team_reduce(thread, Min());
          }
          result[thread] = sum;
        });
    std::vector<double> expected;
    double const triangle = threads * (threads - 1) / 2.0;
    for (int thread = 0; thread < threads; ++thread) {
      double sum = 0;
      for (int round = 0; round < rounds; ++round) {
        sum +=
            triangle + threads * round + triangle * 0.5 + thread + round + threads + (threads - 1);
      }
      expected.push_back(sum);
    }
    require_all_equal(download(results), expected, std::to_string(threads) + " threads");
  }
}

/// A collective also orders what the team wrote into its own scratch before a barrier.
template <class Target>
void collectives_leave_the_policys_scratch_alone(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<int[256]>>;
  int const threads = team_threads(target, 256);
  auto const results = poisoned<int>(target, threads);
  int* const result = results.data();
  parallel_for(
      "collectives_and_scratch", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto& cells = member.team_scratch();
        int const thread = member.team_rank();
        cells[thread] = thread * 3;
        long long sum = 0;
        for (int round = 0; round < 5; ++round) sum += member.team_reduce(1LL);
        sum += member.team_broadcast(7);
        member.team_barrier();
        result[thread] = cells[threads - 1 - thread] + static_cast<int>(sum);
      });
  std::vector<int> expected;
  for (int thread = 0; thread < threads; ++thread) {
    expected.push_back(3 * (threads - 1 - thread) + 5 * threads + 7);
  }
  require_all_equal(download(results), expected, "the mirrored thread's cell");
}

namespace {
Rung<UnitTarget> const rung(
    "10_team_collectives",
    {{"ReductionsAndScansOfIntegers", reductions_and_scans_of_integers<UnitTarget>},
     {"ReductionsAndScansOfFloatingNumbers", reductions_and_scans_of_floating_numbers<UnitTarget>},
     {"ReductionsAndScansOfStructs", reductions_and_scans_of_structs<UnitTarget>},
     {"EveryThreadReceivesTheSameBits", every_thread_receives_the_same_bits<UnitTarget>},
     {"BroadcastsFromEveryThread", broadcasts_from_every_thread<UnitTarget>},
     {"CallsMayFollowEachOtherAtOnce", calls_may_follow_each_other_at_once<UnitTarget>},
     {"CollectivesLeaveThePolicysScratchAlone",
      collectives_leave_the_policys_scratch_alone<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::team_collectives
