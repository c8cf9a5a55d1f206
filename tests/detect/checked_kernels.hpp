// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tests/simulator/faulty_kernels.hpp>

#include <vector>

namespace kohort::detect {

/// The same as tests::faulty_kernels() of the findings that mode check alone reports.
/// checked_pages_test.cpp compares them with the pages.
std::vector<tests::FaultyKernel> const& checked_kernels();

}  // namespace kohort::detect
