// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/hip/launch.hpp>
#include <kohort/parallel_reduce.hpp>

#include <string_view>

namespace kohort::Impl {

/// What a reduction's stub gets beside the functor.
template <class T, class Operation>
struct HipReduceArguments {
  T* partials;       ///< one a team
  unsigned* ticket;  ///< teams that have written theirs; zero before and after
  T* result;
  Operation operation;
};

/// A team's contribution, then, in the team that comes last, the combination of all in league
/// order.
template <class Functor, class T, class Operation>
struct HipLeagueReduction {
  Functor const& functor;
  HipReduceArguments<T, Operation> const& with;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    constexpr CallSite site{"parallel_reduce", 0};
    T const share = team_contribution<T>(member, functor, with.operation);
    auto const teams = static_cast<unsigned>(member.league_size());
    bool is_last = false;
    if (member.team_rank() == 0) {
      with.partials[member.league_rank()] = share;
      is_last = atomic_fetch_add<Scope::device, MemoryOrder::acquire_release>(with.ticket, 1u,
                                                                              site) == teams - 1;
      if (is_last) atomic_store(with.ticket, 0u, site);
    }
    if (!member.team_broadcast(is_last, 0, site)) return;
    // The other threads' caches know nothing of the ticket's acquire.
    member.template fence<Scope::device>(site);
    T total = with.operation.template identity<T>();
    for (unsigned team = member.team_rank(); team < teams; team += member.team_size())
      total = with.operation(total, with.partials[team]);
    total = member.team_reduce(total, with.operation, site);
    if (member.team_rank() != 0) return;
    finish_total(with.operation, total);
    *with.result = total;
  }
};

struct HipReduceLeague {
  template <class Member, class Functor, class T, class Operation>
  static KOHORT_FUNCTION void run(Member const& member, Functor const& functor,
                                  HipReduceArguments<T, Operation> const& with) {
    member.run(HipLeagueReduction<Functor, T, Operation>{functor, with});
  }
};

template <>
struct Reduce<Hip> {
  template <class Policy, class Functor, class Operation, class T>
  static void execute(std::string_view label, Policy const& policy, Functor const& functor,
                      Operation const& operation, T* device_result) {
    HipState& state = state_of(policy.target());
    HipDeviceGuard const guard(state.device);
    long long const teams = policy.request().league.count();
    // A league that the launch refuses below gets no memory first.
    std::size_t const slots = teams > 0 && teams <= 2147483647LL ? teams : 1;
    HipReduceArguments<T, Operation> const with{
        static_cast<T*>(state.partials.at_least(slots * sizeof(T))),
        static_cast<unsigned*>(state.ticket.at_least(sizeof(unsigned))), device_result, operation};
    launch_hip<Policy, HipReduceLeague>(label, policy, functor, with);
  }

  template <class Policy, class Functor, class Operation, class T>
  static void execute_to_host(std::string_view label, Policy const& policy, Functor const& functor,
                              Operation const& operation, T& result) {
    Buffer<T, Hip> const cell(policy.target(), 1);
    execute(label, policy, functor, operation, cell.data());
    Memory<Hip>::copy(policy.target(), &result, cell.data(), sizeof(T), CopyDirection::to_host);
  }
};

}  // namespace kohort::Impl
