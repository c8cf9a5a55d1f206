// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// How kernels become known to the program `kohort`: plain C++, because kernels/<name>/run.cpp is
/// compiled by nvcc too.
namespace kohort::cli {

/// A flag of one kernel: a choice if `choices` are given, else a number in a range, a whole one
/// unless it is decimal.
struct Flag {
  std::string name;  ///< without the dashes
  std::string help;
  std::string default_value;
  std::vector<std::string> choices;
  long long least = 0;
  long long most = 0;
  bool is_decimal = false;
};

inline Flag number_flag(std::string name, std::string help, long long default_value,
                        long long least, long long most) {
  return {std::move(name), std::move(help), std::to_string(default_value), {}, least, most};
}
inline Flag decimal_flag(std::string name, std::string help, std::string default_value,
                         long long least, long long most) {
  return {std::move(name), std::move(help), std::move(default_value), {}, least, most, true};
}
inline Flag choice_flag(std::string name, std::string help, std::string default_value,
                        std::vector<std::string> choices) {
  return {std::move(name), std::move(help), std::move(default_value), std::move(choices)};
}
inline Flag seed_flag() { return number_flag("seed", "of the random data", 1, 0, 1LL << 62); }

/// A flag's value that the kernel can't take. The program prints it and ends with exit code 2.
class FlagError : public std::runtime_error {
 public:
  FlagError(std::string const& flag, std::string const& explanation)
      : std::runtime_error("--" + flag + ": " + explanation) {}
};

/// What the user asked for.
struct Arguments {
  std::string profile;   ///< simulator: a built-in name or a file
  std::string schedule;  ///< simulator: "" for the default
  std::string trace;     ///< simulator: "" or the file for a Chrome trace
  int workers = 0;       ///< simulator: 0 for one a core
  int cluster[3] = {1, 1, 1};
  bool cluster_is_given = false;
  std::map<std::string, std::string> values;         ///< the kernel's flags, defaults filled in
  std::function<void(std::string const&)> progress;  ///< told what happens now

  std::string const& text(std::string const& flag) const { return values.at(flag); }
  long long integer(std::string const& flag) const { return std::stoll(values.at(flag)); }
  double decimal(std::string const& flag) const { return std::stod(values.at(flag)); }
};

/// What a kernel tells beside that: a number, a text, or several of them under one name.
struct Detail {
  std::string name;  ///< as JSON has it
  std::variant<long long, double, std::string, std::vector<Detail>> value;
};

/// What came of it.
struct Outcome {
  std::string variant;  ///< of the kernel, or ""
  std::string device;   ///< name, and on the simulator workers and schedule
  int cluster[3] = {1, 1, 1};
  bool verified = false;
  double max_error = 0;
  double error_bound = 0;
  std::vector<std::pair<std::string, long long>> counts;
  double runtime_s = 0;
  double bytes = 0;             ///< that the kernel must move through device memory
  std::vector<Detail> details;  ///< of this kernel alone
};

/// A kernel on one target.
struct Kernel {
  std::string name;
  std::string summary;
  std::vector<Flag> flags;
  std::function<Outcome(Arguments const&)> run;
  /// Defaults of flags in `kohort check`, where they differ: a size that dozens of schedules can
  /// run.
  std::map<std::string, std::string> check_values = {};
};

/// What `kohort info` tells of a device.
struct DeviceInfo {
  std::string name;
  std::vector<int> sm_groups;
  int sm_count = 0;
  int max_portable_cluster = 1;
  int max_cluster_size = 1;
  std::map<std::string, std::vector<int>> max_active_clusters;  ///< by teams an SM
  std::string drawing;                                          ///< for a terminal
};

/// A target that this program was built with.
struct TargetEntry {
  std::function<DeviceInfo(std::string const& profile)> info;
  std::vector<std::string> profiles;  ///< that it can be asked for; none: it is one device
  std::map<std::string, Kernel> kernels;
};

/// "simulator" and "cuda", as far as they are part of this program.
std::map<std::string, TargetEntry>& targets();

/// Adds a kernel; called while the program starts.
bool register_kernel(std::string const& target, Kernel kernel);
/// Adds what `info` needs.
bool register_info(std::string const& target, std::vector<std::string> profiles,
                   std::function<DeviceInfo(std::string const& profile)> info);

}  // namespace kohort::cli
