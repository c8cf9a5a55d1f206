// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled for the target hip alone: `kohort info` of a real AMD device.
#include <kernels/cli/nothing.hpp>
#include <kernels/cli/registry.hpp>

#include <string>
#include <vector>

namespace kohort::cli {
namespace {

/// A kernel of which a compute unit holds `teams` teams, by their scratch.
int resident_clusters(UnitTarget const& target, DeviceProperties const& device, int teams,
                      int size) {
  if (size > device.largest_nonportable_cluster) return 0;
  constexpr int reserved = 1024;  // the library's own words, in whole units of LDS
  PolicyOfNothing policy = policy_of_nothing(
      target, size, 256, static_cast<int>(device.scratch_bytes_per_sm / teams) - reserved);
  policy.mode(ClusterMode::emulated);
  return policy.max_active_clusters(Nothing{});
}

/// One line a fact, as Kokkos prints its devices.
std::string draw(DeviceInfo const& info, DeviceProperties const& device,
                 Impl::HipFacts const& facts) {
  std::string xcds;
  for (int const units : info.sm_groups) xcds += (xcds.empty() ? "" : ", ") + std::to_string(units);
  std::string text = "Kohort::Hip device " + info.name + " : " + facts.architecture + "\n" +
                     "  XCDs                  " + std::to_string(facts.xcds) +
                     " (asked of the hardware now)\n" + "  compute units an XCD  " + xcds + "\n" +
                     "  wavefront             " + std::to_string(device.subgroup_size) + "\n" +
                     "  LDS a compute unit    " +
                     std::to_string(device.scratch_bytes_per_sm / 1024) + " KB\n" +
                     "  clusters              emulated, each within an XCD; largest " +
                     std::to_string(info.max_portable_cluster) + " portable, " +
                     std::to_string(info.max_cluster_size) + " by allow_nonportable_size()\n" +
                     "  resident clusters of 1 … 16 teams\n";
  for (auto const& [teams, clusters] : info.max_active_clusters) {
    text += "    " + teams + " a unit ";
    for (int const count : clusters) text += " " + std::to_string(count);
    text += "\n";
  }
  return text;
}

DeviceInfo info(std::string const&) {
  UnitTarget const target;
  DeviceProperties const device = properties(target);
  DeviceInfo result;
  result.name = device.device;
  result.sm_groups = device.domains;
  result.sm_count = device.sm_count;
  result.max_portable_cluster = device.largest_portable_cluster;
  result.max_cluster_size = device.largest_nonportable_cluster;
  for (int const teams : {1, 2, 8}) {
    std::vector<int>& clusters = result.max_active_clusters[std::to_string(teams)];
    for (int size = 1; size <= 16; ++size)
      clusters.push_back(resident_clusters(target, device, teams, size));
  }
  result.drawing = draw(result, device, Impl::hip_facts(target.device()));
  return result;
}

[[maybe_unused]] bool const registered = register_info("hip", {}, info);

}  // namespace
}  // namespace kohort::cli
