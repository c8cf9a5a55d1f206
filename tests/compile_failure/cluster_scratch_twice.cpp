// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: ClusterScratch is given twice: put both objects into one struct
#include <kohort/kohort.hpp>

#ifdef KOHORT_CONTROL
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::ClusterScratch<int>>;
#else
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::ClusterScratch<int>,
                                     kohort::ClusterScratch<float>>;
#endif

void launch(kohort::Simulator const& target) { Policy const policy(target, 4, 32); }
