// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/registry.hpp>
#include <kohort/testing/explore.hpp>

#include <string>
#include <vector>

/// The program kohort-check, which `kohort check` starts: kernels and corpus, instrumented.
namespace kohort::check {

/// What `kohort check` was asked for, with all defaults filled in.
struct Request {
  bool faults = false;    ///< the corpus, not a kernel
  std::string only_case;  ///< of the corpus; "" for all
  std::string kernel;
  bool necessity = false;  ///< of its barriers, too
  std::string schedule;    ///< the only one to run; "" for the ladder
  cli::Arguments arguments;
  testing::ExploreOptions ladder;
  bool json = false;
  std::string replay;  ///< the end of the command line that shows a finding of the kernel again
};

/// Reads `name=value` and `--flag=value`, up to `--`; after that, what the user typed.
/// @throws cli::UsageError for anything else
Request parse_request(std::vector<std::string> const& words);

}  // namespace kohort::check
