// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: prefer() varies the cluster's size within a league: leave out ClusterDims
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::ClusterDims<2>>;

void launch(kohort::Simulator const& target) {
  Policy policy(target, 8, 32);
#ifdef KOHORT_CONTROL
  policy.allow_nonportable_size();
#else
  policy.prefer(4, 2);
#endif
}
