// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backtrace.hpp"

#define BACKWARD_HAS_DW 1
#include <backward.hpp>
#include <fmt/format.h>

namespace kohort::simulator {
namespace {

constexpr std::size_t most_frames = 32;
constexpr int frames_shown = 6;

std::string line(std::string const& file, unsigned number, std::string const& function) {
  std::size_t cut = file.rfind('/');
  if (cut != std::string::npos && cut > 0) cut = file.rfind('/', cut - 1);
  std::string const name = cut == std::string::npos ? file : file.substr(cut + 1);
  return fmt::format("    at  {}:{}  in {}\n", name, number, function.substr(0, 100));
}

}  // namespace

std::string backtrace_from(void* program_counter, void* context) {
  backward::StackTrace trace;
  trace.load_from(program_counter, most_frames, context, program_counter);
  backward::TraceResolver resolver;
  resolver.load_stacktrace(trace);
  std::string text;
  int shown = 0;
  for (std::size_t i = 0; i < trace.size() && shown < frames_shown; ++i) {
    backward::ResolvedTrace const frame = resolver.resolve(trace[i]);
    for (auto const& inlined : frame.inliners) {
      if (shown < frames_shown && inlined.line != 0) {
        text += line(inlined.filename, inlined.line, inlined.function);
        ++shown;
      }
    }
    if (frame.source.line != 0 && shown < frames_shown) {
      text += line(frame.source.filename, frame.source.line, frame.source.function);
      ++shown;
    }
  }
  return text.empty() ? "    (no debug information: build the kernel with -g)\n" : text;
}

}  // namespace kohort::simulator
