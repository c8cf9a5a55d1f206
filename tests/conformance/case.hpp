// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include "registry.hpp"

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

/// Registration and checks of the ladder's files. A file is compiled once a target into one
/// program, so everything outside an anonymous namespace is a template or inline.
namespace kohort::conformance {

template <class Target>
inline constexpr char const* target_name = "";
template <>
inline constexpr char const* target_name<Simulator> = "Simulator";
template <>
inline constexpr char const* target_name<Cuda> = "Cuda";
template <>
inline constexpr char const* target_name<Hip> = "Hip";

/// A step of the ladder for one target: registers its cases before main() runs.
template <class Target>
class Rung {
 public:
  struct Entry {
    char const* name;
    void (*body)(Target const&);
  };

  Rung(char const* rung, std::initializer_list<Entry> entries,
       CallSite site = CallSite::current()) {
    for (Entry const& entry : entries) {
      auto const run = [body = entry.body] {
        Target const target;
        body(target);
        target.fence("conformance");
      };
      registry().push_back({target_name<Target>, rung, entry.name, site, run, why_absent});
    }
  }

 private:
  static std::string why_absent() {
    try {
      (void)properties(Target());
      return {};
    } catch (std::exception const& error) {
      return error.what();
    }
  }
};

inline void require(bool condition, std::string const& text, CallSite site = CallSite::current()) {
  if (!condition) throw CheckFailure(text, site);
}

/// A value as a message shows it; types without operator<< as their bytes.
template <class T>
std::string to_text(T const& value) {
  std::ostringstream text;
  text.precision(17);
  if constexpr (requires { text << value; }) {
    text << value;
  } else {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (unsigned char byte : bytes) text << std::hex << static_cast<int>(byte) << ' ';
  }
  return text.str();
}

template <class T>
void require_equal(T const& actual, std::type_identity_t<T> const& expected,
                   std::string const& text, CallSite site = CallSite::current()) {
  if (actual == expected) return;
  throw CheckFailure(text + ": is " + to_text(actual) + ", expected " + to_text(expected), site);
}

/// Compares element by element; names the first that differs and how many do.
template <class T>
void require_all_equal(std::vector<T> const& actual, std::vector<T> const& expected,
                       std::string const& text, CallSite site = CallSite::current()) {
  require_equal(actual.size(), expected.size(), text + ": number of elements", site);
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t index = 0; index < actual.size(); ++index) {
    if (actual[index] == expected[index]) continue;
    if (wrong++ == 0) first = index;
  }
  if (wrong == 0) return;
  throw CheckFailure(text + ": " + std::to_string(wrong) + " of " + std::to_string(actual.size()) +
                         " elements differ; element " + std::to_string(first) + " is " +
                         to_text(actual[first]) + ", expected " + to_text(expected[first]),
                     site);
}

/// Runs `body` and returns the exception of type Error that it must throw.
template <class Error, class Body>
Error require_throws(Body const& body, std::string const& text,
                     CallSite site = CallSite::current()) {
  try {
    body();
  } catch (Error const& error) {
    return error;
  }
  throw CheckFailure(text + ": nothing was thrown", site);
}

}  // namespace kohort::conformance
