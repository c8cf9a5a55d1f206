// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: LaunchBounds is given twice
#include <kohort/kohort.hpp>

#ifdef KOHORT_CONTROL
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::LaunchBounds<64>>;
#else
using Policy =
    kohort::ClusterPolicy<kohort::Simulator, kohort::LaunchBounds<64>, kohort::LaunchBounds<32>>;
#endif

void launch(kohort::Simulator const& target) { Policy const policy(target, 4, 32); }
