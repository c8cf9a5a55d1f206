// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads docs/diagnostics/ and the sources that its pages show.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace kohort::tests {

inline std::string const pages_folder = KOHORT_SOURCE_DIR "/docs/diagnostics/";

inline std::string contents(std::string const& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string page_of(std::string const& id) { return contents(pages_folder + id + ".md"); }

/// The fenced blocks of a page in one language.
inline std::vector<std::string> blocks(std::string const& page, std::string const& language) {
  std::vector<std::string> found;
  std::string const opening = "```" + language + "\n";
  for (auto at = page.find(opening); at != page.npos; at = page.find(opening, at)) {
    at += opening.size();
    found.push_back(page.substr(at, page.find("```", at) - at));
  }
  return found;
}

/// An id as a function is called.
inline std::string function_name(std::string id) {
  std::replace(id.begin(), id.end(), '-', '_');
  return id;
}

/// "void <name>(…) { … }" of a file of the repository.
inline std::string function_text(std::string const& file, std::string const& name) {
  std::string const source = contents(KOHORT_SOURCE_DIR "/" + file);
  auto const at = source.find("void " + name + "(");
  if (at == source.npos) return "no function " + name;
  return source.substr(at, source.find("\n}\n", at) + 3 - at);
}

/// A report without what differs between machines and edits: line numbers, the column widths that
/// follow from them, backtraces, addresses, and the program in the replay line.
inline std::string normalised(std::string const& report) {
  std::string text = std::regex_replace(report, std::regex("\\.([ch]pp):[0-9]+"), ".$1:N");
  text = std::regex_replace(text, std::regex("(KOHORT_SIM_SCHEDULE=[^ ]+)[^\n]*"), "$1");
  text = std::regex_replace(text, std::regex("    at  [^\n]*\n"), "");
  text = std::regex_replace(text, std::regex("stack of [0-9]+ B"), "stack of N B");
  return std::regex_replace(text, std::regex(" +"), " ");
}

/// The page's report, normalised.
inline std::string report_on(std::string const& page) {
  auto const reports = blocks(page, "text");
  return reports.empty() ? "no report" : normalised(reports.front());
}

}  // namespace kohort::tests
