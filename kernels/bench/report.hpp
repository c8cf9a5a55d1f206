// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kohort::bench {

/// Flags of every benchmark program.
struct Options {
  std::string commit = "unknown";  ///< --commit HASH, for the context
  std::string output;              ///< --out FILE (or Google Benchmark's flag) for the JSON
  int rounds = 100;                ///< --rounds N: each gives two samples a contender
};

/// Reads the flags, as `--flag value` or `--flag=value`; on a wrong one prints what fits and leaves
/// with exit code 2.
Options parse_options(int argc, char** argv);

/// What one contender's samples say.
struct Timing {
  double median_us = 0;
  double noise_percent = 0;  ///< half the distance between the quartiles, over the median
  double least_us = 0;
  int samples = 0;
};

/// @param samples_us  one or more, in any order
Timing summarise(std::vector<double> samples_us);

/// One line of the results.
struct Entry {
  std::string name;
  Timing timing;
  std::vector<std::pair<std::string, double>> figures;      ///< ratios, GB/s, registers
  std::vector<std::pair<std::string, std::string>> labels;  ///< such as the state of L2
};

/// Results as JSON in Google Benchmark's layout, and as a Markdown table.
class Report {
 public:
  Report(std::string title, Options const& options) : title_(std::move(title)), options_(options) {}

  void add_context(std::string const& key, std::string const& value);
  void add(Entry entry) { entries_.push_back(std::move(entry)); }

  std::string json() const;
  std::string markdown() const;
  /// Prints the table and writes the file that --out names.
  /// @return false if the file can't be written.
  bool publish() const;

 private:
  std::string title_;
  Options options_;
  std::vector<std::pair<std::string, std::string>> context_;
  std::vector<Entry> entries_;
};

}  // namespace kohort::bench
