// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/target.hpp>
#include <kohort/backend/emulated/plan.hpp>
#include <kohort/properties.hpp>

#include <algorithm>
#include <vector>

namespace kohort::Impl {

template <>
struct Capability<Simulator> {
  static DeviceProperties of(Simulator const& target) {
    return in_mode(target, target.cluster_mode());
  }

  static DeviceProperties in_mode(Simulator const& target, ClusterMode mode) {
    DeviceProperties const properties = of_hardware(target);
    std::vector<int> const& groups = properties.domains;
    int const domain_sms = target.profile().l2_is_per_group
                               ? *std::max_element(groups.begin(), groups.end())
                               : properties.sm_count;
    return mode == ClusterMode::emulated ? emulated_properties(properties, domain_sms) : properties;
  }

 private:
  static DeviceProperties of_hardware(Simulator const& target) {
    simulator::DeviceProfile const& profile = target.profile();
    DeviceProperties properties;
    properties.target = "Simulator";
    properties.device = profile.name;
    properties.sm_count = profile.sm_count();
    properties.domains = profile.sm_groups;
    if (profile.l2_is_per_group) properties.l2_caches = static_cast<int>(profile.sm_groups.size());
    properties.subgroup_size = profile.subgroup_size;
    properties.max_team_size = profile.max_threads_per_team;
    properties.max_threads_per_sm = profile.max_threads_per_sm;
    properties.max_teams_per_sm = profile.max_teams_per_sm;
    properties.max_team_scratch_bytes = profile.max_scratch_bytes_per_team;
    properties.scratch_bytes_per_sm = profile.scratch_bytes_per_sm;
    properties.largest_portable_cluster = profile.max_portable_cluster;
    properties.largest_nonportable_cluster = profile.max_nonportable_cluster;
    properties.has_dsmem = profile.has_dsmem;
    properties.has_multicast = profile.has_multicast;
    properties.has_work_queue = profile.has_work_queue;
    properties.has_pair_mma = profile.has_pair_mma;
    return properties;
  }
};

}  // namespace kohort::Impl
