// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

namespace kohort {

/// Where in the user's source an operation stands; a default argument fills it in. It is what
/// std::source_location is, as two plain words: a report prints them, a device drops them.
struct CallSite {
  char const* file = "";
  int line = 0;

  static constexpr KOHORT_FUNCTION CallSite current(char const* file = __builtin_FILE(),
                                                    int line = __builtin_LINE()) {
    return CallSite{file, line};
  }
};

}  // namespace kohort
