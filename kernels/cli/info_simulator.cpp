// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/cli/progress.hpp>
#include <kernels/cli/registry.hpp>
#include <kohort/simulator/group_map.hpp>
#include <kohort/simulator/placement.hpp>
#include <kohort/simulator/profile.hpp>

#include <kernels/cli/commands.hpp>

namespace kohort::cli {
namespace {

DeviceInfo info(std::string const& profile_name) {
  simulator::DeviceProfile const* found = nullptr;
  try {
    found = &simulator::find_profile(profile_name);
  } catch (simulator::ProfileError const& error) {
    throw UsageError(std::string("--profile: ") + error.what());
  }
  simulator::DeviceProfile const& profile = *found;
  DeviceInfo result;
  result.name = profile.title;
  result.sm_groups = profile.sm_groups;
  result.sm_count = profile.sm_count();
  result.max_portable_cluster = profile.max_portable_cluster;
  result.max_cluster_size = profile.max_nonportable_cluster;
  for (int teams : {1, 2, 8}) {
    if (teams > profile.max_teams_per_sm) continue;
    for (int size = 1; size <= 16; ++size)
      result.max_active_clusters[std::to_string(teams)].push_back(
          simulator::max_active_clusters(profile, teams, size));
  }
  result.drawing = simulator::draw_group_map(profile, terminal_columns());
  return result;
}

[[maybe_unused]] bool const registered =
    register_info("simulator", simulator::builtin_profile_names(), info);

}  // namespace
}  // namespace kohort::cli
