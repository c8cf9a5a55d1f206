// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "multiply.hpp"

#include <kohort/simulator/matrix.hpp>

#include <array>
#include <memory>
#include <vector>

namespace kohort::simulator {

/// The threads of a warpgroup that have come to a product.
struct WarpgroupMeeting {
  int arrived = 0;
  MatrixProduct product;  ///< the first thread's
  Site site;
  std::array<void*, warpgroup_threads> values{};  ///< each thread's part of C
};

/// The meetings of a cluster, by team and warpgroup, and what products are computed in.
struct WarpgroupMeetings {
  std::vector<WarpgroupMeeting> meetings;
  std::unique_ptr<PlainProduct<float>> floats;
  std::unique_ptr<PlainProduct<std::int32_t>> integers;
};

}  // namespace kohort::simulator
