// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phased barriers without copies: who arrives, who waits, and what the wait lets a thread see.
#include "device.hpp"

namespace kohort::conformance::phased_barriers {

inline constexpr int most_threads = 128;

struct Meeting {
  TransferBarrier written;
  TransferBarrier read;
  int tile[most_threads];
};

/// Every thread arrives, and every thread waits: a team barrier in two phases a round.
template <class Target>
void arrivals_of_all_threads_order_many_rounds(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Meeting>>;
  int const threads = team_threads(target, most_threads);
  int const teams = 5;
  auto const results = poisoned<int>(target, teams * threads);
  int* const result = results.data();
  parallel_for(
      "many_phases", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Meeting& meeting = member.team_scratch();
        member.init_barriers(BarrierGroup(meeting.written, threads),
                             BarrierGroup(meeting.read, threads));
        Waiter written;
        Waiter read;
        int const thread = member.team_rank();
        int sum = 0;
        for (int round = 0; round < 7; ++round) {
          meeting.tile[thread] = round * 1000 + thread;
          member.arrive(meeting.written);
          member.wait(meeting.written, written);
          sum += meeting.tile[(thread + round) % threads];
          member.arrive(meeting.read);
          member.wait(meeting.read, read);
        }
        result[member.league_rank() * threads + thread] = sum;
      });
  std::vector<int> expected;
  for (int team = 0; team < teams; ++team) {
    for (int thread = 0; thread < threads; ++thread) {
      int sum = 0;
      for (int round = 0; round < 7; ++round) sum += round * 1000 + (thread + round) % threads;
      expected.push_back(sum);
    }
  }
  require_all_equal(download(results), expected, "sums");
}

/// arrive_once() counts a subgroup; one thread waits for all of them, and the others for it.
template <class Target>
void a_subgroup_arrives_once(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Meeting>>;
  int const threads = team_threads(target, most_threads);
  auto const results = poisoned<int>(target, threads);
  int* const result = results.data();
  parallel_for(
      "arrive_once", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Meeting& meeting = member.team_scratch();
        member.init_barriers(BarrierGroup(meeting.written, member.team_subgroups()),
                             BarrierGroup(meeting.read, 1));
        Waiter waiter;
        int const thread = member.team_rank();
        meeting.tile[thread] = 3 * thread;
        member.arrive_once(meeting.written);
        if (thread == 0) {
          member.wait(meeting.written, waiter, 0);
          int sum = 0;
          for (int i = 0; i < threads; ++i) sum += meeting.tile[i];
          meeting.tile[0] = sum;
          member.arrive(meeting.read);
        }
        member.wait(meeting.read, waiter, 1);
        result[thread] = meeting.tile[0];
      });
  std::vector<int> const expected(static_cast<std::size_t>(threads),
                                  3 * threads * (threads - 1) / 2);
  require_all_equal(download(results), expected, "the sum that one thread made");
}

/// What a thread wrote before arrive(barrier, rank) is read by the team that waited.
template <class Target>
void a_peers_arrival_publishes_its_writes(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Meeting>>;
  int const threads = team_threads(target, most_threads);
  for (int size : cluster_sizes(target)) {
    int const teams = 3 * size;
    auto const results = poisoned<int>(target, teams * threads);
    int* const result = results.data();
    Policy policy(target, teams, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "ring_of_arrivals", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto scratch = member.cluster_scratch();
          Meeting& meeting = *scratch;
          member.init_barriers(BarrierGroup(meeting.written, threads),
                               BarrierGroup(meeting.read, threads));
          int const rank = member.cluster_rank();
          int const next = (rank + 1) % size;
          int const before = (rank + size - 1) % size;
          int const thread = member.team_rank();
          Waiter waiter;
          int sum = 0;
          for (int round = 0; round < 4; ++round) {
            meeting.tile[thread] = member.league_rank() * 1000 + round * 100 + thread;
            member.arrive(meeting.written, next);
            member.template wait<Scope::cluster>(meeting.written, waiter, 0);
            sum += member.peer(scratch, before)->tile[threads - 1 - thread];
            member.arrive(meeting.read, before, relaxed);
            member.wait(meeting.read, waiter, 1);
          }
          result[member.league_rank() * threads + thread] = sum;
        });
    std::vector<int> expected;
    for (int team = 0; team < teams; ++team) {
      int const before = team / size * size + (team % size + size - 1) % size;
      for (int thread = 0; thread < threads; ++thread)
        expected.push_back(4 * (before * 1000 + threads - 1 - thread) + 600);
    }
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

struct Ring {
  TransferBarrier full[3];
  TransferBarrier empty[3];
  int slot[3];
};

/// A producer whose slots are free at first, and a consumer in another subgroup.
template <class Target>
void a_ring_of_slots_needs_no_first_arrivals(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Ring>>;
  int const threads = 2 * properties(target).subgroup_size;
  int const values = 20;
  auto const results = poisoned<int>(target, values);
  int* const result = results.data();
  parallel_for(
      "ring_of_slots", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Ring& ring = member.team_scratch();
        member.init_barriers(BarrierGroup(ring.full, 1), BarrierGroup(ring.empty, 1));
        if (member.team_rank() == 0) {
          Waiter free_slots = Waiter::initially_free();
          for (int i = 0; i < values; ++i) {
            member.wait(ring.empty[i % 3], free_slots, i % 3);
            ring.slot[i % 3] = i * i;
            member.arrive(ring.full[i % 3]);
          }
        } else if (member.subgroup_rank() == 1 && member.lane() == 0) {
          Waiter filled;
          for (int i = 0; i < values; ++i) {
            member.wait(ring.full[i % 3], filled, i % 3);
            result[i] = ring.slot[i % 3];
            member.arrive(ring.empty[i % 3]);
          }
        }
      });
  std::vector<int> expected;
  for (int i = 0; i < values; ++i) expected.push_back(i * i);
  require_all_equal(download(results), expected, "what the consumer saw");
}

/// Who need not wait for a phase counts it all the same.
template <class Target>
void a_phase_can_be_skipped(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Meeting>>;
  int const threads = 2 * properties(target).subgroup_size;
  auto const results = poisoned<int>(target, threads);
  int* const result = results.data();
  parallel_for(
      "skipped_phase", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Meeting& meeting = member.team_scratch();
        member.init_barriers(BarrierGroup(meeting.written, 1));
        Waiter waiter;
        for (int round = 0; round < 5; ++round) {
          if (member.team_rank() == 0) {
            meeting.tile[0] = round + 1;
            member.arrive(meeting.written);
          }
          // In odd rounds only thread 0 waits.
          if (round % 2 == 0 || member.team_rank() == 0) {
            member.wait(meeting.written, waiter);
          } else {
            waiter.skip(0);
          }
          member.team_barrier();
        }
        result[member.team_rank()] = meeting.tile[0];
      });
  require_all_equal(download(results), std::vector<int>(static_cast<std::size_t>(threads), 5),
                    "the last round");
}

/// Teams that end within a subgroup: who readies the barriers is there all the same.
template <class Target>
void barriers_of_odd_teams_are_readied(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Meeting>>;
  for (int const threads : odd_team_sizes(target)) {
    if (threads > most_threads) continue;
    auto const results = poisoned<int>(target, threads);
    int* const result = results.data();
    parallel_for(
        "odd_team", Policy(target, 1, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          Meeting& meeting = member.team_scratch();
          member.init_barriers(BarrierGroup(meeting.written, threads));
          int const thread = member.team_rank();
          meeting.tile[thread] = 7 * thread;
          member.arrive(meeting.written);
          Waiter waiter;
          member.wait(meeting.written, waiter);
          result[thread] = meeting.tile[threads - 1 - thread];
        });
    std::vector<int> expected;
    for (int thread = 0; thread < threads; ++thread) expected.push_back(7 * (threads - 1 - thread));
    require_all_equal(download(results), expected,
                      "a team of " + std::to_string(threads) + " threads");
  }
}

namespace {
Rung<UnitTarget> const rung(
    "20_phased_barriers",
    {{"BarriersOfOddTeamsAreReadied", barriers_of_odd_teams_are_readied<UnitTarget>},
     {"ArrivalsOfAllThreadsOrderManyRounds", arrivals_of_all_threads_order_many_rounds<UnitTarget>},
     {"ASubgroupArrivesOnce", a_subgroup_arrives_once<UnitTarget>},
     {"APeersArrivalPublishesItsWrites", a_peers_arrival_publishes_its_writes<UnitTarget>},
     {"ARingOfSlotsNeedsNoFirstArrivals", a_ring_of_slots_needs_no_first_arrivals<UnitTarget>},
     {"APhaseCanBeSkipped", a_phase_can_be_skipped<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::phased_barriers
