// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The corpus on a GPU, one kernel a process: what compute_sanitizer.py runs NVIDIA's tools on.
#include "../corpus/case.hpp"

#include <cstdio>
#include <cstring>
#include <exception>

namespace {

using kohort::UnitTarget;
using kohort::detect::FaultCase;

int list() {
  for (FaultCase<UnitTarget> const& one : kohort::detect::corpus<UnitTarget>())
    std::printf("%s\t%s\t%s\n", one.name.c_str(), one.kind.c_str(), one.expected.c_str());
  return 0;
}

int run(char const* name, bool repaired) {
  for (FaultCase<UnitTarget> const& one : kohort::detect::corpus<UnitTarget>()) {
    if (one.name != name) continue;
    auto* const kernel = repaired && one.repaired != nullptr ? one.repaired : one.faulty;
    try {
      kernel(UnitTarget());
    } catch (std::exception const& error) {
      std::printf("%s\n", error.what());
      return 1;
    }
    return 0;
  }
  std::fprintf(stderr, "there is no case %s\n", name);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) return list();
  if (argc == 2) return run(argv[1], false);
  if (argc == 3 && std::strcmp(argv[2], "--repaired") == 0) return run(argv[1], true);
  std::fprintf(stderr, "usage: kohort_fault_corpus --list | CASE [--repaired]\n");
  return 2;
}
