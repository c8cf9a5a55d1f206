// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cpu/atomics.hpp>
#include <kohort/backend/cpu/capability.hpp>
#include <kohort/backend/cpu/error.hpp>
#include <kohort/backend/cpu/launch.hpp>
#include <kohort/backend/cpu/memory.hpp>
#include <kohort/backend/cpu/mma.hpp>
#include <kohort/backend/cpu/reduce.hpp>
#include <kohort/backend/cpu/residency.hpp>
#include <kohort/backend/cpu/subgroup_mma.hpp>
#include <kohort/backend/cpu/target.hpp>
#include <kohort/backend/cpu/thread.hpp>
#include <kohort/backend/cpu/tile_descriptor.hpp>
#include <kohort/backend/cpu/transfer.hpp>
