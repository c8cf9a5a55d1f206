// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a cluster's extents are at least one
#include <kohort/kohort.hpp>

#ifdef KOHORT_CONTROL
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::ClusterDims<1>>;
#else
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::ClusterDims<0>>;
#endif

void launch(kohort::Simulator const& target) { Policy const policy(target, 4, 32); }
