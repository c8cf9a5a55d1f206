// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this unit has no backend for the target: enable it (KOHORT_ENABLE_CUDA
#include <kohort/kohort.hpp>

#ifdef KOHORT_CONTROL
using Target = kohort::Simulator;
#else
using Target = kohort::Cuda;
#endif

void make(Target const& target) { kohort::ClusterPolicy<Target> const policy(target, 8, 32); }
