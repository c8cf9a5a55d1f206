// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a team has 1 to 1024 threads
#include <kohort/kohort.hpp>

#ifdef KOHORT_CONTROL
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::LaunchBounds<1024>>;
#else
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::LaunchBounds<1025>>;
#endif

void launch(kohort::Simulator const& target) { Policy const policy(target, 4, 32); }
