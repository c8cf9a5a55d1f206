// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace kohort::simulator {

/// The user's frames of an interrupted thread, a line each: "    at f.cpp:12 in function". Reads
/// debug information, so it allocates: for use when the process is about to end.
/// @param program_counter  where the thread was interrupted
std::string backtrace_from(void* program_counter, void* frame_pointer_context);

}  // namespace kohort::simulator
