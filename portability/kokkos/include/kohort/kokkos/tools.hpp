// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/space_target.hpp>

#include <cstdint>
#include <string>
#include <typeinfo>

namespace kohort::Impl {

/// Kokkos tells a launch's label to its tools alone, and the simulator's reports want it. So on
/// builds without a device we listen as a tool does, and pass on to the tool that is loaded. With a
/// device we do not: a tool makes each launch wait, unless it says otherwise.
class LabelListener {
 public:
  /// The label of the parallel pattern that this host thread is in.
  static std::string& current() {
    static thread_local std::string label;
    return label;
  }

  /// Takes the place of the tool's callbacks, unless it has it already.
  static void listen() {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
    namespace tools = Kokkos::Tools::Experimental;
    tools::EventSet const callbacks = tools::get_callbacks();
    if (callbacks.begin_parallel_for != &begin_for) {
      tool_for() = callbacks.begin_parallel_for;
      tools::set_begin_parallel_for_callback(&begin_for);
    }
    if (callbacks.begin_parallel_reduce != &begin_reduce) {
      tool_reduce() = callbacks.begin_parallel_reduce;
      tools::set_begin_parallel_reduce_callback(&begin_reduce);
    }
#endif
  }

 private:
  using Begin = Kokkos_Profiling_beginFunction;

  static Begin& tool_for() {
    static Begin callback = nullptr;
    return callback;
  }
  static Begin& tool_reduce() {
    static Begin callback = nullptr;
    return callback;
  }
  static void begin_for(char const* name, std::uint32_t device, std::uint64_t* id) {
    current() = name;
    if (tool_for() != nullptr) tool_for()(name, device, id);
  }
  static void begin_reduce(char const* name, std::uint32_t device, std::uint64_t* id) {
    current() = name;
    if (tool_reduce() != nullptr) tool_reduce()(name, device, id);
  }
};

/// What the core calls the launch: Kokkos' label where it is known, else the functor's type.
template <class Functor>
std::string const& launch_label() {
  static std::string const type = typeid(Functor).name();
  std::string const& label = LabelListener::current();
  return label.empty() ? type : label;
}

/// Tells a loaded tool what no tool can print of a foreign policy.
template <class Policy>
void declare_shape(Policy const& policy) {
  if (!Kokkos::Tools::profileLibraryLoaded()) return;
  std::string const shape = to_string(policy.cluster_size());
  Kokkos::Tools::declareMetadata("kohort cluster of " + LabelListener::current(), shape);
}

}  // namespace kohort::Impl
