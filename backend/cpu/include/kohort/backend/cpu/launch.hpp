// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/emulated_memory.hpp>
#include <kohort/backend/cpu/residency.hpp>
#include <kohort/backend/cpu/thread.hpp>
#include <kohort/backend/emulated/run.hpp>
#include <kohort/parallel_for.hpp>
#include <kohort/simulator/launch.hpp>

#include <string>
#include <string_view>

namespace kohort::Impl {

template <>
struct Launch<Simulator> {
  template <class Policy, class Functor>
  static void execute(std::string_view label, Policy const& policy, Functor const& functor) {
    ResolvedSimulation const launch = Residency<Simulator>::resolved(policy);
    require_accepted(label, policy.target(), launch);
    Kernel<Functor> kernel{functor, launch.request.dynamic_team_count,
                           launch.request.dynamic_cluster_count};
    simulator::LaunchShape shape = shape_of<Policy>(label, launch);
    if (launch.emulated) {
      emulate(policy.target(), launch, shape, &run_emulated_thread<Policy, Functor>,
              kernel.emulated, &kernel);
    } else {
      simulate(policy.target(), shape, &run_functor<Policy, Functor>, &kernel);
    }
  }

 private:
  /// Whether the compiler calls the checker's hooks from this unit (cmake/KohortCheck.cmake).
#if defined(__SANITIZE_THREAD__)
  static constexpr bool is_instrumented = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  static constexpr bool is_instrumented = true;
#else
  static constexpr bool is_instrumented = false;
#endif
#else
  static constexpr bool is_instrumented = false;
#endif

  template <class Object>
  static void add_object(simulator::LaunchShape& shape, char const* name, std::size_t offset,
                         std::size_t count, bool is_mapped) {
    using Element = std::remove_all_extents_t<Object>;
    std::size_t const bytes = scratch_size<Object> * count;
    if (bytes > 0)
      shape.scratch_objects.push_back({name, offset, bytes, sizeof(Element), is_mapped});
  }

  /// The policy's scratch as the simulator lays it out; of an emulated launch the team's own part.
  template <class Traits>
  static void add_objects(simulator::LaunchShape& shape, ResolvedSimulation const& launch) {
    using Padded = LayoutOf<Traits, scratch_gap<Simulator>>;
    using PaddedTeam = TeamLayoutOf<Traits, scratch_gap<Simulator>>;
    LaunchRequest const& request = launch.request;
    auto const teams = static_cast<std::size_t>(request.dynamic_team_count);
    auto const clusters = static_cast<std::size_t>(request.dynamic_cluster_count);
    shape.padded_scratch_bytes =
        launch.emulated ? PaddedTeam::bytes(request.dynamic_team_count, 0)
                        : Padded::bytes(request.dynamic_team_count, request.dynamic_cluster_count);
    add_object<typename Traits::team_scratch>(shape, "team_scratch", Padded::team_offset, 1, false);
    if (!launch.emulated) {
      add_object<typename Traits::cluster_scratch>(shape, "cluster_scratch", Padded::cluster_offset,
                                                   1, true);
      add_object<typename Traits::dynamic_cluster_scratch>(
          shape, "dynamic_cluster_scratch", Padded::dynamic_cluster_offset, clusters, true);
    }
    std::size_t const offset =
        launch.emulated ? PaddedTeam::dynamic_team_offset(0)
                        : Padded::dynamic_team_offset(
                              Padded::has_dynamic_cluster ? request.dynamic_cluster_count : 0);
    add_object<typename Traits::dynamic_team_scratch>(shape, "dynamic_team_scratch", offset, teams,
                                                      false);
  }

  /// What a GPU copies to its constant bank.
  template <class Functor>
  struct Kernel {
    Functor functor;
    int dynamic_team_count;
    int dynamic_cluster_count;
    EmulatedLaunch emulated = {};
  };

  /// The functor once, for a thread of an emulated cluster or, with null, of another: one body for
  /// both, because every kernel of a program is compiled here.
  /// @param cluster  an EmulatedCluster<Simulator>
  template <class Policy, class Functor>
  __attribute__((noinline)) static void run_functor(void const* kernel, simulator::Thread& thread,
                                                    void* cluster) {
    auto const& launched = *static_cast<Kernel<Functor> const*>(kernel);
    typename Policy::member_type const member(
        ThreadHandle<Simulator>(thread, launched.dynamic_team_count, launched.dynamic_cluster_count,
                                static_cast<EmulatedCluster<Simulator>*>(cluster)));
    member.run(launched.functor);
  }

  /// A thread of a persistent team.
  template <class Policy, class Functor>
  static void run_emulated_thread(void const* kernel, simulator::Thread& thread, void*) {
    run_persistent(thread, static_cast<Kernel<Functor> const*>(kernel)->emulated,
                   Policy::traits::manual_lifetime, &run_functor<Policy, Functor>, kernel);
  }
  /// Not a lambda: nvcc reads what calls it for the device too, where a host lambda is an error.
  struct EmulatedTask {
    simulator::ThreadFunction run;
    void const* kernel;
    simulator::Thread* thread;

    KOHORT_FUNCTION void operator()(EmulatedCluster<Simulator>& cluster) const {
      run(kernel, *thread, &cluster);
    }
  };
  __attribute__((noinline)) static void run_persistent(simulator::Thread& thread,
                                                       EmulatedLaunch const& launch, bool is_manual,
                                                       simulator::ThreadFunction run,
                                                       void const* kernel) {
    EmulatedRun<Simulator>::run(ThreadHandle<Simulator>(thread, 0, 0), launch, is_manual,
                                EmulatedTask{run, kernel, &thread});
  }

  static void require_accepted(std::string_view label, Simulator const& target,
                               ResolvedSimulation const& launch) {
    if (Support const support = Residency<Simulator>::explained(target, launch); !support)
      throw LaunchError(std::string(label), "Simulator (" + target.profile().name + ")",
                        describe(launch.request), support);
  }

  template <class Policy>
  static simulator::LaunchShape shape_of(std::string_view label, ResolvedSimulation const& launch) {
    LaunchRequest const& request = launch.request;
    simulator::LaunchShape shape;
    shape.label = std::string(label);
    for (int d = 0; d < 3; ++d) {
      shape.league[d] = request.league[d];
      shape.cluster[d] = request.cluster[d];
      if (request.has_preferred_cluster) shape.preferred[d] = request.preferred_cluster[d];
    }
    shape.threads = request.team_threads;
    shape.scratch_bytes = static_cast<std::size_t>(request.scratch_bytes);
    shape.scratch_alignment = Policy::layout::alignment;
    add_objects<typename Policy::traits>(shape, launch);
    shape.is_instrumented = is_instrumented;
    shape.manual_lifetime = request.manual_lifetime;
    return shape;
  }

  static simulator::EngineOptions options_of(Simulator const& target) {
    simulator::EngineOptions options = target.engine_options();
    if (auto const overriding = simulator::overriding_schedule()) options.schedule = *overriding;
    return options;
  }

  static void simulate(Simulator const& target, simulator::LaunchShape const& shape,
                       simulator::ThreadFunction function, void const* kernel) {
    target.set_last_counts(simulator::launch(shape, options_of(target), function, kernel));
  }

  /// The persistent teams are clusters of one to the engine; they find together by themselves. They
  /// wait for each other through device memory, so one worker runs them all.
  static void emulate(Simulator const& target, ResolvedSimulation const& resolved,
                      simulator::LaunchShape shape, simulator::ThreadFunction function,
                      EmulatedLaunch& emulated, void const* kernel) {
    LaunchRequest const& request = resolved.request;
    simulator::DeviceProfile const& profile = target.profile();
    std::vector<int> const domain_teams = Residency<Simulator>::domain_teams(request, profile);
    emulated =
        plan_emulated(request, request.cluster, domain_teams, static_cast<int>(domain_teams.size()),
                      resolved.scratch.first_offset, resolved.scratch.block_bytes);
    EmulatedMemory const memory(emulated, resolved.scratch.block_alignment);
    for (int d = 0; d < 3; ++d) {
      shape.cluster[d] = shape.league[d] = 1;
      shape.preferred[d] = 0;
    }
    shape.league[0] = emulated.workers;
    shape.manual_lifetime = false;
    shape.cluster_scope = profile.l2_is_per_group ? simulator::ClusterScopeReach::group
                                                  : simulator::ClusterScopeReach::device;
    simulator::EngineOptions options = options_of(target);
    options.schedule.serial = true;
    LaunchCounts counts = simulator::launch(shape, options, function, kernel);
    memory.require_cleared();
    counts.clusters = emulated.tasks;
    counts.teams = counts.clusters * emulated.size;
    counts.threads = counts.teams * request.team_threads;
    counts.resident_limit = resident_emulated_clusters(domain_teams, emulated.size);
    target.set_last_counts(counts);
  }
};

}  // namespace kohort::Impl
