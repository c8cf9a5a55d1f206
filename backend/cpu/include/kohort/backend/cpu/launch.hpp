// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/residency.hpp>
#include <kohort/backend/cpu/thread.hpp>
#include <kohort/parallel_for.hpp>
#include <kohort/simulator/launch.hpp>

#include <string>
#include <string_view>

namespace kohort::Impl {

template <>
struct Launch<Simulator> {
  template <class Policy, class Functor>
  static void execute(std::string_view label, Policy const& policy, Functor const& functor) {
    simulator::LaunchShape const shape = accepted_shape(label, policy, functor);
    simulator::EngineOptions options = policy.target().engine_options();
    if (auto const overriding = simulator::overriding_schedule()) options.schedule = *overriding;
    Kernel<Functor> const kernel{functor, policy.request().dynamic_team_count,
                                 policy.request().dynamic_cluster_count};
    policy.target().set_last_counts(
        simulator::launch(shape, options, &run_thread<Policy, Functor>, &kernel));
  }

 private:
  /// What a GPU copies to its constant bank.
  template <class Functor>
  struct Kernel {
    Functor functor;
    int dynamic_team_count;
    int dynamic_cluster_count;
  };

  template <class Policy, class Functor>
  static void run_thread(void const* kernel, simulator::Thread& thread) {
    auto const& launched = *static_cast<Kernel<Functor> const*>(kernel);
    typename Policy::member_type const member(ThreadHandle<Simulator>(
        thread, launched.dynamic_team_count, launched.dynamic_cluster_count));
    member.run(launched.functor);
  }

  template <class Policy, class Functor>
  static simulator::LaunchShape accepted_shape(std::string_view label, Policy const& policy,
                                               Functor const& functor) {
    simulator::DeviceProfile const& profile = policy.target().profile();
    LaunchRequest const request = Residency<Simulator>::resolved(policy.request(), profile);
    Support const support = Residency<Simulator>::validate(policy, functor);
    if (!support)
      throw LaunchError(std::string(label), "Simulator (" + profile.name + ")", describe(request),
                        support);
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
    shape.manual_lifetime = request.manual_lifetime;
    return shape;
  }
};

}  // namespace kohort::Impl
