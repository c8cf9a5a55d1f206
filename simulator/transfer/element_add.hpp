// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/transfers.hpp>

namespace kohort::simulator {

/// Adds `count` numbers to memory that other workers add to as well: each is one atomic addition.
void add_elements(TileElement element, std::byte* memory, std::byte const* numbers, int count);

}  // namespace kohort::simulator
