// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/launch.hpp>

#include <type_traits>

/// What Kokkos::parallel_for and parallel_reduce make of our policy.
namespace Kokkos::Impl {

template <class Functor, class Space, class... Traits>
class ParallelFor<Functor, kohort::ClusterPolicy<Space, Traits...>, Space> {
  using Policy = kohort::ClusterPolicy<Space, Traits...>;

 public:
  ParallelFor(Functor const& functor, Policy const& policy)
      : functor_(functor), policy_(kohort::Impl::shaped(policy, functor)) {}

  void execute() const {
    if (policy_.league().count() == 0) return;
    kohort::Impl::declare_shape<Functor>(policy_);
    if (policy_.vector_length() == 1) {
      kohort::Impl::launch_for<true>(policy_, functor_);
    } else {
      kohort::Impl::launch_for<false>(policy_, functor_);
    }
  }

 private:
  Functor functor_;
  Policy policy_;
};

template <class FunctorReducer, class Space, class... Traits>
class ParallelReduce<FunctorReducer, kohort::ClusterPolicy<Space, Traits...>, Space> {
  using Policy = kohort::ClusterPolicy<Space, Traits...>;
  using Reducer = typename FunctorReducer::reducer_type;
  using Value = typename Reducer::value_type;
  static_assert(
      !std::is_pointer_v<typename Reducer::reference_type>,
      "kohort: parallel_reduce over a ClusterPolicy takes no arrays (value_type[]): reduce "
      "a struct of at most 32 B, or add to a View by atomics");
  static_assert(
      std::is_trivially_copyable_v<Value> && sizeof(Value) <= 32,
      "kohort: parallel_reduce over a ClusterPolicy takes values that are trivially "
      "copyable and at most 32 B; reduce larger ones in parts, or into a View by atomics");

 public:
  template <class ViewType>
  ParallelReduce(FunctorReducer const& functor_reducer, Policy const& policy,
                 ViewType const& result)
      : is_on_host_(SpaceAccessibility<HostSpace, typename ViewType::memory_space>::accessible),
        functor_reducer_(functor_reducer),
        policy_(kohort::Impl::shaped(policy, functor_reducer.get_functor())),
        result_(result.data()),
        is_on_device_(SpaceAccessibility<Space, typename ViewType::memory_space>::accessible) {
    static_assert(SpaceAccessibility<Space, typename ViewType::memory_space>::accessible ||
                      SpaceAccessibility<HostSpace, typename ViewType::memory_space>::accessible,
                  "kohort: the result of parallel_reduce lies where neither the policy's space nor "
                  "the host reaches it");
  }

  void execute() const {
    kohort::Impl::LaunchOperation<Reducer> const operation{functor_reducer_.get_reducer()};
    auto const& functor = functor_reducer_.get_functor();
    if (policy_.league().count() == 0) return store_nothing(operation);
    kohort::Impl::declare_shape<typename FunctorReducer::functor_type>(policy_);
    Value unwanted{};  // where a functor's final() is all that is asked for
    Value* const result = result_ != nullptr ? result_ : &unwanted;
    bool const is_on_device = result_ != nullptr ? is_on_device_ : false;
    if (policy_.vector_length() == 1) {
      kohort::Impl::launch_reduce<true>(policy_, functor, operation, result, is_on_device);
    } else {
      kohort::Impl::launch_reduce<false>(policy_, functor, operation, result, is_on_device);
    }
  }

 private:
  /// What a league of no team finds.
  void store_nothing(kohort::Impl::LaunchOperation<Reducer> const& operation) const {
    Value value = operation.template identity<Value>();
    operation.finish(value);
    if (result_ == nullptr) return;
    if (is_on_host_) {
      *result_ = value;
    } else {
      using Result = View<Value, typename Space::memory_space, MemoryUnmanaged>;
      deep_copy(policy_.space(), Result(result_), value);
    }
  }

  bool is_on_host_;
  FunctorReducer functor_reducer_;
  Policy policy_;
  Value* result_;
  bool is_on_device_;
};

}  // namespace Kokkos::Impl
