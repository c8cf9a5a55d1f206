// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/shape.hpp>

#include <cuda_runtime.h>

namespace kohort::Impl {

inline cudaLaunchAttribute cluster_attribute(ClusterShape const& shape) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = shape.x;
  attribute.val.clusterDim.y = shape.y;
  attribute.val.clusterDim.z = shape.z;
  return attribute;
}

/// Beside cluster_attribute(), whose shape is then the fallback.
inline cudaLaunchAttribute preferred_cluster_attribute(ClusterShape const& shape) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributePreferredClusterDimension;
  attribute.val.preferredClusterDim.x = shape.x;
  attribute.val.preferredClusterDim.y = shape.y;
  attribute.val.preferredClusterDim.z = shape.z;
  return attribute;
}

/// The launch need not wait for the end of the kernel before it. From compute capability 9.0 on.
inline cudaLaunchAttribute early_attribute() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

/// All teams are resident together, or the launch waits until they can be.
inline cudaLaunchAttribute cooperative_attribute() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  return attribute;
}

}  // namespace kohort::Impl
