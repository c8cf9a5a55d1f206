// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Clusters as a Kokkos policy: kohort::ClusterPolicy<Kokkos::Cuda> and kin for
/// Kokkos::parallel_for and parallel_reduce (docs/guide/kokkos.md).
#include <kohort/kokkos/nested_patterns.hpp>
#include <kohort/kokkos/patterns.hpp>
#include <kohort/kokkos/tile_map.hpp>
