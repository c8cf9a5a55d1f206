// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: scratch is raw memory: nobody would run the destructor of its type
#include <kohort/kohort.hpp>

#include <string>

#ifdef KOHORT_CONTROL
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::TeamScratch<int[4]>>;
#else
using Policy = kohort::ClusterPolicy<kohort::Simulator, kohort::TeamScratch<std::string>>;
#endif

void launch(kohort::Simulator const& target) { Policy const policy(target, 4, 32); }
