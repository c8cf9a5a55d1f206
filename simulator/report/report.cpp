// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "../engine/launch_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <mutex>

namespace kohort::simulator {
namespace {

std::mutex arguments_mutex;
std::string replay_arguments;

/// Columns as a terminal counts them: UTF-8's continuation bytes take none.
std::size_t width(std::string const& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

}  // namespace

void set_replay_arguments(std::string arguments) {
  std::scoped_lock lock(arguments_mutex);
  replay_arguments = std::move(arguments);
}

std::string replay_command() {
  std::scoped_lock lock(arguments_mutex);
  if (replay_arguments.empty()) return command_line();
  std::string const line = command_line();
  return line.substr(0, line.find(' ')) + " " + replay_arguments;
}

std::string place(Site site) {
  if (site.line == 0) return site.file;
  std::string_view file = site.file;
  // Two folders are enough to find a file by, and short enough to read.
  std::size_t cut = file.rfind('/');
  if (cut != std::string_view::npos && cut > 0) cut = file.rfind('/', cut - 1);
  if (cut != std::string_view::npos) file.remove_prefix(cut + 1);
  return fmt::format("{}:{}", file, site.line);
}

std::string ranges(std::vector<int> const& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    if (text.size() > 60) return text + ", …";
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    if (end > i) text += fmt::format("–{}", numbers[end]);
    i = end + 1;
  }
  return text;
}

Report::Report(ClusterState const& cluster, std::string_view id) : cluster_(cluster), id_(id) {
  why_ = catalogue(id).why;
  mend_ = catalogue(id).mend;
}

Report& Report::row(std::string who, std::string what, std::string where, std::string whom) {
  rows_.push_back({{std::move(who), std::move(what), std::move(where), std::move(whom)}});
  return *this;
}

Report& Report::why(std::string sentence) {
  why_ = std::move(sentence);
  return *this;
}

Report& Report::mend(std::string sentence) {
  mend_ = std::move(sentence);
  return *this;
}

Report& Report::also(std::string sentence) {
  also_ += "  also    " + std::move(sentence) + "\n";
  return *this;
}

std::string Report::rows_text() const {
  std::size_t widths[4] = {0, 0, 0, 0};
  for (Row const& row : rows_)
    for (int c = 0; c < 4; ++c) widths[c] = std::max(widths[c], width(row.cells[c]));
  std::string text;
  for (Row const& row : rows_) {
    std::string line = " ";
    for (int c = 0; c < 4; ++c) {
      if (widths[c] == 0) continue;
      line += " " + row.cells[c] + std::string(widths[c] - width(row.cells[c]) + 1, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string Report::text(std::string const& replay) const {
  LaunchState const& launch = *cluster_.launch;
  return fmt::format(
      "kohort: [{}] in \"{}\", cluster {} of {}, under schedule {}\n{}  why     {}\n  mend    "
      "{}\n{}"
      "  replay  KOHORT_SIM_SCHEDULE={} {}\n  page    docs/diagnostics/{}.md",
      id_, launch.shape().label, cluster_.index, launch.plan().size(),
      to_string(launch.options().schedule), rows_text(), why_, mend_, also_, replay,
      replay_command(), id_);
}

std::unique_ptr<Finding> Report::finding(std::exception_ptr cause) const {
  std::string const replay = cluster_.launch->replay_schedule(&cluster_);
  return std::make_unique<Finding>(id_, cluster_.launch->shape().label, cluster_.index,
                                   text(replay), replay, std::move(cause));
}

Finding::Finding(std::string id, std::string label, int cluster, std::string const& report,
                 std::string replay, std::exception_ptr cause)
    : std::runtime_error(report),
      id_(std::move(id)),
      label_(std::move(label)),
      cluster_(cluster),
      replay_(std::move(replay)),
      cause_(std::move(cause)) {}

Finding::~Finding() = default;

}  // namespace kohort::simulator
