// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of public bug reports: teams that hand values to each other, miscount the arrivals, or
// publish to too few.
#include "case.hpp"

namespace kohort::detect::field_handshakes {

constexpr int teams = 8;
constexpr int threads = 128;

/// Values that a peer pushes, and a word that says how many of its arrivals have come.
struct Inbox {
  int arrived;
  float values[128];
};
template <class Target>
using Inboxes = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<Inbox>>;
template <class Target>
using InboxMember = typename Inboxes<Target>::member_type;

template <class Target>
void every_lane_arrives_where_one_is_counted(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "push_by_subgroups", Inboxes<Target>(target, teams, threads),
      KOHORT_LAMBDA(InboxMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const inbox = member.cluster_scratch();
        if (thread == 0) inbox->arrived = 0;
        member.cluster_barrier();
        if (member.cluster_rank() == 1) {
          auto const receiver = member.peer(inbox, 0);
          receiver->values[thread] = static_cast<float>(thread);
          member.subgroup_barrier();
          atomic_add<Scope::cluster, MemoryOrder::release>(&receiver->arrived, 1);
        } else {
          while (atomic_load<Scope::cluster, MemoryOrder::acquire>(&inbox->arrived) <
                 member.team_subgroups()) {
          }
          results[member.cluster_league_rank() * threads + thread] = inbox->values[thread];
        }
      });
  target.fence();
}

template <class Target>
void one_lane_arrives_where_one_is_counted(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "push_by_subgroups", Inboxes<Target>(target, teams, threads),
      KOHORT_LAMBDA(InboxMember<Target> const& member) {
        int const thread = member.team_rank();
        auto const inbox = member.cluster_scratch();
        if (thread == 0) inbox->arrived = 0;
        member.cluster_barrier();
        if (member.cluster_rank() == 1) {
          auto const receiver = member.peer(inbox, 0);
          receiver->values[thread] = static_cast<float>(thread);
          member.subgroup_barrier();
          if (member.lane() == 0)
            atomic_add<Scope::cluster, MemoryOrder::release>(&receiver->arrived, 1);
        } else {
          while (atomic_load<Scope::cluster, MemoryOrder::acquire>(&inbox->arrived) <
                 member.team_subgroups()) {
          }
          results[member.cluster_league_rank() * threads + thread] = inbox->values[thread];
        }
      });
  target.fence();
}

/// The producer fills its peer's inbox twice; each subgroup of the peer says when it has read.
template <class Member>
KOHORT_FUNCTION void refill(Member const& member, int counted_consumers, float* results) {
  int const thread = member.team_rank();
  auto const inbox = member.cluster_scratch();
  auto const peer = member.peer(inbox, member.cluster_rank() ^ 1);
  bool const produces = member.cluster_rank() == 0;
  if (thread == 0) inbox->arrived = 0;
  if (produces) peer->values[thread] = 1.0F;
  member.cluster_barrier();
  float sum = 0;
  if (produces) {
    while (atomic_load<Scope::cluster, MemoryOrder::acquire>(&inbox->arrived) < counted_consumers) {
    }
    peer->values[thread] = 2.0F;
  } else {
    sum += inbox->values[threads - 1 - thread];
    member.subgroup_barrier();
    if (member.lane() == 0) atomic_add<Scope::cluster, MemoryOrder::release>(&peer->arrived, 1);
  }
  member.cluster_barrier();
  if (!produces)
    results[member.cluster_league_rank() * threads + thread] =
        sum + inbox->values[threads - 1 - thread];
}

template <class Target>
void one_consumer_is_counted_of_several(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "refill", Inboxes<Target>(target, teams, threads),
      KOHORT_LAMBDA(InboxMember<Target> const& member) { refill(member, 1, results); });
  target.fence();
}

template <class Target>
void all_consumers_are_counted(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "refill", Inboxes<Target>(target, teams, threads),
      KOHORT_LAMBDA(InboxMember<Target> const& member) {
        refill(member, member.team_subgroups(), results);
      });
  target.fence();
}

/// Team 0 pushes a row to its peer and raises the flag there; the peer waits for the flag.
template <Scope Where, MemoryOrder Order, class Member>
KOHORT_FUNCTION void push_and_flag(Member const& member, float* results) {
  int const thread = member.team_rank();
  auto const inbox = member.cluster_scratch();
  if (thread == 0) inbox->arrived = 0;
  member.cluster_barrier();
  if (member.cluster_rank() == 0) {
    auto const receiver = member.peer(inbox, 1);
    receiver->values[thread] = static_cast<float>(thread);
    member.team_barrier();
    if (thread == 0) atomic_store<Where, Order>(&receiver->arrived, 1);
  } else {
    while (atomic_load<Scope::cluster, MemoryOrder::acquire>(&inbox->arrived) == 0) {
    }
    results[member.cluster_league_rank() * threads + thread] = inbox->values[thread];
  }
}

template <class Target>
void remote_flag_of_team_scope(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "flag", Inboxes<Target>(target, teams, threads),
      KOHORT_LAMBDA(InboxMember<Target> const& member) {
        push_and_flag<Scope::team, MemoryOrder::release>(member, results);
      });
  target.fence();
}

template <class Target>
void remote_flag_of_relaxed_order(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "flag", Inboxes<Target>(target, teams, threads),
      KOHORT_LAMBDA(InboxMember<Target> const& member) {
        push_and_flag<Scope::cluster, MemoryOrder::relaxed>(member, results);
      });
  target.fence();
}

template <class Target>
void remote_flag_released_to_the_cluster(Target const& target) {
  auto const out = filled<float>(target, teams / 2 * threads);
  float* const results = out.data();
  parallel_for(
      "flag", Inboxes<Target>(target, teams, threads),
      KOHORT_LAMBDA(InboxMember<Target> const& member) {
        push_and_flag<Scope::cluster, MemoryOrder::release>(member, results);
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "every_lane_arrives_where_one_is_counted",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS 25",
     .faulty = every_lane_arrives_where_one_is_counted<UnitTarget>,
     .repaired = one_lane_arrives_where_one_is_counted<UnitTarget>,
     .needs_exploration = true},
    {.name = "one_consumer_is_counted_of_several",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS 26",
     .faulty = one_consumer_is_counted_of_several<UnitTarget>,
     .repaired = all_consumers_are_counted<UnitTarget>,
     .needs_exploration = true},
    {.name = "remote_flag_of_team_scope",
     .kind = "race",
     .expected = "atomic-scope",
     .source = "FAULTS 28",
     .faulty = remote_flag_of_team_scope<UnitTarget>,
     .repaired = remote_flag_released_to_the_cluster<UnitTarget>},
    {.name = "remote_flag_of_relaxed_order",
     .kind = "race",
     .expected = "race-cluster-scratch",
     .source = "FAULTS 28",
     .faulty = remote_flag_of_relaxed_order<UnitTarget>,
     .repaired = remote_flag_released_to_the_cluster<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::field_handshakes
