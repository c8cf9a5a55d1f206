// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/bench/report.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>

namespace kohort::bench {
namespace {

std::string quoted(std::string const& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

std::string number(double value, char const* format = "%.6g") {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string date() {
  std::time_t const now = std::time(nullptr);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

/// "580.159.04", as the kernel module tells; "unknown" where it does not.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word)
    if (word.find('.') != std::string::npos && std::isdigit(static_cast<unsigned char>(word[0])))
      return word;
  return "unknown";
}

[[noreturn]] void refuse(std::string const& problem) {
  std::fprintf(
      stderr,
      "%s\nflags: --commit HASH, --out FILE (or --benchmark_out FILE), --rounds N (1 or more; "
      "each round gives two samples a contender)\n",
      problem.c_str());
  std::exit(2);
}

std::string entry_json(Entry const& entry) {
  std::string text = "    {\n      \"name\": " + quoted(entry.name) +
                     ",\n      \"run_type\": \"aggregate\",\n      \"aggregate_name\": \"median\"" +
                     ",\n      \"repetitions\": " + std::to_string(entry.timing.samples) +
                     ",\n      \"real_time\": " + number(entry.timing.median_us) +
                     ",\n      \"time_unit\": \"us\",\n      \"noise_percent\": " +
                     number(entry.timing.noise_percent) +
                     ",\n      \"least_time\": " + number(entry.timing.least_us);
  for (auto const& [key, value] : entry.figures)
    text += ",\n      " + quoted(key) + ": " + number(value);
  for (auto const& [key, value] : entry.labels)
    text += ",\n      " + quoted(key) + ": " + quoted(value);
  return text + "\n    }";
}

/// A line of the table: the timing, then the entry's figures by column.
std::string table_row(Entry const& entry, std::vector<std::string> const& columns) {
  std::string row = "| " + entry.name;
  row.append(" | ").append(number(entry.timing.median_us, "%.5g"));
  row.append(" | ").append(number(entry.timing.noise_percent, "%.2g"));
  row.append(" | ").append(std::to_string(entry.timing.samples)).append(" |");
  for (std::string const& column : columns) {
    auto const found = std::find_if(entry.figures.begin(), entry.figures.end(),
                                    [&](auto const& figure) { return figure.first == column; });
    if (found != entry.figures.end()) row.append(" ").append(number(found->second, "%.4g"));
    row.append(" |");
  }
  return row;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    std::size_t const equals = word.find('=');
    words.push_back(word.substr(0, equals));
    if (equals != std::string::npos) words.push_back(word.substr(equals + 1));
  }
  for (std::size_t i = 0; i < words.size(); i += 2) {
    std::string const& flag = words[i];
    if (i + 1 == words.size()) refuse(flag + " needs a value");
    std::string const& value = words[i + 1];
    if (flag == "--commit") {
      options.commit = value;
    } else if (flag == "--out" || flag == "--benchmark_out") {
      options.output = value;
    } else if (flag == "--benchmark_out_format") {
      if (value != "json") refuse(flag + " " + value + ": there is json alone");
    } else if (flag == "--rounds") {
      options.rounds = std::atoi(value.c_str());
      if (options.rounds < 1) refuse("--rounds " + value + " is not a number of rounds");
    } else {
      refuse("unknown flag " + flag);
    }
  }
  return options;
}

Timing summarise(std::vector<double> samples_us) {
  std::sort(samples_us.begin(), samples_us.end());
  auto const at = [&](double part) {
    return samples_us[static_cast<std::size_t>(part * static_cast<double>(samples_us.size() - 1))];
  };
  Timing timing;
  timing.median_us = at(0.5);
  timing.noise_percent = 50 * (at(0.75) - at(0.25)) / timing.median_us;
  timing.least_us = samples_us.front();
  timing.samples = static_cast<int>(samples_us.size());
  return timing;
}

void Report::add_context(std::string const& key, std::string const& value) {
  context_.emplace_back(key, value);
}

std::string Report::json() const {
  std::string text = "{\n  \"context\": {\n    \"date\": " + quoted(date()) +
                     ",\n    \"commit\": " + quoted(options_.commit) +
                     ",\n    \"driver\": " + quoted(driver_version()) +
                     ",\n    \"executable\": " + quoted(title_);
  for (auto const& [key, value] : context_) text += ",\n    " + quoted(key) + ": " + quoted(value);
  text += "\n  },\n  \"benchmarks\": [\n";
  for (std::size_t i = 0; i < entries_.size(); ++i)
    text += entry_json(entries_[i]) + (i + 1 < entries_.size() ? ",\n" : "\n");
  return text + "  ]\n}\n";
}

std::string Report::markdown() const {
  std::vector<std::string> columns;
  std::set<std::string> known;
  for (Entry const& entry : entries_)
    for (auto const& [key, value] : entry.figures)
      if (known.insert(key).second) columns.push_back(key);
  std::string text = "## " + title_ + "\n\n| case | median µs | ± % | samples |";
  for (std::string const& column : columns) text += " " + column + " |";
  text += "\n|---|---|---|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  for (Entry const& entry : entries_) text += "\n" + table_row(entry, columns);
  return text + "\n";
}

bool Report::publish() const {
  std::printf("%s\n", markdown().c_str());
  if (options_.output.empty()) return true;
  std::ofstream file(options_.output);
  file << json();
  file.flush();
  if (!file) std::fprintf(stderr, "%s can't be written\n", options_.output.c_str());
  return static_cast<bool>(file);
}

}  // namespace kohort::bench
