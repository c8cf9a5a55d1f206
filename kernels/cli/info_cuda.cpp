// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled for the target cuda alone: `kohort info` of a real device.
#include <kernels/cli/nothing.hpp>
#include <kernels/cli/registry.hpp>

#include <string>
#include <vector>

namespace kohort::cli {
namespace {

/// A kernel of which an SM holds `teams` teams: by all of its scratch for one, by its threads for
/// two, by a share of its scratch for more.
PolicyOfNothing occupying(UnitTarget const& target, DeviceProperties const& device, int teams,
                          int cluster) {
  constexpr int reserved = 1024;  // the device's own share of a team's scratch
  if (teams == 1)
    return policy_of_nothing(target, cluster, 1024,
                             static_cast<int>(device.max_team_scratch_bytes));
  if (teams == 2) return policy_of_nothing(target, cluster, device.max_threads_per_sm / 2, 0);
  return policy_of_nothing(target, cluster, 128,
                           static_cast<int>(device.scratch_bytes_per_sm / teams) - reserved);
}

std::vector<int> resident_clusters(UnitTarget const& target, DeviceProperties const& device,
                                   int teams) {
  std::vector<int> clusters;
  for (int size = 1; size <= 16; ++size) {
    clusters.push_back(size > device.largest_nonportable_cluster
                           ? 0
                           : occupying(target, device, teams, size).max_active_clusters(Nothing{}));
  }
  return clusters;
}

std::string join(std::vector<int> const& values) {
  std::string text;
  for (int value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

std::string draw(DeviceInfo const& info, DeviceProperties const& device) {
  std::string text = info.name + " (this machine's device, asked now)\n  " +
                     std::to_string(info.sm_count) + " SMs, " +
                     std::to_string(device.scratch_bytes_per_sm / 1024) +
                     " KB shared memory an SM\n  SM groups that host clusters   " +
                     join(info.sm_groups) + "\n  resident clusters of 1 … 16 teams\n";
  for (auto const& [teams, clusters] : info.max_active_clusters)
    text += "    " + teams + " a SM   " + join(clusters) + "\n";
  return text + "  largest cluster " + std::to_string(info.max_portable_cluster) + " portable, " +
         std::to_string(info.max_cluster_size) + " by allow_nonportable_size()\n";
}

DeviceInfo info(std::string const&) {
  UnitTarget const target;
  DeviceProperties const device = properties(target);
  DeviceInfo result;
  result.name = device.device;
  result.sm_count = device.sm_count;
  result.max_portable_cluster = device.largest_portable_cluster;
  result.max_cluster_size = device.largest_nonportable_cluster;
  for (int teams : {1, 2, 8})
    result.max_active_clusters[std::to_string(teams)] = resident_clusters(target, device, teams);
  result.sm_groups = probe_domains(target);
  result.drawing = draw(result, device);
  return result;
}

[[maybe_unused]] bool const registered = register_info("cuda", {}, info);

}  // namespace
}  // namespace kohort::cli
