// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace kohort {

/// What an atomic operation or a fence orders, as in the C++ memory model.
enum class MemoryOrder { relaxed, acquire, release, acquire_release, sequentially_consistent };

/// Who can be relied on to see it.
enum class Scope { team, cluster, device, system };

}  // namespace kohort
