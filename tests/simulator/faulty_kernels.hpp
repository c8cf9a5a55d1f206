// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace kohort::tests {

/// One kernel for each finding, and the same kernel mended. The pages in docs/diagnostics/ show
/// them; diagnostics_pages_test.cpp compares.
struct FaultyKernel {
  std::string id;
  void (*faulty)(Simulator const& target);
  void (*repaired)(Simulator const& target);
  bool ends_the_process = false;  ///< reported on stderr, because no launch can throw it
  std::string file = "tests/simulator/faulty_kernels.cpp";

  friend void PrintTo(FaultyKernel const& kernel, std::ostream* stream) { *stream << kernel.id; }
};

std::vector<FaultyKernel> const& faulty_kernels();
/// Those of them with phased barriers, copies and products (faulty_transfers.cpp).
std::vector<FaultyKernel> const& faulty_transfers();
FaultyKernel const& faulty_kernel(std::string const& id);

}  // namespace kohort::tests
