// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "placement/profile_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <kohort/simulator/profile.hpp>

namespace kohort::simulator::Impl {
namespace {

std::string_view kind_of(toml::node const& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a real number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

/// Text that goes to terminals unchanged, so it has no control characters.
bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    auto const byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7f;
  });
}

bool has_visible_text(std::string_view text) {
  return is_printable(text) && text.find_first_not_of(' ') != std::string_view::npos;
}

int line_of(toml::source_region const& region) { return static_cast<int>(region.begin.line); }

toml::table parse_table(std::string_view text, std::string const& file) {
  try {
    return toml::parse(text);
  } catch (toml::parse_error const& error) {
    throw ProfileError(file, line_of(error.source()), "",
                       fmt::format("not valid TOML: {}", error.description()));
  }
}

int count_lines(std::string_view text) {
  int const newlines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  bool const ended = text.empty() || text.back() == '\n';
  return std::max(1, newlines + (ended ? 0 : 1));
}

}  // namespace

ProfileReader::ProfileReader(std::string_view text, std::string_view file_name)
    : file_(file_name), last_line_(count_lines(text)), table_(parse_table(text, file_)) {}

void ProfileReader::require_known(std::vector<std::string_view> const& known) const {
  for (auto const& [key, node] : table_) {
    if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
      throw ProfileError(file_, line_of(key.source()), std::string(key.str()),
                         fmt::format("unknown key; expected one of {}", fmt::join(known, ", ")));
    }
  }
}

std::string ProfileReader::text(std::string_view key) const {
  constexpr std::string_view form = "a string of printable text, such as \"NVIDIA H200\"";
  toml::node const& node = entry(key, form);
  auto const* string = node.as_string();
  if (!string) fail_at(node, key, fmt::format("is {}; expected {}", kind_of(node), form));
  if (!has_visible_text(string->get())) {
    fail_at(node, key, fmt::format("is empty or has control characters; expected {}", form));
  }
  return string->get();
}

std::string ProfileReader::choice(std::string_view key,
                                  std::initializer_list<std::string_view> choices) const {
  std::string value = text(key);
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    fail(key, fmt::format("is \"{}\"; expected one of {}", value, fmt::join(choices, ", ")));
  }
  return value;
}

long long ProfileReader::integer(std::string_view key, long long least, long long most) const {
  std::string const expected = fmt::format("an integer from {} to {}", least, most);
  toml::node const& node = sourced(key, expected);
  auto const* value = node.as_integer();
  if (!value) fail_at(node, key, fmt::format("is {}; expected {}", kind_of(node), expected));
  if (value->get() < least || value->get() > most) {
    fail_at(node, key, fmt::format("is {}; expected {}", value->get(), expected));
  }
  return value->get();
}

double ProfileReader::positive_real(std::string_view key, double most) const {
  std::string const expected = fmt::format("a number above 0 and at most {}", most);
  toml::node const& node = sourced(key, expected);
  if (!node.is_number()) {
    fail_at(node, key, fmt::format("is {}; expected {}", kind_of(node), expected));
  }
  // node.value<double>() refuses integers that a double can't hold exactly; here they are out of
  // range, and should be reported as such.
  auto const* whole = node.as_integer();
  double const value = whole ? static_cast<double>(whole->get()) : node.as_floating_point()->get();
  // Written so that a NaN is refused as well.
  if (!(value > 0 && value <= most)) {
    fail_at(node, key, fmt::format("is {}; expected {}", value, expected));
  }
  return value;
}

bool ProfileReader::boolean(std::string_view key) const {
  toml::node const& node = sourced(key, "true or false");
  auto const* value = node.as_boolean();
  if (!value) fail_at(node, key, fmt::format("is {}; expected true or false", kind_of(node)));
  return value->get();
}

std::vector<int> ProfileReader::positive_integers(std::string_view key, int most_entries,
                                                  int most) const {
  std::string const expected =
      fmt::format("a list of 1 to {} integers from 1 to {}", most_entries, most);
  toml::node const& node = sourced(key, expected);
  auto const* list = node.as_array();
  if (!list) fail_at(node, key, fmt::format("is {}; expected {}", kind_of(node), expected));
  if (list->empty() || list->size() > static_cast<std::size_t>(most_entries)) {
    fail_at(node, key, fmt::format("has {} entries; expected {}", list->size(), expected));
  }
  std::vector<int> values;
  for (toml::node const& element : *list) {
    auto const* value = element.as_integer();
    if (!value) {
      fail_at(element, key, fmt::format("contains {}; expected {}", kind_of(element), expected));
    }
    if (value->get() < 1 || value->get() > most) {
      fail_at(element, key, fmt::format("contains {}; expected {}", value->get(), expected));
    }
    values.push_back(static_cast<int>(value->get()));
  }
  return values;
}

void ProfileReader::fail(std::string_view key, std::string const& explanation) const {
  toml::node const* node = table_.get(key);
  throw ProfileError(file_, node ? line_of(node->source()) : last_line_, std::string(key),
                     explanation);
}

toml::node const& ProfileReader::entry(std::string_view key, std::string_view form) const {
  toml::node const* node = table_.get(key);
  if (!node) fail(key, fmt::format("missing; expected {}", form));
  return *node;
}

toml::node const& ProfileReader::sourced(std::string_view key, std::string_view form) const {
  std::string const expected = fmt::format(
      "{{ value = ..., source = \"where it comes from\" }} with, as its value, {}", form);
  toml::node const& node = entry(key, expected);
  toml::table const* pair = node.as_table();
  if (!pair) fail_at(node, key, fmt::format("is {}; expected {}", kind_of(node), expected));
  for (auto const& [part, ignored] : *pair) {
    if (part != "value" && part != "source") {
      fail_at(node, key,
              fmt::format("has the unknown part \"{}\"; expected {}", part.str(), expected));
    }
  }
  toml::node const* value = pair->get("value");
  if (!value) fail_at(node, key, fmt::format("has no value; expected {}", expected));
  auto const* source = pair->get_as<std::string>("source");
  if (!source || !has_visible_text(source->get())) {
    fail_at(node, key,
            fmt::format("has no source; expected source = \"measured on ..., or the document that "
                        "states it\" beside its value"));
  }
  return *value;
}

void ProfileReader::fail_at(toml::node const& node, std::string_view key,
                            std::string const& explanation) const {
  throw ProfileError(file_, line_of(node.source()), std::string(key), explanation);
}

}  // namespace kohort::simulator::Impl
