// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/cli/registry.hpp>

namespace kohort::cli {

// A function's static: units register before main(), in any order.
std::map<std::string, TargetEntry>& targets() {
  static std::map<std::string, TargetEntry> entries;
  return entries;
}

bool register_kernel(std::string const& target, Kernel kernel) {
  std::string const name = kernel.name;
  return targets()[target].kernels.emplace(name, std::move(kernel)).second;
}

bool register_info(std::string const& target, std::vector<std::string> profiles,
                   std::function<DeviceInfo(std::string const& profile)> info) {
  TargetEntry& entry = targets()[target];
  entry.profiles = std::move(profiles);
  entry.info = std::move(info);
  return true;
}

}  // namespace kohort::cli
