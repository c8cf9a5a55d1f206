// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/cli/details.hpp>

#include <algorithm>
#include <type_traits>

namespace kohort::cli {
namespace {

std::string in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string value_text(Detail const& detail) {
  return std::visit(
      [](auto const& value) -> std::string {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::vector<Detail>>) {
          std::string text;
          for (Detail const& part : value)
            text += (text.empty() ? "" : ", ") + in_words(part.name) + " " + value_text(part);
          return text;
        } else if constexpr (std::is_same_v<Value, double>) {
          return fmt::format("{:.4g}", value);
        } else {
          return fmt::format("{}", value);
        }
      },
      detail.value);
}

}  // namespace

void add_details(nlohmann::ordered_json& document, std::vector<Detail> const& details) {
  for (Detail const& detail : details) {
    std::visit(
        [&](auto const& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<Detail>>) {
            nlohmann::ordered_json group = nlohmann::ordered_json::object();
            add_details(group, value);
            document[detail.name] = std::move(group);
          } else {
            document[detail.name] = value;
          }
        },
        detail.value);
  }
}

std::string details_text(std::vector<Detail> const& details) {
  std::string text;
  for (Detail const& detail : details)
    text += fmt::format("{:<12} {}\n", in_words(detail.name), value_text(detail));
  return text;
}

}  // namespace kohort::cli
