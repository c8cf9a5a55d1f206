// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../report/report.hpp"

namespace kohort::simulator {

/// A row for each place that threads of `team` (-1: of every team) wait at or have gone to, with
/// how many of how many, and which.
void add_waiting_rows(Report& report, ClusterState const& cluster, int team);

}  // namespace kohort::simulator
