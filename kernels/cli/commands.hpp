// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace kohort::cli {

/// A command line that can't be carried out: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr int exit_verified = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

/// The words after the command's name. @return the exit code
int info_command(std::vector<std::string> const& words);
int run_command(std::vector<std::string> const& words);
/// Does not return where it starts kohort-check.
int check_command(std::vector<std::string> const& words);
int list_command(std::vector<std::string> const& words);

}  // namespace kohort::cli
