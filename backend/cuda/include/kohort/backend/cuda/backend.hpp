// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A unit that nvcc does not compile gets nothing: kohort::Cuda stays incomplete there, and its use
// is the one sentence of KOHORT_NO_BACKEND_SENTENCE.
#if defined(__CUDACC__)
#include <kohort/backend/cuda/atomics.hpp>
#include <kohort/backend/cuda/capability.hpp>
#include <kohort/backend/cuda/error.hpp>
#include <kohort/backend/cuda/launch.hpp>
#include <kohort/backend/cuda/memory.hpp>
#include <kohort/backend/cuda/mma.hpp>
#include <kohort/backend/cuda/probe.hpp>
#include <kohort/backend/cuda/reduce.hpp>
#include <kohort/backend/cuda/residency.hpp>
#include <kohort/backend/cuda/subgroup_mma.hpp>
#include <kohort/backend/cuda/target.hpp>
#include <kohort/backend/cuda/thread.hpp>
#include <kohort/backend/cuda/tile_descriptor.hpp>
#include <kohort/backend/cuda/transfer.hpp>
#endif
