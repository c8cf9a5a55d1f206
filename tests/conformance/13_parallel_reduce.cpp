// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel_reduce over a league, into a host scalar and into a Buffer.
#include "device.hpp"

#include <cmath>

namespace kohort::conformance::reduce {

/// What thread `number` of the league contributes in all cases: exact in every type.
template <class T>
KOHORT_FUNCTION T contribution(int number) {
  return static_cast<T>(static_cast<int>(scrambled(number) % 2001) - 1000);
}

/// A functor of its own type, so that one kernel serves all shapes.
template <class T, class Operation>
struct Contribute {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member, T& update) const {
    int const number = member.league_rank() * member.team_size() + member.team_rank();
    update = Operation()(update, contribution<T>(number));
  }
};

template <class T, class Operation>
T plain_reduction(int count) {
  T result = Operation::template identity<T>();
  for (int number = 0; number < count; ++number) {
    result = Operation()(result, contribution<T>(number));
  }
  return result;
}

template <class T, class Operation, class Target>
void check(Target const& target, char const* text) {
  using Policy = ClusterPolicy<Target>;
  Contribute<T, Operation> const functor;
  for (int teams : {1, 2, 33, 700}) {
    for (int threads : {1, properties(target).subgroup_size + 1, team_threads(target, 128)}) {
      T const expected = plain_reduction<T, Operation>(teams * threads);
      std::string const shape =
          std::string(text) + ", " + std::to_string(teams) + " teams of " + std::to_string(threads);
      T result = static_cast<T>(77);
      parallel_reduce("to_the_host", Policy(target, teams, threads), functor, result, Operation());
      require_equal(result, expected, shape + ", host scalar");

      auto const buffer = poisoned<T>(target, 2);
      std::vector<T> const before = download(buffer);
      parallel_reduce("to_a_buffer", Policy(target, teams, threads), functor, buffer, Operation());
      require_all_equal(download(buffer), {expected, before[1]}, shape + ", Buffer");
    }
  }
}

template <class Target>
void integers(Target const& target) {
  check<int, Sum>(target, "sum of int");
  check<int, Min>(target, "minimum of int");
  check<unsigned, BitXor>(target, "xor of unsigned");
  check<long long, Sum>(target, "sum of long long");
  check<long long, Max>(target, "maximum of long long");
}

template <class Target>
void floating_numbers(Target const& target) {
  check<float, Max>(target, "maximum of float");
  check<double, Sum>(target, "sum of double");
  check<double, Min>(target, "minimum of double");
}

/// Where the largest value stands, and what it is.
struct Largest {
  double value;
  int where;
  int pad;
  bool operator==(Largest const&) const = default;
};

struct KeepLargest {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    return T{-1e300, 2147483647, 0};
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    if (left.value != right.value) return left.value < right.value ? right : left;
    return left.where < right.where ? left : right;
  }
};

template <class Target>
void a_struct_with_an_operation_of_its_own(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const teams = 50;
  int const threads = team_threads(target, 100);
  Largest result{0, 0, 0};
  parallel_reduce(
      "largest", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member, Largest& update) {
        int const number = member.league_rank() * threads + member.team_rank();
        Largest const mine{contribution<double>(number), number, 0};
        update = KeepLargest()(update, mine);
      },
      result, KeepLargest());
  Largest expected = KeepLargest::identity<Largest>();
  for (int number = 0; number < teams * threads; ++number) {
    expected = KeepLargest()(expected, Largest{contribution<double>(number), number, 0});
  }
  require_equal(result.value, expected.value, "the largest value");
  require_equal(result.where, expected.where, "the first thread that has it");
}

/// The combination is made in league order, so equal launches give equal bits.
template <class Target>
void equal_launches_give_equal_bits(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const teams = 300;
  int const threads = team_threads(target, 96);
  double first = 0;
  double exact = 0;
  for (int number = 0; number < teams * threads; ++number) exact += 1.0 / (1 + number);
  for (int repetition = 0; repetition < 8; ++repetition) {
    float result = -1;
    parallel_reduce(
        "harmonic", Policy(target, teams, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member, float& update) {
          int const number = member.league_rank() * threads + member.team_rank();
          update += 1.0f / (1 + number);
        },
        result);
    if (repetition == 0) first = result;
    require_equal<double>(result, first, "the sum of repetition " + std::to_string(repetition));
  }
  // 300 teams in order and a tree within each: at most some 340 roundings of 2^-24 each.
  require(std::abs(first - exact) <= 340 * 6e-8 * exact, "the sum is right up to rounding");
}

struct CountTeams {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member, int& update) const {
    if (member.team_rank() == 0) update += member.cluster_rank() + 1;
  }
};

template <class Target>
void reductions_over_clusters(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int size : cluster_sizes(target)) {
    int const clusters = 21;
    Policy policy(target, clusters * size, team_threads(target, 64), size);
    policy.allow_nonportable_size();
    int result = -1;
    parallel_reduce("over_clusters", policy, CountTeams(), result);
    require_equal(result, clusters * size * (size + 1) / 2, "cluster of " + std::to_string(size));
  }
}

/// A reduction's functor may use its cluster: each team contributes what its peer holds.
template <class Target>
void the_functor_may_use_its_peers(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int>>;
  int const size = cluster_teams(target, 2);
  int const teams = 40 * size;
  long long result = -1;
  parallel_reduce(
      "peers_contribute", Policy(target, teams, team_threads(target, 32), size),
      KOHORT_LAMBDA(typename Policy::member_type const& member, long long& update) {
        auto cell = member.cluster_scratch();
        if (member.team_rank() == 0) *cell = member.league_rank() * 3;
        member.cluster_barrier();
        if (member.team_rank() == 0) update += *member.peer(cell, size - 1 - member.cluster_rank());
      },
      result);
  require_equal(result, 3LL * teams * (teams - 1) / 2, "the sum over all peers");
}

/// The same storage serves one reduction after another.
template <class Target>
void many_reductions_follow_each_other(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const buffer = poisoned<int>(target, 1);
  for (int repetition = 1; repetition <= 60; ++repetition) {
    int const teams = repetition % 7 + 1;
    auto const functor = KOHORT_LAMBDA(typename Policy::member_type const& member, int& update) {
      update += repetition + (member.team_rank() == 0 ? member.league_rank() : 0);
    };
    int const expected = teams * 8 * repetition + teams * (teams - 1) / 2;
    if (repetition % 2 == 0) {
      parallel_reduce("into_a_buffer", Policy(target, teams, 8), functor, buffer);
      require_equal(download(buffer)[0], expected, "repetition " + std::to_string(repetition));
    } else {
      int result = -1;
      parallel_reduce("into_a_scalar", Policy(target, teams, 8), functor, result);
      require_equal(result, expected, "repetition " + std::to_string(repetition));
    }
  }
}

/// A result in a Buffer is queued: the next launch may use it without a fence.
template <class Target>
void a_result_in_a_buffer_feeds_the_next_launch(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const teams = 64;
  auto const sums = poisoned<int>(target, 1);
  auto const results = poisoned<int>(target, teams);
  int const* const sum = sums.data();
  int* const result = results.data();
  parallel_reduce(
      "sum_first", Policy(target, teams, 16),
      KOHORT_LAMBDA(typename Policy::member_type const&, int& update) { update += 2; }, sums);
  parallel_for(
      "use_it", Policy(target, teams, 1),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        result[member.league_rank()] = *sum + member.league_rank();
      });
  std::vector<int> expected;
  for (int team = 0; team < teams; ++team) expected.push_back(teams * 32 + team);
  require_all_equal(download(results), expected, "the sum, used by each team");
}

/// Sums modulo a number that the launch gives, and a last word on the total.
struct SumModulo {
  int modulus;

  template <class T>
  KOHORT_FUNCTION T identity() const {
    return T(modulus);  // as good as 0, and of the object's state
  }
  template <class T>
  KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    return (left + right) % modulus;
  }
  template <class T>
  KOHORT_FUNCTION void finish(T& total) const {
    total = total % modulus + 1000;
  }
};

struct AddRank {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member, int& update) const {
    update += member.league_rank() * member.team_size() + member.team_rank();
  }
};

template <class Target>
void operations_may_have_state(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  constexpr int threads = 33 * 50;
  for (int const modulus : {7, 11, 1000003}) {
    int on_host = -1;
    auto const in_buffer = poisoned<int>(target, 1);
    parallel_reduce("modulo", Policy(target, 33, 50), AddRank(), on_host, SumModulo{modulus});
    parallel_reduce("modulo", Policy(target, 33, 50), AddRank(), in_buffer, SumModulo{modulus});
    int const expected = threads * (threads - 1) / 2 % modulus + 1000;
    require_equal(on_host, expected, "the total on the host");
    require_equal(download(in_buffer)[0], expected, "the total in a Buffer");
  }
}

template <class Target>
void an_empty_buffer_is_refused(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  Buffer<int, Target> const nothing(target, 0);
  require_throws<std::invalid_argument>(
      [&] { parallel_reduce("nothing", Policy(target, 1, 1), CountTeams(), nothing); },
      "a reduction into a Buffer of 0 elements");
}

namespace {
Rung<UnitTarget> const rung(
    "13_parallel_reduce",
    {{"Integers", integers<UnitTarget>},
     {"FloatingNumbers", floating_numbers<UnitTarget>},
     {"AStructWithAnOperationOfItsOwn", a_struct_with_an_operation_of_its_own<UnitTarget>},
     {"EqualLaunchesGiveEqualBits", equal_launches_give_equal_bits<UnitTarget>},
     {"ReductionsOverClusters", reductions_over_clusters<UnitTarget>},
     {"TheFunctorMayUseItsPeers", the_functor_may_use_its_peers<UnitTarget>},
     {"ManyReductionsFollowEachOther", many_reductions_follow_each_other<UnitTarget>},
     {"AResultInABufferFeedsTheNextLaunch", a_result_in_a_buffer_feeds_the_next_launch<UnitTarget>},
     {"OperationsMayHaveState", operations_may_have_state<UnitTarget>},
     {"AnEmptyBufferIsRefused", an_empty_buffer_is_refused<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::reduce
