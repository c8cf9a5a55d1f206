// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functors are copied, up to the largest; launches of one target run in order; fence() waits.
#include "device.hpp"

#include <iterator>
#include <memory>

namespace kohort::conformance::launch_order {

/// The largest functor that a kernel can have, 32,764 B. The output's address is kept in two
/// words, because a pointer would align the struct, and so pad it, to 8 bytes.
struct LargestFunctor {
  unsigned low;
  unsigned high;
  int table[8189];

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto* const out = reinterpret_cast<int*>((static_cast<std::uintptr_t>(high) << 32) | low);
    for (int i = member.league_rank() * member.team_size() + member.team_rank(); i < 8189;
         i += member.league_size() * member.team_size()) {
      out[i] = table[i] + 1;
    }
  }
};
static_assert(sizeof(LargestFunctor) == 32764);

template <class Target, class... Traits>
void run_largest(Target const& target, int cluster) {
  auto const results = poisoned<int>(target, 8189);
  auto const address = reinterpret_cast<std::uintptr_t>(results.data());
  auto functor = std::make_unique<LargestFunctor>();
  functor->low = static_cast<unsigned>(address);
  functor->high = static_cast<unsigned>(address >> 32);
  std::vector<int> expected;
  for (int i = 0; i < 8189; ++i) {
    functor->table[i] = static_cast<int>(scrambled(i));
    expected.push_back(static_cast<int>(scrambled(i)) + 1);
  }
  using Policy = ClusterPolicy<Target, Traits...>;
  Policy const policy(target, 4 * cluster, 8, cluster);
  if (Support const support = policy.validate(*functor); !support) {
    // The launcher's arguments of an emulated launch have no room beside it.
    require(properties(target).cluster_mode == ClusterMode::emulated && cluster > 1,
            "a launch that hardware clusters take: " + support.reason);
    require(support.reason.find("no room for the arguments") != std::string::npos, support.reason);
    return;
  }
  parallel_for("largest_functor", policy, *functor);
  // The launch has its own copy.
  std::fill(std::begin(functor->table), std::end(functor->table), 0);
  functor.reset();
  require_all_equal(download(results), expected, "the table that the functor carried");
}

template <class Target>
void the_largest_functor_arrives_whole(Target const& target) {
  run_largest<Target>(target, 1);
  run_largest<Target, ClusterDims<1>>(target, 1);
  run_largest<Target>(target, cluster_teams(target, 2));
}

/// A class whose member function launches a kernel over a copy of the object.
struct Scaler {
  int factor;
  int offset;

  template <class Target>
  std::vector<int> apply(Target const& target, int count) const {
    using Policy = ClusterPolicy<Target>;
    auto const results = poisoned<int>(target, count);
    int* const result = results.data();
    parallel_for(
        "class_lambda", Policy(target, count, 1),
        KOHORT_CLASS_LAMBDA(typename Policy::member_type const& member) {
          result[member.league_rank()] = member.league_rank() * factor + offset;
        });
    return download(results);
  }
};

template <class Target>
void a_class_lambda_copies_its_object(Target const& target) {
  std::vector<int> expected;
  for (int i = 0; i < 50; ++i) expected.push_back(i * 3 + 7);
  require_all_equal(Scaler{3, 7}.apply(target, 50), expected, "scaled by the copied object");
}

/// Each launch needs what the one before wrote; no fence stands between them.
template <class Target>
void launches_run_in_order(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const teams = 40;
  int const launches = 30;
  auto const cells = filled<unsigned>(target, 2 * teams, 1);
  unsigned* const cell = cells.data();
  for (int launch = 0; launch < launches; ++launch) {
    unsigned const* const from = cell + launch % 2 * teams;
    unsigned* const to = cell + (launch + 1) % 2 * teams;
    parallel_for(
        "in_order", Policy(target, teams, 1),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          int const team = member.league_rank();
          to[team] = from[team] + 3 * from[(team + launch + 1) % teams] + team;
        });
  }
  std::vector<unsigned> values(teams, 1);
  for (int launch = 0; launch < launches; ++launch) {
    std::vector<unsigned> const before = values;
    for (int team = 0; team < teams; ++team) {
      values[team] = before[team] + 3 * before[(team + launch + 1) % teams] + team;
    }
  }
  std::vector<unsigned> seen = download(cells);
  seen.resize(teams);
  require_all_equal(seen, values, "after " + std::to_string(launches) + " launches");
}

template <class Target>
void launches_of_different_shapes_run_in_order(Target const& target) {
  auto const cells = filled<int>(target, 1, 0);
  int* const cell = cells.data();
  using Single = ClusterPolicy<Target>;
  int const pair = cluster_teams(target, 2);
  for (int repetition = 0; repetition < 10; ++repetition) {
    parallel_for(
        "first", Single(target, 8, 4),
        KOHORT_LAMBDA(typename Single::member_type const&) { atomic_add(cell, 1); });
    parallel_for(
        "second", Single(target, 1, 1),
        KOHORT_LAMBDA(typename Single::member_type const&) { *cell = *cell * 2; });
    parallel_for(
        "third", Single(target, 2 * pair, 1, pair),
        KOHORT_LAMBDA(typename Single::member_type const& member) {
          if (member.cluster_rank() == 0) atomic_add(cell, 1);
        });
  }
  int expected = 0;
  for (int repetition = 0; repetition < 10; ++repetition) expected = (expected + 32) * 2 + 2;
  require_equal(download(cells)[0], expected, "after 30 launches");
}

template <class Target>
void fence_may_be_called_at_any_time(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  target.fence("nothing is queued");
  auto const cells = filled<int>(target, 1, 0);
  int* const cell = cells.data();
  for (int repetition = 0; repetition < 3; ++repetition) {
    parallel_for(
        "fenced", Policy(target, 100, 1),
        KOHORT_LAMBDA(typename Policy::member_type const&) { atomic_add(cell, 1); });
    target.fence("after a launch");
    target.fence("again");
  }
  require_equal(download(cells)[0], 300, "teams that ran");
}

/// A copy of a target is the same queue.
template <class Target>
void copies_of_a_target_share_their_queue(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  Target const copy = target;
  auto const cells = filled<int>(target, 1, 1);
  int* const cell = cells.data();
  for (int repetition = 0; repetition < 10; ++repetition) {
    parallel_for(
        "add", Policy(target, 1, 1),
        KOHORT_LAMBDA(typename Policy::member_type const&) { *cell += 1; });
    parallel_for(
        "double", Policy(copy, 1, 1),
        KOHORT_LAMBDA(typename Policy::member_type const&) { *cell *= 2; });
  }
  int expected = 1;
  for (int repetition = 0; repetition < 10; ++repetition) expected = (expected + 1) * 2;
  require_equal(download(cells)[0], expected, "alternating launches");
}

/// A buffer outlives the launches that were queued before it died.
template <class Target>
void a_buffer_may_die_behind_its_launch(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const results = poisoned<int>(target, 20);
  int* const result = results.data();
  for (int repetition = 0; repetition < 20; ++repetition) {
    auto const inputs = filled<int>(target, 1000, repetition);
    int const* const input = inputs.data();
    parallel_for(
        "sum_of_input", Policy(target, 1, 1), KOHORT_LAMBDA(typename Policy::member_type const&) {
          int sum = 0;
          for (int i = 0; i < 1000; ++i) sum += input[i];
          result[repetition] = sum;
        });
  }
  std::vector<int> expected;
  for (int repetition = 0; repetition < 20; ++repetition) expected.push_back(1000 * repetition);
  require_all_equal(download(results), expected, "sums of buffers that are gone");
}

/// Kernels that begin early and wait see all that the ones before wrote, whether those let them
/// begin or not.
template <class Target>
void early_launches_wait_for_what_they_read(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  constexpr int count = 4096;
  auto const numbers = filled<int>(target, count, 0);
  int* const number = numbers.data();
  for (int launch = 0; launch < 40; ++launch) {
    Policy policy(target, count / 64, 64);
    if (launch % 4 != 3) policy.begin_early();
    parallel_for(
        "early", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          if (launch % 3 == 0) member.allow_next();
          member.wait_for_previous();
          // Another team's element each time: its own order would hide a launch that did not wait.
          int const team = (member.league_rank() + launch * 7) % member.league_size();
          int const mine = team * 64 + member.team_rank();
          number[mine] = number[mine] + mine % 3 + 1;
          if (launch % 3 == 1) member.allow_next();
        });
  }
  std::vector<int> expected;
  for (int i = 0; i < count; ++i) expected.push_back(40 * (i % 3 + 1));
  require_all_equal(download(numbers), expected, "sums over 40 launches");
}

/// An error on the host between launches disturbs neither.
template <class Target>
void a_host_exception_between_launches_is_harmless(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const cells = filled<int>(target, 1, 0);
  int* const cell = cells.data();
  auto const add = KOHORT_LAMBDA(typename Policy::member_type const&) { atomic_add(cell, 1); };
  parallel_for("before", Policy(target, 10, 1), add);
  require_throws<LaunchError>([&] { parallel_for("refused", Policy(target, 10, 1, 3), add); },
                              "a refused launch");
  require_throws<std::invalid_argument>([&] { deep_copy(cells, std::vector<int>(2)); },
                                        "a copy of another size");
  parallel_for("after", Policy(target, 10, 1), add);
  require_equal(download(cells)[0], 20, "teams of both launches");
}

namespace {
Rung<UnitTarget> const rung(
    "17_launch_order",
    {{"TheLargestFunctorArrivesWhole", the_largest_functor_arrives_whole<UnitTarget>},
     {"AClassLambdaCopiesItsObject", a_class_lambda_copies_its_object<UnitTarget>},
     {"LaunchesRunInOrder", launches_run_in_order<UnitTarget>},
     {"EarlyLaunchesWaitForWhatTheyRead", early_launches_wait_for_what_they_read<UnitTarget>},
     {"LaunchesOfDifferentShapesRunInOrder", launches_of_different_shapes_run_in_order<UnitTarget>},
     {"FenceMayBeCalledAtAnyTime", fence_may_be_called_at_any_time<UnitTarget>},
     {"CopiesOfATargetShareTheirQueue", copies_of_a_target_share_their_queue<UnitTarget>},
     {"ABufferMayDieBehindItsLaunch", a_buffer_may_die_behind_its_launch<UnitTarget>},
     {"AHostExceptionBetweenLaunchesIsHarmless",
      a_host_exception_between_launches_is_harmless<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::launch_order
