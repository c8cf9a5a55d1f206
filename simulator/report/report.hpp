// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../engine/state.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kohort::simulator {

/// The report of one fault: rows of who did what where, then why it is a fault and what to do.
class Report {
 public:
  Report(ClusterState const& cluster, std::string_view id);

  /// "  256 of 256 threads wait at  team_barrier  f.cpp:12  threads 0–99"
  Report& row(std::string who, std::string what = "", std::string where = "",
              std::string whom = "");
  /// Replaces the catalogue's sentence where the fault has a more precise one.
  Report& why(std::string sentence);
  Report& mend(std::string sentence);
  /// A line of what was found besides.
  Report& also(std::string sentence);

  std::unique_ptr<Finding> finding(std::exception_ptr cause = nullptr) const;

 private:
  struct Row {
    std::string cells[4];
  };
  std::string text(std::string const& replay) const;
  std::string rows_text() const;

  ClusterState const& cluster_;
  std::string id_;
  std::vector<Row> rows_;
  std::string why_;
  std::string mend_;
  std::string also_;
};

/// "ring.cpp:41"; the directory is left out where the file is unique enough without.
std::string place(Site site);
/// "0–99, 128" of rising numbers.
std::string ranges(std::vector<int> const& numbers);
/// This process's command line, with what set_replay_arguments() gave.
std::string replay_command();

struct CatalogueEntry {
  std::string_view id;
  std::string_view why;
  std::string_view mend;
};
CatalogueEntry const& catalogue(std::string_view id);

}  // namespace kohort::simulator
