// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace kohort::simulator {

/// A fault of a kernel that the simulator diagnosed. `id()` is stable and names the page
/// docs/diagnostics/<id>.md; `what()` is the whole report.
class Finding : public std::runtime_error {
 public:
  Finding(std::string id, std::string label, int cluster, std::string const& report,
          std::string replay, std::exception_ptr cause = nullptr);
  ~Finding() override;

  std::string const& id() const noexcept { return id_; }
  std::string const& label() const noexcept { return label_; }
  /// The cluster's index in the league, or -1 for a finding of the whole launch.
  int cluster() const noexcept { return cluster_; }
  /// The schedule that shows it again, for KOHORT_SIM_SCHEDULE.
  std::string const& replay() const noexcept { return replay_; }
  /// What the kernel threw, for `kernel-exception`.
  std::exception_ptr cause() const noexcept { return cause_; }

 private:
  std::string id_;
  std::string label_;
  int cluster_;
  std::string replay_;
  std::exception_ptr cause_;
};

/// Every id that this version can report.
std::vector<std::string> finding_ids();
/// Whether only launches in mode check report this one of them.
/// @throws std::logic_error when it is none of them
bool needs_mode_check(std::string const& id);

}  // namespace kohort::simulator
