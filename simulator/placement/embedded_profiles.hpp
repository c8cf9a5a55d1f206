// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace kohort::simulator::Impl {

/// One file of simulator/profiles, as text.
struct EmbeddedProfile {
  std::string_view name;  ///< the file's name without ".toml"
  std::string_view text;
};

/// Every profile of the library, sorted by name. Defined by a generated file: see
/// cmake/EmbedProfiles.cmake.
std::span<EmbeddedProfile const> embedded_profiles();

}  // namespace kohort::simulator::Impl
