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
    if (callbacks.begin_parallel_for == nullptr) tools::set_begin_parallel_for_callback(&begin);
    if (callbacks.begin_parallel_reduce == nullptr)
      tools::set_begin_parallel_reduce_callback(&begin);
    bool const a_tool_listens =
        callbacks.begin_parallel_for != nullptr && callbacks.begin_parallel_for != &begin;
    if (a_tool_listens) current().clear();
#endif
  }

  /// The label of the pattern that this host thread has begun, once.
  static std::string take() { return std::exchange(current(), {}); }

 private:
  static std::string& current() {
    static thread_local std::string label;
    return label;
  }
  static void begin(char const* name, std::uint32_t, std::uint64_t*) { current() = name; }
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
  return label.empty() ? functor_name<Functor>() : label;
}

/// Tells a loaded tool what it can't print of a foreign policy.
template <class Functor, class Policy>
void declare_shape(Policy const& policy) {
  if (Kokkos::Tools::Experimental::get_callbacks().declare_metadata == nullptr) return;
  Kokkos::Tools::declareMetadata("kohort cluster of " + functor_name<Functor>(),
                                 to_string(policy.cluster_size()));
}

}  // namespace kohort::Impl
