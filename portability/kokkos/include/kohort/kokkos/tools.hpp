// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/space_target.hpp>

#include <cxxabi.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <typeinfo>
#include <utility>

namespace kohort::Impl {

/// Kokkos tells a launch's label to its tools alone, and the simulator's reports want it: so where
/// no tool listens, we do. Not on builds with a device, where each launch waits for a tool unless
/// that says otherwise.
class LabelListener {
 public:
  static void listen() {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
    namespace tools = Kokkos::Tools::Experimental;
    tools::EventSet const callbacks = tools::get_callbacks();
    if (callbacks.begin_parallel_for == nullptr && callbacks.end_parallel_for == nullptr) {
      tools::set_begin_parallel_for_callback(&begin);
      tools::set_end_parallel_for_callback(&end);
    }
    if (callbacks.begin_parallel_reduce == nullptr && callbacks.end_parallel_reduce == nullptr) {
      tools::set_begin_parallel_reduce_callback(&begin);
      tools::set_end_parallel_reduce_callback(&end);
    }
#endif
  }

  /// The label of the pattern that this host thread is in, once.
  static std::string take() { return std::exchange(current(), {}); }

 private:
  static std::string& current() {
    static thread_local std::string label;
    return label;
  }
  static void begin(char const* name, std::uint32_t, std::uint64_t*) { current() = name; }
  static void end(std::uint64_t) { current().clear(); }
};

/// The functor's type as it was written.
template <class Functor>
std::string const& functor_name() {
  static std::string const name = [] {
    int status = 0;
    char* const text = abi::__cxa_demangle(typeid(Functor).name(), nullptr, nullptr, &status);
    std::string const found = status == 0 ? text : typeid(Functor).name();
    std::free(text);
    return found;
  }();
  return name;
}

/// What the core calls the launch: Kokkos' label where it is known, else the functor's type.
template <class Functor>
std::string launch_label() {
  std::string label = LabelListener::take();
  // Without a label Kokkos takes the type's name as the compiler spells it.
  bool const is_given = !label.empty() && label.find(typeid(Functor).name()) == std::string::npos;
  return is_given ? label : functor_name<Functor>();
}

/// Tells a loaded tool what it can't print of a foreign policy.
template <class Functor, class Policy>
void declare_shape(Policy const& policy) {
  if (Kokkos::Tools::Experimental::get_callbacks().declare_metadata == nullptr) return;
  Kokkos::Tools::declareMetadata("kohort cluster of " + functor_name<Functor>(),
                                 to_string(policy.cluster_size()));
}

}  // namespace kohort::Impl
