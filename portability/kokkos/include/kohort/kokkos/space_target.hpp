// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <kohort/kohort.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#if KOKKOS_VERSION < 40400
#error "kohort: the Kokkos plugin needs Kokkos 4.4 or later"
#endif

namespace kohort {

/// The simulator that every host space's ClusterPolicy launches into. Assign to it for another
/// device or mode: `kokkos_simulator() = Simulator({.profile = "tiny"})`. What is not given comes
/// from the environment (KOHORT_SIM_PROFILE and kin).
template <class OnlySimulator = Simulator>  // a template, so that a build without it compiles
OnlySimulator& kokkos_simulator() {
  static OnlySimulator simulator;
  return simulator;
}

namespace Impl {

/// Which target stands for an execution space:
///   using type = the target
///   static type const& of(Space)  for the space instance's queue
template <class Space>
struct SpaceTarget {
  static constexpr bool is_host = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;
  static_assert(is_host,
                "kohort: a ClusterPolicy runs on Kokkos::Cuda or on a host space (Serial, OpenMP, "
                "Threads), which is simulated");
  using type = std::conditional_t<is_host, Simulator, void>;

  static type const& of(Space const&) {
    static bool const told = tell();
    static_cast<void>(told);
    return kokkos_simulator<type>();
  }

 private:
  /// Once a space: nobody expects that OpenMP's threads stay idle.
  static bool tell() {
    char const* const wish = std::getenv("KOHORT_KOKKOS_NOTICE");
    if (wish != nullptr && std::string(wish) == "0") return false;
    std::fprintf(stderr,
                 "kohort: clusters on Kokkos::%s are simulated (%s); KOHORT_SIM_PROFILE chooses "
                 "the device, KOHORT_KOKKOS_NOTICE=0 leaves this line out\n",
                 Space::name(), kokkos_simulator<type>().profile().name.c_str());
    return true;
  }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <>
struct SpaceTarget<Kokkos::Cuda> {
  static_assert(backend_is_available<Cuda>, KOHORT_NO_BACKEND_SENTENCE);
  using type = Cuda;

  /// One handle a stream, because a reduction's workspace belongs to it. Nothing is asked of the
  /// stream, which may be under capture. Kept until the process ends: when a stream ends, nobody
  /// tells, and who comes to have the same handle on the same device may have the same workspace.
  static Cuda const& of(Kokkos::Cuda const& space) {
    static auto* const handles = new Handles;
    std::pair const key(space.cuda_device(), space.cuda_stream());
    std::lock_guard const lock(handles->mutex);
    auto const found = handles->by_stream.find(key);
    if (found != handles->by_stream.end()) return found->second;
    OutsideCapture const outside;
    return handles->by_stream.try_emplace(key, key.second, key.first).first->second;
  }

 private:
  struct Handles {
    std::mutex mutex;
    std::map<std::pair<int, cudaStream_t>, Cuda> by_stream;
  };
};
#endif

}  // namespace Impl
}  // namespace kohort
