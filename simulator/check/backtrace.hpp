// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sites.hpp"

#include <string>

namespace kohort::simulator {

/// The user's frames of an interrupted thread, a line each: "    at f.cpp:12 in function". Reads
/// debug information, so it allocates: for use when the process is about to end.
/// @param program_counter  where the thread was interrupted
std::string backtrace_from(void* program_counter, void* frame_pointer_context);

/// Where the code at `program_counter` was written: the innermost frame that is neither the
/// library's own nor the standard library's. Empty without debug information.
SourceLine user_line_of(void* program_counter);

}  // namespace kohort::simulator
