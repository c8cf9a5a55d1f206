// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/cluster_policy.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

namespace kohort::Impl {

/// A Kokkos functor as the core calls it. With `OneLane` the compiler knows that a thread is one
/// lane, and nothing of vector lengths is left in the kernel.
template <class Policy, class Functor, bool OneLane>
struct KokkosBody {
  using Member = typename Policy::member_type;

  Functor functor;
  KokkosLaunch launch;

  template <class CoreMember>
  KOHORT_FUNCTION void operator()(CoreMember const& core) const {
    call(entered(core));
  }

 protected:
  template <class CoreMember>
  KOHORT_FUNCTION Member const& entered(CoreMember const& core) const {
    auto const& member = static_cast<Member const&>(core);
    KokkosLaunch told = launch;
    if constexpr (OneLane) told.vector_shift = 0;
    member.begin(told);
    return member;
  }
  template <class... Update>
  KOHORT_FUNCTION void call(Member const& member, Update&... update) const {
    if constexpr (std::is_void_v<typename Policy::work_tag>) {
      static_assert(std::is_invocable_v<Functor const&, Member const&, Update&...>,
                    "kohort: the functor is called as functor(Policy::member_type const& member), "
                    "of a reduction with a second argument, T& update. It is const, and takes the "
                    "member by const reference: members are not copied");
      functor(member, update...);
    } else {
      using Tag = typename Policy::work_tag;
      static_assert(std::is_invocable_v<Functor const&, Tag, Member const&, Update&...>,
                    "kohort: the functor is called as functor(Tag(), Policy::member_type const& "
                    "member), of a reduction with a third argument, T& update. It is const, and "
                    "takes the member by const reference: members are not copied");
      functor(Tag(), member, update...);
    }
  }
};

/// The same of a reduction. All lanes of a thread have its update; it counts once.
template <class Policy, class Functor, class Operation, bool OneLane>
struct KokkosReduceBody : KokkosBody<Policy, Functor, OneLane> {
  Operation operation;

  KokkosReduceBody(Functor const& functor, KokkosLaunch const& launch, Operation const& operation_)
      : KokkosBody<Policy, Functor, OneLane>{functor, launch}, operation(operation_) {}

  template <class CoreMember, class Update>
  KOHORT_FUNCTION void operator()(CoreMember const& core, Update& update) const {
    auto const& member = this->entered(core);
    this->call(member, update);
    update = member.of_first_lane(update, operation);
  }
};

/// A reduction's functor as a kernel that can be asked about.
template <class Policy, class Functor, bool OneLane>
struct AskedReduction : KokkosBody<Policy, Functor, OneLane> {
  using Value =
      typename Kokkos::Impl::FunctorAnalysis<Kokkos::Impl::FunctorPatternInterface::REDUCE, Policy,
                                             Functor, void>::value_type;

  template <class CoreMember>
  KOHORT_FUNCTION void operator()(CoreMember const& core) const {
    Value update{};
    this->call(this->entered(core), update);
  }
};

/// Calls `question(body)` with the functor as the kernel that a launch would run.
template <class Policy, class Functor, class Tag, class Question>
int ask_about(Policy const& policy, Functor const& functor, Tag, Question const& question) {
  if constexpr (std::is_same_v<Tag, Kokkos::ParallelReduceTag>) {
    if (policy.vector_length() == 1)
      return question(AskedReduction<Policy, Functor, true>{{functor, {}}});
    return question(AskedReduction<Policy, Functor, false>{{functor, {}}});
  } else {
    if (policy.vector_length() == 1)
      return question(KokkosBody<Policy, Functor, true>{functor, {}});
    return question(KokkosBody<Policy, Functor, false>{functor, {}});
  }
}

/// For what does not depend on the functor but for its registers.
struct EmptyBody {
  template <class CoreMember>
  KOHORT_FUNCTION void operator()(CoreMember const&) const {}
};

/// What the functor's team_shmem_size() asks for, if it has one.
template <class Policy, class Functor>
std::size_t functor_bytes(Policy const& policy, Functor const& functor, int lanes) {
  return static_cast<std::size_t>(
      Kokkos::Impl::FunctorTeamShmemSize<Functor>::value(functor, lanes / policy.vector_length()));
}

/// The most lanes up to `most`, whole vectors, of which a cluster fits; 0 if none do.
template <class Policy, class Functor, class Body>
int fitting_lanes(Policy const& policy, Functor const& functor, Body const& body, int most) {
  int const vector = policy.vector_length();
  int const step = std::max(32, vector);
  int lanes = most > step ? most / step * step : most / vector * vector;
  while (lanes > 0) {
    auto const core = policy.core(lanes, functor_bytes(policy, functor, lanes));
    if (core.max_active_clusters(body) > 0) return lanes;
    lanes -= lanes > step ? step : vector;
  }
  return 0;
}

template <class Policy, class Functor>
int recommended_cluster_of(Policy const& policy, Functor const& functor) {
  int const lanes = policy.lanes();
  std::size_t const bytes = functor_bytes(policy, functor, lanes);
  int const most = policy.core(lanes, bytes).max_cluster_size(EmptyBody{});
  int size = 1;
  while (size * 2 <= most) size *= 2;
  for (; size > 1; size /= 2) {
    if (policy.league().x % size != 0) continue;
    Policy tried = policy;
    tried.set_cluster_size(ClusterShape{size});
    if (tried.core(lanes, bytes).max_active_clusters(EmptyBody{}) > 0) return size;
  }
  return 1;
}

/// The policy with what was left to the library filled in: a team that fits, then a cluster.
template <class Policy, class Functor>
Policy shaped(Policy policy, Functor const& functor) {
  if (policy.team_size() == 0) {
    int const fitting = fitting_lanes(policy, functor, EmptyBody{}, policy.lanes());
    policy.set_lanes(fitting > 0 ? fitting : policy.lanes());  // the launch says why none fits
  }
  if (policy.cluster_is_automatic())
    policy.set_cluster_size(ClusterShape{recommended_cluster_of(policy, functor)});
  return policy;
}

template <class Policy, class Functor>
int recommended_cluster(Policy policy, Functor const& functor) {
  policy.set_cluster_size(AUTO);
  return static_cast<int>(shaped(policy, functor).cluster_size().count());
}

template <class Policy, class Functor, class Tag>
int largest_team(Policy const& unshaped, Functor const& functor, Tag tag) {
  Policy const policy = shaped(unshaped, functor);
  constexpr int bound = Policy::core_policy::traits::launch_bounds_threads;
  return ask_about(policy, functor, tag, [&](auto const& body) {
    return fitting_lanes(policy, functor, body, bound > 0 ? bound : 1024) / policy.vector_length();
  });
}

template <class Policy, class Functor, class Tag>
int recommended_team(Policy const& unshaped, Functor const& functor, Tag tag) {
  Policy const policy = shaped(unshaped, functor);
  int const most = largest_team(policy, functor, tag) * policy.vector_length();
  return ask_about(policy, functor, tag, [&](auto const& body) {
    int best = most;
    long long resident = 0;
    for (int lanes = 128; lanes <= most; lanes *= 2) {
      auto const core = policy.core(lanes, functor_bytes(policy, functor, lanes));
      long long const here = core.max_active_clusters(body) * policy.cluster_size().count() *
                             static_cast<long long>(lanes);
      if (here <= resident) continue;
      resident = here;
      best = lanes;
    }
    return best / policy.vector_length();
  });
}

template <class Policy, class Functor, class Tag>
int largest_cluster_of(Policy const& unshaped, Functor const& functor, Tag tag) {
  Policy const policy = shaped(unshaped, functor);
  int const lanes = policy.lanes();
  return ask_about(policy, functor, tag, [&](auto const& body) {
    return policy.core(lanes, functor_bytes(policy, functor, lanes)).max_cluster_size(body);
  });
}

template <bool OneLane, class Policy, class Functor>
void launch_for(Policy const& policy, Functor const& functor) {
  using Target = typename SpaceTarget<typename Policy::execution_space>::type;
  int const lanes = policy.lanes();
  KokkosBody<Policy, Functor, OneLane> const body{functor, policy.launch(lanes)};
  Launch<Target>::execute(launch_label<Functor>(),
                          policy.core(lanes, functor_bytes(policy, functor, lanes)), body);
}

/// @param is_on_device  kernels can write to `result`; if not, the launch waits and copies
template <bool OneLane, class Policy, class Functor, class Operation, class T>
void launch_reduce(Policy const& policy, Functor const& functor, Operation const& operation,
                   T* result, bool is_on_device) {
  using Target = typename SpaceTarget<typename Policy::execution_space>::type;
  int const lanes = policy.lanes();
  KokkosReduceBody<Policy, Functor, Operation, OneLane> const body(functor, policy.launch(lanes),
                                                                   operation);
  auto const core = policy.core(lanes, functor_bytes(policy, functor, lanes));
  if (is_on_device) {
    Reduce<Target>::execute(launch_label<Functor>(), core, body, operation, result);
  } else {
    Reduce<Target>::execute_to_host(launch_label<Functor>(), core, body, operation, *result);
  }
}

}  // namespace kohort::Impl
