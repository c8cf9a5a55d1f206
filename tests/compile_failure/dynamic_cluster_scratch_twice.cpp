// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: DynamicClusterScratch is given twice: carve one array into parts
#include <kohort/kohort.hpp>

#ifdef KOHORT_CONTROL
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::DynamicClusterScratch<int>>;
#else
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::DynamicClusterScratch<int>,
                                     kohort::DynamicClusterScratch<int>>;
#endif

void launch(kohort::Simulator const& target) { Policy const policy(target, 4, 32); }
