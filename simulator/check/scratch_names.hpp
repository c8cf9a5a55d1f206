// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace kohort::simulator {

struct ClusterState;

/// The scratch object at `address`, which is in the cluster's arena, as a thread of team `accessor`
/// would call it: "cluster_scratch [3]", "team 1's cluster_scratch byte 8 of 64".
std::string name_of_scratch(ClusterState const& cluster, std::byte const* address, int accessor);

}  // namespace kohort::simulator
