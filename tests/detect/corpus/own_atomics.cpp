// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics that order too little or reach too few: messages behind flags, locks, the last team that
// sums up, and memory that is used with atomics and without.
#include "case.hpp"

#include <cstdint>

namespace kohort::detect::own_atomics {

constexpr int threads = 32;

using enum Scope;
using enum MemoryOrder;

/// Rank 0 writes and raises a flag, rank 1 waits for it and reads.
template <class Target, Scope Where, MemoryOrder Raising, MemoryOrder Waiting>
void message_behind_a_flag(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>>;
  auto const messages = filled<double>(target, 2);
  auto const raised = filled<int>(target, 2);
  double* const message = messages.data();
  int* const flag = raised.data();
  parallel_for(
      "message_behind_a_flag", Policy(target, 2, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        if (member.cluster_rank() == 0) {
          message[0] = 42;
          atomic_store<Where, Raising>(flag, 1);
        } else {
          while (atomic_load<Where, Waiting>(flag) == 0) {
          }
          message[1] = message[0];
        }
      });
  target.fence();
}

/// The same between scratch of two teams, with relaxed atomics between fences.
template <class Target, Scope Where, bool WaiterFences>
void message_between_fences(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<1, 1, 2>, ClusterScratch<float[threads]>>;
  auto const raised = filled<unsigned int>(target, 1);
  auto const out = filled<float>(target, threads);
  unsigned int* const flag = raised.data();
  float* const results = out.data();
  parallel_for(
      "message_between_fences", Policy(target, League(1, 1, 2), threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        auto const inbox = member.cluster_scratch();
        inbox[thread] = 0;
        member.cluster_barrier();
        auto const other = member.peer(inbox, 1);
        if (member.cluster_rank() == 0) {
          other[thread] = static_cast<float>(thread);
          member.template fence<Where>();
          atomic_add(flag, 1);
        } else {
          while (atomic_load(flag) != threads) {
          }
          if (WaiterFences) member.template fence<Where>();
          results[thread] = inbox[thread];
        }
      });
  target.fence();
}

/// One thread of each team takes the lock; what it guards is plain.
template <class Target, MemoryOrder Taking, MemoryOrder Leaving>
void spin_lock(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const locks = filled<int>(target, 1);
  auto const sums = filled<std::int64_t>(target, 1);
  int* const lock = locks.data();
  std::int64_t* const sum = sums.data();
  parallel_for(
      "spin_lock", Policy(target, 4, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != 3) return;
        while (atomic_compare_exchange<device, Taking>(lock, 0, 1) != 0) {
        }
        *sum += member.league_rank();
        atomic_store<device, Leaving>(lock, 0);
      });
  target.fence();
}

/// The team that comes last sums up what all have left.
template <class Target, bool FenceBefore, bool FenceAfter>
void last_team_sums_up(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<int>>;
  constexpr int teams = 6;
  auto const parts = filled<float>(target, teams);
  auto const counts = filled<unsigned int>(target, 1);
  auto const out = filled<float>(target, threads);
  float* const partial = parts.data();
  unsigned int* const done = counts.data();
  float* const results = out.data();
  parallel_for(
      "last_team_sums_up", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        float const part = member.team_reduce(static_cast<float>(thread));
        int& is_last = member.team_scratch();
        if (thread == 0) {
          partial[member.league_rank()] = part;
          if (FenceBefore) member.template fence<device>();
          is_last = atomic_fetch_add(done, 1U) == teams - 1;
          if (FenceAfter) member.template fence<device>();
        }
        member.team_barrier();
        if (is_last == 0) return;
        float sum = 0;
        for (int team = 0; team < teams; ++team) sum += partial[team];
        results[thread] = sum;
      });
  target.fence();
}

/// A counter of all teams, with the scope of the few.
template <class Target, class Shape, Scope Where>
void counter_of_all_teams(Target const& target) {
  using Policy = ClusterPolicy<Target, Shape>;
  auto const counts = filled<std::uint64_t>(target, 1);
  std::uint64_t* const count = counts.data();
  parallel_for(
      "counter_of_all_teams", Policy(target, 8, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.lane() % 8 == 0) atomic_add<Where>(count, 1);
      });
  target.fence();
}

/// Remote maxima of team scope are atomic for nobody else.
template <class Target, Scope Where>
void largest_in_a_peer(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2, 2>, ClusterScratch<double>>;
  auto const out = filled<double>(target, 1);
  double* const result = out.data();
  parallel_for(
      "largest_in_a_peer", Policy(target, League(2, 2), threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto const mine = member.cluster_scratch();
        if (member.team_rank() == 0) *mine = 0;
        member.cluster_barrier();
        auto const first = member.peer(mine, 0);
        atomic_max<Where>(&*first, 1.0 * member.team_rank() * member.cluster_rank());
        member.cluster_barrier();
        if (member.league_rank() == 0 && member.team_rank() == 0) *result = *mine;
      });
  target.fence();
}

template <class Target, bool Repaired>
void counter_read_plainly(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<int>>;
  auto const out = filled<int>(target, 2 * threads);
  int* const results = out.data();
  parallel_for(
      "counter_read_plainly", Policy(target, 2, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int& count = member.team_scratch();
        if (member.team_rank() == 0) count = 0;
        member.team_barrier();
        atomic_add<team>(&count, 1);
        if (Repaired) member.team_barrier();
        results[member.league_rank() * threads + member.team_rank()] = count;
      });
  target.fence();
}

/// Bins are emptied for the next round while peers already fill them.
template <class Target, bool Repaired>
void bins_emptied_too_late(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>, DynamicClusterScratch<int>>;
  auto const out = filled<int>(target, 4 * threads);
  int* const results = out.data();
  Policy policy(target, 4, threads);
  policy.dynamic_cluster_scratch(threads);
  parallel_for(
      "bins_emptied_too_late", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        auto const bins = member.dynamic_cluster_scratch();
        bins[thread] = 0;
        member.cluster_barrier();
        int sum = 0;
        for (int round = 0; round < 2; ++round) {
          auto const owner = member.peer(bins, (thread + round) % 2);
          atomic_add(&owner[(5 * thread) % 32], 1);
          member.cluster_barrier();
          sum += bins[thread];
          bins[thread] = 0;
          if (Repaired) member.cluster_barrier();
        }
        results[member.league_rank() * threads + thread] = sum;
      });
  target.fence();
}

/// All read, all count themselves, the last writes: one of sixteen publishes nothing.
template <class Target, bool Repaired>
void one_of_sixteen_publishes_nothing(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const words = filled<int>(target, 2);
  int* const epoch = words.data();
  int* const count = words.data() + 1;
  parallel_for(
      "one_of_sixteen_publishes_nothing", Policy(target, 16, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        int const seen = *epoch;
        int const before = Repaired || member.league_rank() != 7
                               ? atomic_fetch_add<device, release>(count, 1)
                               : atomic_fetch_add<device, relaxed>(count, 1);
        member.template fence<device>();
        if (before == 15) *epoch = seen + 1;
      });
  target.fence();
}

/// The same where each update acquires what all earlier ones released.
template <class Target>
void control_sixteen_count_themselves(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const words = filled<int>(target, 2);
  int* const epoch = words.data();
  int* const count = words.data() + 1;
  parallel_for(
      "control_sixteen_count_themselves", Policy(target, 16, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        int const seen = *epoch;
        if (atomic_fetch_add<device, acquire_release>(count, 1) == 15) *epoch = seen + 1;
      });
  target.fence();
}

/// From rank 0 over rank 1 to rank 2: an order that is carried on, or that the middle one drops.
template <class Target, MemoryOrder Middle>
void message_handed_on(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<3>>;
  auto const messages = filled<std::int16_t>(target, 2);
  auto const raised = filled<int>(target, 2);
  std::int16_t* const message = messages.data();
  int* const flags = raised.data();
  parallel_for(
      "message_handed_on", Policy(target, 3, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        if (member.cluster_rank() == 0) {
          message[0] = 5;
          atomic_store<device, release>(&flags[0], 1);
        } else if (member.cluster_rank() == 1) {
          while (atomic_load<device, Middle>(&flags[0]) == 0) {
          }
          atomic_store<device, release>(&flags[1], 1);
        } else {
          while (atomic_load<device, acquire>(&flags[1]) == 0) {
          }
          message[1] = message[0];
        }
      });
  target.fence();
}

/// Only who comes second reads: in some orders nobody does.
template <class Target, MemoryOrder Order>
void read_by_who_comes_late(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>>;
  auto const words = filled<int>(target, 3);
  int* const message = words.data();
  int* const tickets = words.data() + 1;
  parallel_for(
      "read_by_who_comes_late", Policy(target, 2, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        if (member.cluster_rank() == 1) {
          message[0] = 5;
          atomic_add<device, Order>(tickets, 1);
        } else if (atomic_fetch_add<device, Order>(tickets, 1) == 1) {
          message[2] = message[0];
        }
      });
  target.fence();
}

/// A relaxed update goes on with the release that it follows.
template <class Target>
void control_release_goes_on_through_an_update(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<3>>;
  auto const words = filled<int>(target, 3);
  int* const message = words.data();
  int* const flag = words.data() + 1;
  parallel_for(
      "control_release_goes_on_through_an_update", Policy(target, 3, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        if (member.cluster_rank() == 0) {
          message[0] = 5;
          atomic_store<cluster, release>(flag, 1);
        } else if (member.cluster_rank() == 1) {
          while (atomic_compare_exchange<cluster, relaxed>(flag, 1, 2) != 1) {
          }
        } else {
          while (atomic_load<cluster, acquire>(flag) != 2) {
          }
          message[2] = message[0];
        }
      });
  target.fence();
}

struct Slot {
  int value;
  int readers;
};

/// Lane 0 of each subgroup reads and counts itself; who has seen all counts may write.
template <class Target>
void control_count_hands_back_reads(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Slot>>;
  auto const out = filled<int>(target, 256);
  int* const results = out.data();
  parallel_for(
      "control_count_hands_back_reads", Policy(target, 1, 256),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Slot& slot = member.team_scratch();
        int const thread = member.team_rank();
        if (thread == 0) slot = {3, 0};
        member.team_barrier();
        int seen = 0;
        if (member.lane() == 0) {
          seen = slot.value;
          atomic_add<team, release>(&slot.readers, 1);
        }
        if (thread == 0) {
          while (atomic_load<team, acquire>(&slot.readers) != 8) {
          }
          slot.value = 4;
        }
        member.team_barrier();
        results[thread] = seen + slot.value;
      });
  target.fence();
}

/// Barriers of the teams carry the order of one thread's flag to all others.
template <class Target>
void control_one_flag_for_two_teams(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<char[64]>>;
  auto const raised = filled<int>(target, 1);
  auto const out = filled<char>(target, 64);
  int* const flag = raised.data();
  char* const results = out.data();
  parallel_for(
      "control_one_flag_for_two_teams", Policy(target, 2, 64),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        auto const inbox = member.cluster_scratch();
        auto const first = member.peer(inbox, 0);
        bool const sends = member.cluster_rank() == 1;
        if (sends) first[thread] = static_cast<char>(thread);
        member.team_barrier();
        if (thread == 40 && sends) atomic_store<cluster, release>(flag, 1);
        if (thread == 0 && !sends) {
          while (atomic_load<cluster, acquire>(flag) == 0) {
          }
        }
        member.team_barrier();
        if (!sends) results[thread] = inbox[63 - thread];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {"message_behind_a_relaxed_flag", "race", "race-global", "own",
     message_behind_a_flag<UnitTarget, device, relaxed, relaxed>,
     message_behind_a_flag<UnitTarget, device, release, acquire>},
    {"message_waited_for_without_acquire", "race", "race-global", "own",
     message_behind_a_flag<UnitTarget, cluster, release, relaxed>,
     message_behind_a_flag<UnitTarget, cluster, release, acquire>},
    {"message_with_the_scope_of_a_team", "race", "atomic-scope", "own",
     message_behind_a_flag<UnitTarget, team, release, acquire>,
     message_behind_a_flag<UnitTarget, cluster, release, acquire>},
    {"message_with_one_fence", "race", "race-cluster-scratch", "own",
     message_between_fences<UnitTarget, cluster, false>,
     message_between_fences<UnitTarget, cluster, true>},
    {"message_between_fences_of_a_team", "race", "race-cluster-scratch", "own",
     message_between_fences<UnitTarget, team, true>,
     message_between_fences<UnitTarget, device, true>},
    {"lock_taken_without_acquire", "race", "race-global", "own",
     spin_lock<UnitTarget, relaxed, release>, spin_lock<UnitTarget, acquire, release>},
    {"lock_left_without_release", "race", "race-global", "own",
     spin_lock<UnitTarget, acquire, relaxed>, spin_lock<UnitTarget, acquire, release>},
    {"last_team_without_fences", "race", "race-global", "own",
     last_team_sums_up<UnitTarget, false, false>, last_team_sums_up<UnitTarget, true, true>},
    {"last_team_without_its_second_fence", "race", "race-global", "own",
     last_team_sums_up<UnitTarget, true, false>, last_team_sums_up<UnitTarget, true, true>},
    {"counter_with_the_scope_of_a_team", "race", "atomic-scope", "own",
     counter_of_all_teams<UnitTarget, ClusterDims<1>, team>,
     counter_of_all_teams<UnitTarget, ClusterDims<1>, device>},
    {"counter_with_the_scope_of_a_cluster", "race", "atomic-scope", "own",
     counter_of_all_teams<UnitTarget, ClusterDims<4>, cluster>,
     counter_of_all_teams<UnitTarget, ClusterDims<4>, device>},
    {"largest_with_the_scope_of_a_team", "race", "atomic-scope", "own",
     largest_in_a_peer<UnitTarget, team>, largest_in_a_peer<UnitTarget, cluster>},
    {"counter_read_plainly", "race", "race-team-scratch", "own",
     counter_read_plainly<UnitTarget, false>, counter_read_plainly<UnitTarget, true>},
    {"bins_emptied_too_late", "race", "race-cluster-scratch", "own",
     bins_emptied_too_late<UnitTarget, false>, bins_emptied_too_late<UnitTarget, true>},
    {"one_of_sixteen_publishes_nothing", "race", "race-global", "own",
     one_of_sixteen_publishes_nothing<UnitTarget, false>,
     one_of_sixteen_publishes_nothing<UnitTarget, true>},
    {"message_dropped_in_the_middle", "race", "race-global", "own",
     message_handed_on<UnitTarget, relaxed>, message_handed_on<UnitTarget, acquire>},
    {"read_by_who_comes_late", "race", "race-global", "own",
     read_by_who_comes_late<UnitTarget, relaxed>,
     read_by_who_comes_late<UnitTarget, acquire_release>, true},
    {"control_sixteen_count_themselves", "control", "", "own",
     control_sixteen_count_themselves<UnitTarget>},
    {"control_release_goes_on_through_an_update", "control", "", "own",
     control_release_goes_on_through_an_update<UnitTarget>},
    {"control_count_hands_back_reads", "control", "", "own",
     control_count_hands_back_reads<UnitTarget>},
    {"control_one_flag_for_two_teams", "control", "", "own",
     control_one_flag_for_two_teams<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::own_atomics
