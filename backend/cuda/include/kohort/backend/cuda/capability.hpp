// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/target.hpp>
#include <kohort/properties.hpp>

namespace kohort::Impl {

/// As the driver answered once. It does not tell which SMs can share a cluster, so `domains` is
/// empty here; probe_domains() measures them.
template <>
struct Capability<Cuda> {
  static DeviceProperties of(Cuda const& target) {
    CudaState const& state = state_of(target);
    return state.properties_in(state.cluster_mode);
  }
};

}  // namespace kohort::Impl
