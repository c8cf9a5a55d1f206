// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backtrace.hpp"

#define BACKWARD_HAS_DW 1
#include <fmt/format.h>
#include <backward.hpp>

#include <string>
#include <vector>

namespace kohort::simulator {
namespace {

constexpr std::size_t most_frames = 32;
constexpr int frames_shown = 6;

struct Frame {
  std::string file;
  unsigned line = 0;
  std::string function;
};

/// The frames of one program counter, innermost first. Debug information gives the place of the
/// instruction, and for each inlined function its name and where it was called from: a name
/// belongs to the place one further in.
std::vector<Frame> frames_of(backward::ResolvedTrace const& resolved) {
  std::vector<Frame> frames;
  std::string file = resolved.source.filename;
  unsigned line = resolved.source.line;
  for (auto const& inlined : resolved.inliners) {
    frames.push_back({file, line, inlined.function});
    file = inlined.filename;
    line = inlined.line;
  }
  frames.push_back({file, line, resolved.source.function});
  return frames;
}

/// The library's own frames that call the kernel: nothing beyond is the user's.
bool is_launcher(Frame const& frame) {
  return frame.file.find("backend/cpu/launch.hpp") != std::string::npos ||
         frame.file.find("simulator/engine/") != std::string::npos;
}

bool is_library(Frame const& frame) {
  for (char const* const folder :
       {"portability/include/", "backend/cpu/include/", "/include/kohort/", "/include/c++/"})
    if (frame.file.find(folder) != std::string::npos) return true;
  return false;
}

std::string text_of(Frame const& frame) {
  std::size_t cut = frame.file.rfind('/');
  if (cut != std::string::npos && cut > 0) cut = frame.file.rfind('/', cut - 1);
  std::string const name = cut == std::string::npos ? frame.file : frame.file.substr(cut + 1);
  return fmt::format("    at  {}:{}  in {}\n", name, frame.line, frame.function.substr(0, 100));
}

}  // namespace

SourceLine user_line_of(void* program_counter) {
  static backward::TraceResolver* const resolver = new backward::TraceResolver;
  // The return address is behind the call.
  backward::Trace const trace(static_cast<char*>(program_counter) - 1, 0);
  std::vector<Frame> const frames = frames_of(resolver->resolve(trace));
  for (Frame const& frame : frames)
    if (frame.line != 0 && !is_library(frame)) return {frame.file, static_cast<int>(frame.line)};
  if (frames.empty() || frames.front().line == 0) return {};
  return {frames.front().file, static_cast<int>(frames.front().line)};
}

std::string backtrace_from(void* program_counter, void* context) {
  backward::StackTrace trace;
  trace.load_from(program_counter, most_frames, context, program_counter);
  backward::TraceResolver resolver;
  resolver.load_stacktrace(trace);
  std::string text;
  int shown = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    for (Frame const& frame : frames_of(resolver.resolve(trace[i]))) {
      if (is_launcher(frame) || shown == frames_shown) return text;
      if (frame.line == 0) continue;
      text += text_of(frame);
      ++shown;
    }
  }
  return text.empty() ? "    (no debug information: build the kernel with -g)\n" : text;
}

}  // namespace kohort::simulator
