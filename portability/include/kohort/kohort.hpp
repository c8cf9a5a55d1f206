// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/arrive_token.hpp>
#include <kohort/atomics.hpp>
#include <kohort/buffer.hpp>
#include <kohort/call_site.hpp>
#include <kohort/cluster_policy.hpp>
#include <kohort/collectives.hpp>
#include <kohort/domain_order.hpp>
#include <kohort/launch_error.hpp>
#include <kohort/launch_request.hpp>
#include <kohort/macros.hpp>
#include <kohort/member.hpp>
#include <kohort/memory_order.hpp>
#include <kohort/microscaling.hpp>
#include <kohort/number_types.hpp>
#include <kohort/operations.hpp>
#include <kohort/parallel_for.hpp>
#include <kohort/parallel_reduce.hpp>
#include <kohort/policy_traits.hpp>
#include <kohort/properties.hpp>
#include <kohort/ranges.hpp>
#include <kohort/scaled_mma.hpp>
#include <kohort/scratch.hpp>
#include <kohort/shape.hpp>
#include <kohort/shared.hpp>
#include <kohort/subgroup_mma.hpp>
#include <kohort/subgroup_tile.hpp>
#include <kohort/targets.hpp>
#include <kohort/tile_map.hpp>
#include <kohort/tile_pipeline.hpp>
#include <kohort/transfer_barrier.hpp>
#include <kohort/transfers.hpp>
#include <kohort/warpgroup_mma.hpp>

#include <kohort/backends.hpp>
