// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace kohort::cli {

/// One line on a terminal that says what happens now; nothing where standard error is a pipe or a
/// file. The line is wiped when the object goes.
class Progress {
 public:
  Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;
  ~Progress();

  void show(std::string const& what);

 private:
  bool terminal_;
  bool shown_ = false;
};

/// Columns of the terminal on standard output; 80 where it is none.
int terminal_columns();

}  // namespace kohort::cli
