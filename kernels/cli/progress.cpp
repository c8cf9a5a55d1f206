// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/cli/progress.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace kohort::cli {
namespace {

// Back to the line's start, and clear to its end.
constexpr char const* wipe = "\r\033[K";

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_) std::fputs(wipe, stderr);
}

void Progress::show(std::string const& what) {
  if (!terminal_) return;
  std::fprintf(stderr, "%s%s …", wipe, what.c_str());
  std::fflush(stderr);
  shown_ = true;
}

int terminal_columns() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

}  // namespace kohort::cli
