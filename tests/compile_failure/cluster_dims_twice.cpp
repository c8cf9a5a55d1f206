// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: ClusterDims is given twice
#include <kohort/kohort.hpp>

#ifdef KOHORT_CONTROL
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::ClusterDims<2>>;
#else
using Policy =
    kohort::ClusterPolicy<kohort::Simulator, kohort::ClusterDims<2>, kohort::ClusterDims<2>>;
#endif

void launch(kohort::Simulator const& target) { Policy const policy(target, 4, 32); }
