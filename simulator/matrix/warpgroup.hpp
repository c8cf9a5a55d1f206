// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../order/agents.hpp"
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
  std::array<void*, warpgroup_threads> values{};                  ///< each thread's part of C
  std::array<std::uint32_t const*, warpgroup_threads> a_words{};  ///< and of A, if in registers
  // In check mode:
  std::size_t lane = ~std::size_t{0};  ///< its agents' (ClusterOrder::no_lane: none yet)
  std::vector<Agent> begun;
};

/// Bytes of B: MN-major, it is blocks of 64 columns.
inline std::size_t b_bytes_of(MatrixProduct const& product) {
  int const rows = product.b_is_mn_major ? (product.columns + 63) / 64 * 64 : product.columns;
  return static_cast<std::size_t>(rows) * 128;
}

/// A tile of A that came from registers, as scratch would have it.
struct alignas(1024) OperandTile {
  std::array<std::byte, std::size_t{product_rows} * 128> bytes;
};

/// The meetings of a cluster, by team and warpgroup, and what products are computed in.
struct WarpgroupMeetings {
  std::vector<WarpgroupMeeting> meetings;
  std::unique_ptr<OperandTile> gathered;
  std::unique_ptr<PlainProduct<float>> floats;
  std::unique_ptr<PlainProduct<std::int32_t>> integers;
};

}  // namespace kohort::simulator
