// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launching.hpp"

namespace kohort::tests {

/// What tests of copies have in a team's scratch: two tiles, and a phased barrier for each.
struct alignas(128) Stage {
  int tile[2][256];
  TransferBarrier full[2];
};
using Teams = ClusterPolicy<Simulator, TeamScratch<Stage>>;

}  // namespace kohort::tests
