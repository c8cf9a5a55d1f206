// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/buffer.hpp>
#include <kohort/operations.hpp>
#include <kohort/parallel_for.hpp>

#include <string_view>

namespace kohort {
namespace Impl {

/// Backend seam: combines one value of every team of a league.
///   static void execute(label, policy, functor, operation, T* device_result)   queued
///   static void execute_to_host(label, policy, functor, operation, T& result)  done on return
/// The functor receives (member, T& update); team_contribution() below gives the team's share.
template <class Target>
struct Reduce;

/// What a team contributes: every thread's update, combined in the team. The same in all threads.
template <class T, class Member, class Functor, class Operation>
KOHORT_FUNCTION T team_contribution(Member const& member, Functor const& functor,
                                    Operation operation) {
  T update = operation.template identity<T>();
  functor(member, update);
  return member.team_reduce(update, operation, CallSite{"parallel_reduce", 0});
}

/// What an operation does to the total before it is stored: nothing, unless it has `finish(T&)`.
template <class Operation, class T>
KOHORT_FUNCTION void finish_total(Operation const& operation, T& total) {
  if constexpr (requires { operation.finish(total); }) operation.finish(total);
}

}  // namespace Impl

/// Combines what `functor(member, update)` left in every thread's `update` into the host scalar
/// `result`, and blocks until it is there, as in Kokkos. The combination is made in league order,
/// so equal launches give equal bits.
template <class Policy, class Functor, class T, class Operation = Sum>
requires(Impl::is_cluster_policy<Policy>&& std::is_trivially_copyable_v<T>) void parallel_reduce(
    std::string_view label, Policy const& policy, Functor const& functor, T& result,
    Operation operation = {}) {
  Impl::require_kernel_functor<Policy, Functor>();
  Impl::Reduce<typename Policy::target_type>::execute_to_host(label, policy, functor, operation,
                                                              result);
}

/// The same into element 0 of a Buffer, queued in the target's stream.
template <class Policy, class Functor, class T, class Operation = Sum>
requires Impl::is_cluster_policy<Policy>
void parallel_reduce(std::string_view label, Policy const& policy, Functor const& functor,
                     Buffer<T, typename Policy::target_type> const& result,
                     Operation operation = {}) {
  Impl::require_kernel_functor<Policy, Functor>();
  if (result.size() < 1)
    throw std::invalid_argument("kohort: parallel_reduce needs a Buffer of 1 element or more");
  Impl::Reduce<typename Policy::target_type>::execute(label, policy, functor, operation,
                                                      result.data());
}

}  // namespace kohort
