// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/registry.hpp>

#include <string>

namespace kohort::cli {

/// The counts as a sentence; what is zero is left out.
std::string counts_text(Outcome const& outcome);

}  // namespace kohort::cli
