// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What atomics and fences order: messages, locks, and the store-buffering test.
#include "device.hpp"

namespace kohort::conformance::memory_orders {

inline constexpr int words = 24;

/// A message box in a team's scratch: a flag that counts messages, and the payload.
struct Mailbox {
  unsigned full;
  unsigned free;
  unsigned payload[words];
};

template <Scope Where>
struct ByReleaseAndAcquire {
  static KOHORT_FUNCTION void publish(unsigned* flag, unsigned value) {
    atomic_store<Where, MemoryOrder::release>(flag, value);
  }
  static KOHORT_FUNCTION unsigned observe(unsigned* flag) {
    return atomic_load<Where, MemoryOrder::acquire>(flag);
  }
};

template <Scope Where, class Member>
struct ByFences {
  static KOHORT_FUNCTION void publish(Member const& member, unsigned* flag, unsigned value) {
    member.template fence<Where>();
    atomic_store<Where>(flag, value);
  }
  static KOHORT_FUNCTION unsigned observe(Member const& member, unsigned* flag) {
    unsigned const value = atomic_load<Where>(flag);
    member.template fence<Where>();
    return value;
  }
};

/// Messages go round the ring; thread 0 of each team sends to the next and receives from the one
/// before. Returns through `out` a checksum of all that each team received.
template <class Member, class Publish, class Observe>
KOHORT_FUNCTION void pass_messages(Member const& member, int messages, unsigned* out,
                                   Publish const& publish, Observe const& observe) {
  auto mine = member.cluster_scratch();
  if (member.team_rank() == 0) {
    mine->full = 0;
    mine->free = 0;
  }
  member.cluster_barrier();
  int const size = member.cluster_size();
  int const rank = member.cluster_rank();
  auto next = member.peer(mine, (rank + 1) % size);
  auto before = member.peer(mine, (rank + size - 1) % size);
  if (member.team_rank() != 0) return;
  unsigned sum = 0;
  for (int message = 1; message <= messages; ++message) {
    for (int i = 0; i < words; ++i) next->payload[i] = scrambled(rank * 1000 + message * 50 + i);
    publish(&next->full, message);
    while (observe(&mine->full) < static_cast<unsigned>(message)) {
    }
    for (int i = 0; i < words; ++i) sum = sum * 31 + mine->payload[i];
    // The word in the sender's scratch says that its message was read.
    publish(&before->free, message);
    while (observe(&mine->free) < static_cast<unsigned>(message)) {
    }
  }
  out[member.league_rank()] = sum;
}

inline std::vector<unsigned> expected_messages(int teams, int size, int messages) {
  std::vector<unsigned> sums;
  for (int team = 0; team < teams; ++team) {
    unsigned const before = (team % size + size - 1) % size;
    unsigned sum = 0;
    for (int message = 1; message <= messages; ++message) {
      for (int i = 0; i < words; ++i) {
        sum = sum * 31 + static_cast<unsigned>(scrambled(before * 1000 + message * 50 + i));
      }
    }
    sums.push_back(sum);
  }
  return sums;
}

template <Scope Where, class Target>
void release_and_acquire_pass_messages_through_a_peers_flag(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Mailbox>>;
  int const messages = 20;
  for (int size : cluster_sizes(target)) {
    int const teams = 2 * size;
    auto const results = poisoned<unsigned>(target, teams);
    unsigned* const result = results.data();
    Policy policy(target, teams, 4, size);
    policy.allow_nonportable_size();
    parallel_for(
        "release_acquire", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          using By = ByReleaseAndAcquire<Where>;
          pass_messages(
              member, messages, result,
              [](unsigned* flag, unsigned value) { By::publish(flag, value); },
              [](unsigned* flag) { return By::observe(flag); });
        });
    require_all_equal(download(results), expected_messages(teams, size, messages),
                      "checksums, cluster of " + std::to_string(size));
  }
}

template <Scope Where, class Target>
void fences_pass_messages_through_relaxed_flags(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Mailbox>>;
  using Member = typename Policy::member_type;
  int const messages = 20;
  int const size = cluster_teams(target, 4);
  auto const results = poisoned<unsigned>(target, size);
  unsigned* const result = results.data();
  Policy policy(target, size, 4, size);
  policy.allow_nonportable_size();
  parallel_for(
      "fences", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        using By = ByFences<Where, Member>;
        pass_messages(
            member, messages, result,
            [&](unsigned* flag, unsigned value) { By::publish(member, flag, value); },
            [&](unsigned* flag) { return By::observe(member, flag); });
      });
  require_all_equal(download(results), expected_messages(size, size, messages), "checksums");
}

struct Locked {
  unsigned lock;
  unsigned counter;
};

/// A lock of compare-exchange and release guards a plain counter in team 0's scratch.
template <class Target>
void a_lock_guards_plain_data(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Locked>>;
  int const rounds = 25;
  int const size = cluster_teams(target, 8);
  auto const results = poisoned<unsigned>(target, 1);
  unsigned* const result = results.data();
  Policy policy(target, size, 8, size);
  policy.allow_nonportable_size();
  parallel_for(
      "lock", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto mine = member.cluster_scratch();
        if (member.team_rank() == 0) *mine = Locked{0, 0};
        member.cluster_barrier();
        auto shared = member.peer(mine, 0);
        if (member.team_rank() == 0) {
          for (int round = 0; round < rounds; ++round) {
            while (atomic_compare_exchange<Scope::cluster, MemoryOrder::acquire>(&shared->lock, 0u,
                                                                                 1u) != 0u) {
            }
            shared->counter = shared->counter + 1;
            atomic_store<Scope::cluster, MemoryOrder::release>(&shared->lock, 0u);
          }
        }
        member.cluster_barrier();
        if (member.league_rank() == 0 && member.team_rank() == 0) *result = mine->counter;
      });
  require_equal(download(results)[0], static_cast<unsigned>(rounds * size), "the plain counter");
}

/// The last team to arrive, by an acquire-release ticket, sees what all others wrote to global
/// memory: how a reduction is finished without a second launch.
template <class Target>
void the_last_to_arrive_sees_all_partials(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const teams = 120;
  auto const partials = poisoned<unsigned>(target, teams);
  auto const tickets = filled<unsigned>(target, 2, 0);
  unsigned* const partial = partials.data();
  unsigned* const ticket = tickets.data();
  parallel_for(
      "last_arrival", Policy(target, teams, 4),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        partial[member.league_rank()] = member.league_rank() + 1;
        unsigned const arrived =
            atomic_fetch_add<Scope::device, MemoryOrder::acquire_release>(&ticket[0], 1u);
        if (arrived + 1 != static_cast<unsigned>(teams)) return;
        unsigned sum = 0;
        for (int team = 0; team < teams; ++team) sum += partial[team];
        ticket[1] = sum;
      });
  require_all_equal(download(tickets), {120u, 120u * 121u / 2}, "arrivals and their sum");
}

/// Store buffering: with sequentially consistent operations, two threads that each store and then
/// load the other's cell can't both miss the other's store.
template <class Target>
void sequential_consistency_forbids_store_buffering(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  constexpr MemoryOrder order = MemoryOrder::sequentially_consistent;
  int const size = cluster_teams(target, 2);
  int const rounds = 100;
  auto const cells = filled<unsigned>(target, 2 * rounds, 0);
  auto const seen = filled<unsigned>(target, 2 * rounds, 1);
  unsigned* const cell = cells.data();
  unsigned* const out = seen.data();
  parallel_for(
      "store_buffering", Policy(target, size, 4, size),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const rank = member.cluster_rank();
        for (int round = 0; round < rounds; ++round) {
          if (member.team_rank() == 0) {
            atomic_store<Scope::device, order>(&cell[2 * round + rank], 1u);
            out[2 * round + rank] = atomic_load<Scope::device, order>(&cell[2 * round + 1 - rank]);
          }
          member.cluster_barrier();
        }
      });
  std::vector<unsigned> const loads = download(seen);
  for (int round = 0; round < rounds; ++round) {
    require(loads[2 * round] + loads[2 * round + 1] >= 1,
            "one of two threads sees the other's store, in round " + std::to_string(round));
  }
}

namespace {
Rung<UnitTarget> const rung(
    "08_memory_orders",
    {{"ReleaseAndAcquireAtClusterScope",
      release_and_acquire_pass_messages_through_a_peers_flag<Scope::cluster, UnitTarget>},
     {"ReleaseAndAcquireAtDeviceScope",
      release_and_acquire_pass_messages_through_a_peers_flag<Scope::device, UnitTarget>},
     {"ReleaseAndAcquireAtSystemScope",
      release_and_acquire_pass_messages_through_a_peers_flag<Scope::system, UnitTarget>},
     {"FencesAtClusterScope",
      fences_pass_messages_through_relaxed_flags<Scope::cluster, UnitTarget>},
     {"FencesAtDeviceScope", fences_pass_messages_through_relaxed_flags<Scope::device, UnitTarget>},
     {"FencesAtSystemScope", fences_pass_messages_through_relaxed_flags<Scope::system, UnitTarget>},
     {"ALockGuardsPlainData", a_lock_guards_plain_data<UnitTarget>},
     {"TheLastToArriveSeesAllPartials", the_last_to_arrive_sees_all_partials<UnitTarget>},
     {"SequentialConsistencyForbidsStoreBuffering",
      sequential_consistency_forbids_store_buffering<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::memory_orders
