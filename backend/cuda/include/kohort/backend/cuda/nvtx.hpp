// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/launch_log.hpp>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define KOHORT_CUDA_HAS_NVTX 1
#else
#define KOHORT_CUDA_HAS_NVTX 0
#endif

namespace kohort::Impl {

/// A launch as a range in Nsight's timeline. Without a tool attached, a test of two pointers.
class ProfilerRange {
 public:
#if KOHORT_CUDA_HAS_NVTX
  explicit ProfilerRange(LabelText const& label) { nvtxRangePushA(label.text.data()); }
  ~ProfilerRange() { nvtxRangePop(); }
#else
  explicit ProfilerRange(LabelText const&) {}
#endif
  ProfilerRange(ProfilerRange const&) = delete;
  ProfilerRange& operator=(ProfilerRange const&) = delete;
};

}  // namespace kohort::Impl

#undef KOHORT_CUDA_HAS_NVTX
