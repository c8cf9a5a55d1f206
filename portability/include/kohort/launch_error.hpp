// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/launch_request.hpp>
#include <kohort/properties.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace kohort {

/// A launch that the device would not take: names the label, what was asked, the limit that it
/// broke, the device, and what would work.
class LaunchError : public std::runtime_error {
 public:
  LaunchError(std::string label, std::string device, std::string asked, Support support)
      : std::runtime_error("kohort: launch of \"" + label + "\" refused on " + device +
                           "\n  asked for   " + asked + "\n  limit       " + support.limit +
                           "\n  would work  " + support.would_work),
        label_(std::move(label)),
        device_(std::move(device)),
        asked_(std::move(asked)),
        support_(std::move(support)) {}

  std::string const& label() const { return label_; }
  std::string const& device() const { return device_; }
  std::string const& asked() const { return asked_; }
  std::string const& limit() const { return support_.limit; }
  std::string const& would_work() const { return support_.would_work; }

 private:
  std::string label_;
  std::string device_;
  std::string asked_;
  Support support_;
};

namespace Impl {

/// "league 100×1×1, cluster 3×1×1, 256 threads, 1024 B scratch a team"
std::string describe(LaunchRequest const& request);

/// The residency figures that explaining a refusal needs, asked of the device only then.
struct ResidencyQueries {
  /// Clusters of `size` teams resident at once for this kernel; 0 when none fits.
  std::function<int(int size)> max_active_clusters;
  /// Threads a team of this kernel can have at most (registers, launch bounds).
  int max_team_threads = 1024;
  /// Of a launch in emulated clusters, where the kernel can't have them: why, and what would work.
  std::string why_not_emulated;
  std::string would_be_emulated;
};

/// Finds the first limit that `request` breaks on a device with `properties`.
Support explain(LaunchRequest const& request, DeviceProperties const& properties,
                ResidencyQueries const& queries);

}  // namespace Impl
}  // namespace kohort

#include <kohort/impl/explain_refusal.hpp>
