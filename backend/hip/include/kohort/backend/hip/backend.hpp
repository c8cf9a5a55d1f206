// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A unit that no HIP compiler compiles gets nothing: kohort::Hip stays incomplete there, and its
// use is the one sentence of KOHORT_NO_BACKEND_SENTENCE.
#if defined(__HIPCC__)
#include <kohort/backend/hip/atomics.hpp>
#include <kohort/backend/hip/capability.hpp>
#include <kohort/backend/hip/launch.hpp>
#include <kohort/backend/hip/memory.hpp>
#include <kohort/backend/hip/mma.hpp>
#include <kohort/backend/hip/reduce.hpp>
#include <kohort/backend/hip/residency.hpp>
#include <kohort/backend/hip/scaled_mma.hpp>
#include <kohort/backend/hip/subgroup_mma.hpp>
#include <kohort/backend/hip/target.hpp>
#include <kohort/backend/hip/thread.hpp>
#include <kohort/backend/hip/tile_descriptor.hpp>
#include <kohort/backend/hip/transfer.hpp>
#endif
