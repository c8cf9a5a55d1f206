// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace kohort {

class Simulator;
class Cuda;
class Hip;

namespace Impl {

/// Completed by each backend for its own target; `false` here turns the use of a target that this
/// unit can't compile for into one sentence.
template <class Target>
inline constexpr bool backend_is_available = false;

/// Takes the place of a target whose backend is absent, so that the sentence stays the one error.
struct NoBackend {
  template <class Target>
  NoBackend(Target const&) {}  // NOLINT
};

#define KOHORT_NO_BACKEND_SENTENCE                                                           \
  "this unit has no backend for the target: enable it (KOHORT_ENABLE_CUDA, "                 \
  "KOHORT_ENABLE_HIP, KOHORT_ENABLE_SIMULATOR) and list the file in kohort_add_kernels(... " \
  "TARGETS ...), so that "                                                                   \
  "the target's own compiler sees it"

template <class Target>
constexpr void require_backend() {
  static_assert(backend_is_available<Target>, KOHORT_NO_BACKEND_SENTENCE);
}

}  // namespace Impl

#if defined(KOHORT_UNIT_TARGET)
/// The target that this unit is being compiled for: kohort_add_kernels() compiles a file once a
/// target, and the file instantiates its kernels for this one.
using UnitTarget = KOHORT_UNIT_TARGET;
#endif

}  // namespace kohort
