// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <initializer_list>
#include <string>
#include <vector>

/// The corpus of faults: small kernels with a planted fault, each with its repaired twin, and
/// controls that only look wrong. One body for every target: the simulator must name each fault,
/// and NVIDIA's compute-sanitizer is run on the same ones (docs/results/checker.md).
namespace kohort::detect {

/// A member of the corpus.
template <class Target>
struct FaultCase {
  std::string name;      ///< in words with underscores
  std::string kind;      ///< race, lifetime, barrier, memory, launch; of a control: what it is like
  std::string expected;  ///< the finding's id; "": a control, that is, clean
  std::string source;    ///< "FAULTS 6" for a row of field faults, a project's test, or "own"
  void (*faulty)(Target const&) = nullptr;
  void (*repaired)(Target const&) = nullptr;  ///< null for controls
  /// Whether some schedules don't show it: then the exploration must.
  bool needs_exploration = false;
  /// The profile to run it on, where it is about a device's limits.
  std::string profile = "h200-sxm";
  /// Why the checker does not see it; "": it does.
  std::string missed_because = "";
};

template <class Target>
std::vector<FaultCase<Target>>& corpus() {
  static std::vector<FaultCase<Target>> cases;
  return cases;
}

/// Adds a file's cases while the program starts.
template <class Target>
struct Cases {
  Cases(std::initializer_list<FaultCase<Target>> cases) {
    corpus<Target>().insert(corpus<Target>().end(), cases.begin(), cases.end());
  }
};

/// Device memory of `count` elements of `value`.
template <class T, class Target>
Buffer<T, Target> filled(Target const& target, std::size_t count, T value = T{}) {
  Buffer<T, Target> buffer(target, count);
  deep_copy(buffer, value);
  return buffer;
}

}  // namespace kohort::detect
