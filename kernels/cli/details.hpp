// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/registry.hpp>

#include <nlohmann/json.hpp>
#include <string>

namespace kohort::cli {

/// Adds each detail to `document` under its name; a group becomes an object.
void add_details(nlohmann::ordered_json& document, std::vector<Detail> const& details);

/// A line a detail, its name in front as in the rest of the report.
std::string details_text(std::vector<Detail> const& details);

}  // namespace kohort::cli
