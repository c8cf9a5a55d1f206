// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/launch.hpp>
#include <kohort/parallel_reduce.hpp>

#include <memory>
#include <string_view>

namespace kohort::Impl {

/// Every team leaves its contribution in its own place, and the host combines them in league
/// order: the clusters need not talk to each other, so they may still run side by side.
template <>
struct Reduce<Simulator> {
  template <class Policy, class Functor, class Operation, class T>
  static void execute(std::string_view label, Policy const& policy, Functor const& functor,
                      Operation operation, T* result) {
    execute_to_host(label, policy, functor, operation, *result);
  }

  template <class Policy, class Functor, class Operation, class T>
  static void execute_to_host(std::string_view label, Policy const& policy, Functor const& functor,
                              Operation operation, T& result) {
    long long const count = policy.request().league.count();
    // A league that the launch refuses below gets no memory first.
    std::size_t const teams = count > 0 && count <= 2147483647LL ? count : 0;
    auto const partials = std::make_unique<T[]>(teams);  // a vector of bool has no places
    T* const slots = partials.get();
    Launch<Simulator>::execute(label, policy, [functor, operation, slots](auto const& member) {
      T const share = team_contribution<T>(member, functor, operation);
      if (member.team_rank() == 0) slots[member.league_rank()] = share;
    });
    T total = operation.template identity<T>();
    for (std::size_t team = 0; team < teams; ++team) total = operation(total, slots[team]);
    finish_total(operation, total);
    result = total;
  }
};

}  // namespace kohort::Impl
