// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/launch.hpp>
#include <kohort/backend/cuda/target.hpp>
#include <kohort/parallel_reduce.hpp>

#include <cuda_runtime.h>

#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

namespace kohort::Impl {

/// What a reduction's stub gets beside the functor.
template <class T, class Operation>
struct ReduceArguments {
  T* partials;       ///< one a team
  unsigned* ticket;  ///< teams that have written theirs; zero before and after
  T* result;
  Operation operation;
};

/// Counts the team in, publishing its partial. @return whether it is the last
template <class T>
KOHORT_FUNCTION bool take_ticket([[maybe_unused]] T* partial, [[maybe_unused]] T const& value,
                                 [[maybe_unused]] unsigned* ticket,
                                 [[maybe_unused]] unsigned teams) {
  KOHORT_CUDA_DEVICE_BODY(*partial = value; __threadfence();
                          // Wraps to zero at the last team: ready for the next launch.
                          bool const last = atomicInc(ticket, teams - 1) == teams - 1;
                          __threadfence(); return last;)
}

/// The functor in the place of the user's: the team's contribution, then, in the team that comes
/// last, the combination of all in an order that depends on the launch alone.
template <class Functor, class T, class Operation>
struct LeagueReduction {
  Functor const& functor;
  ReduceArguments<T, Operation> const& arguments;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    T const contribution = team_contribution<T>(member, functor, arguments.operation);
    int const teams = member.league_size();
    bool last = false;
    if (member.team_rank() == 0) {
      last = take_ticket(arguments.partials + member.league_rank(), contribution, arguments.ticket,
                         static_cast<unsigned>(teams));
    }
    if (!member.team_broadcast(last, 0, site())) return;
    T combined = arguments.operation.template identity<T>();
    for (int team = member.team_rank(); team < teams; team += member.team_size()) {
      combined = arguments.operation(combined, arguments.partials[team]);
    }
    combined = member.team_reduce(combined, arguments.operation, site());
    if (member.team_rank() != 0) return;
    finish_total(arguments.operation, combined);
    *arguments.result = combined;
  }

  static constexpr KOHORT_FUNCTION CallSite site() { return {"parallel_reduce", 0}; }
};

struct ReduceLeague {
  template <class Member, class Functor, class T, class Operation, class... Rest>
  static KOHORT_FUNCTION void run(Member const& member, Functor const& functor,
                                  ReduceArguments<T, Operation> const& arguments, Rest const&...) {
    member.run(LeagueReduction<Functor, T, Operation>{functor, arguments});
  }
};

/// One launch a reduction.
template <>
struct Reduce<Cuda> {
  template <class Policy, class Functor, class Operation, class T>
  static void execute(std::string_view label, Policy const& policy, Functor const& functor,
                      Operation const& operation, T* device_result) {
    CudaState& state = state_of(policy.target());
    DeviceGuard const guard(state.device);
    long long const teams = policy.request().league.count();
    // A league that the launch refuses below gets no memory first.
    std::size_t const slots = teams > 0 && teams <= 2147483647LL ? teams : 1;
    auto* const partials = static_cast<T*>(state.workspace.partials(slots * sizeof(T)));
    ReduceArguments<T, Operation> const arguments{partials, state.workspace.ticket(), device_result,
                                                  operation};
    launch_with<Policy, ReduceLeague>(label, policy, functor, arguments);
  }

  /// The device writes the result into pinned host memory.
  template <class Policy, class Functor, class Operation, class T>
  static void execute_to_host(std::string_view label, Policy const& policy, Functor const& functor,
                              Operation const& operation, T& result) {
    static_assert(sizeof(T) <= ReduceWorkspace::host_result_bytes,
                  "a reduction's value is at most 64 B");
    CudaState& state = state_of(policy.target());
    std::lock_guard const lock(state.workspace.host_result_in_use());
    auto const require = [&](cudaError_t error) {
      if (error != cudaSuccess)
        throw_device_error("parallel_reduce \"" + std::string(label) + "\"", state, error);
    };
    require(require_no_capture(state));
    void* const slot = state.workspace.host_result();
    execute(label, policy, functor, operation, static_cast<T*>(slot));
    require(cudaStreamSynchronize(state.stream));
    state.log.clear();
    std::memcpy(&result, slot, sizeof(T));
  }
};

}  // namespace kohort::Impl
