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

  /// The policy's scratch as the simulator lays it out.
  template <class Traits>
  static void add_objects(simulator::LaunchShape& shape, LaunchRequest const& request) {
    using Padded = LayoutOf<Traits, scratch_gap<Simulator>>;
    auto const teams = static_cast<std::size_t>(request.dynamic_team_count);
    auto const clusters = static_cast<std::size_t>(request.dynamic_cluster_count);
    shape.padded_scratch_bytes =
        Padded::bytes(request.dynamic_team_count, request.dynamic_cluster_count);
    add_object<typename Traits::team_scratch>(shape, "team_scratch", Padded::team_offset, 1, false);
    add_object<typename Traits::cluster_scratch>(shape, "cluster_scratch", Padded::cluster_offset,
                                                 1, true);
    add_object<typename Traits::dynamic_cluster_scratch>(
        shape, "dynamic_cluster_scratch", Padded::dynamic_cluster_offset, clusters, true);
    add_object<typename Traits::dynamic_team_scratch>(
        shape, "dynamic_team_scratch",
        Padded::dynamic_team_offset(Padded::has_dynamic_cluster ? request.dynamic_cluster_count
                                                                : 0),
        teams, false);
  }

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
    add_objects<typename Policy::traits>(shape, request);
    shape.is_instrumented = is_instrumented;
    shape.manual_lifetime = request.manual_lifetime;
    return shape;
  }
};

}  // namespace kohort::Impl
