// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <toml++/toml.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace kohort::simulator::Impl {

/// A device profile's TOML, read key by key. A plain entry is `key = "text"`; a sourced one is
/// `key = { value = ..., source = "where the value comes from" }`. Everything that is not as asked
/// for becomes a ProfileError with file, line and key.
class ProfileReader {
 public:
  ProfileReader(std::string_view text, std::string_view file_name);

  /// Refuses any top-level key that is not in `known`.
  void require_known(std::vector<std::string_view> const& known) const;

  /// A plain entry: printable text, at least one character.
  std::string text(std::string_view key) const;
  /// A plain entry that is one of `choices`.
  std::string choice(std::string_view key, std::initializer_list<std::string_view> choices) const;

  // Sourced entries.
  long long integer(std::string_view key, long long least, long long most) const;
  double positive_real(std::string_view key, double most) const;
  bool boolean(std::string_view key) const;
  /// A list of 1 to `most_entries` integers from 1 to `most`.
  std::vector<int> positive_integers(std::string_view key, int most_entries, int most) const;

  /// Throws a ProfileError at the line of `key`.
  [[noreturn]] void fail(std::string_view key, std::string const& explanation) const;

 private:
  toml::node const& entry(std::string_view key, std::string_view form) const;
  /// The value of a sourced entry, once its source has been seen.
  toml::node const& sourced(std::string_view key, std::string_view form) const;
  [[noreturn]] void fail_at(toml::node const& node, std::string_view key,
                            std::string const& explanation) const;

  std::string file_;
  int last_line_;
  toml::table table_;
};

}  // namespace kohort::simulator::Impl
