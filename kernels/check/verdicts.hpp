// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/check/request.hpp>
#include <kernels/cli/progress.hpp>
#include <kohort/testing/necessity.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace kohort::check {

/// What the exploration says of a kernel.
struct KernelVerdict {
  testing::Exploration exploration;
  std::string device;
  cli::Outcome outcome;  ///< of the last schedule under which the kernel ended
};

/// What is said of a kernel's barriers, each left out in turn.
struct NecessityVerdict {
  KernelVerdict as_it_is;
  std::vector<testing::BarrierVerdict> barriers;  ///< none where the kernel is not clean

  bool is_good() const {
    return as_it_is.exploration.ok &&
           std::all_of(barriers.begin(), barriers.end(),
                       [](testing::BarrierVerdict const& one) { return one.is_necessary; });
  }
};

/// What the exploration says of a case of the corpus, and the named schedules of its twin.
struct CaseVerdict {
  std::string name;
  std::string kind;
  std::string source;
  std::string expected;
  std::string missed_because;  ///< "": it is expected to be found
  std::string id;              ///< a finding's, "launch-refused", "exception", or "" for none
  std::string report;
  std::string schedule;  ///< that shows it
  std::string twin;      ///< "" or what was said of the twin, and under which schedule

  bool is_fault() const { return !expected.empty(); }
  bool is_found() const { return is_fault() && id == expected; }
  bool is_missed() const { return is_fault() && id != expected; }
  bool is_falsely_reported() const { return (!is_fault() && !id.empty()) || !twin.empty(); }
  bool is_as_expected() const {
    return !is_falsely_reported() && (!is_missed() || !missed_because.empty());
  }
};

/// Runs the kernel under the ladder of schedules.
/// @throws cli::UsageError, cli::FlagError for what the kernel or the device refuses
KernelVerdict check_kernel(Request const& request, cli::Progress& progress);

/// The same, then once more for each of its barriers, whose ordering is left out.
NecessityVerdict check_barriers(Request const& request, cli::Progress& progress);

/// A control is its own twin. @throws cli::UsageError for a case that does not exist
std::vector<CaseVerdict> check_corpus(Request const& request, cli::Progress& progress);

void print(KernelVerdict const& verdict, Request const& request);
void print(NecessityVerdict const& verdict, Request const& request);
void print(std::vector<CaseVerdict> const& verdicts, Request const& request);

}  // namespace kohort::check
