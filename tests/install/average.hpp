// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Averages each element of `in` with the same element of the neighbouring team; `teams` is even.
void average_with_neighbour(float const* in, float* out, int teams);

inline constexpr int team_size = 64;
