// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/necessity.hpp>
#include <kohort/simulator/thread.hpp>

#include <vector>

namespace kohort::simulator {

/// The site whose barriers order nothing, or line 0. Its file stays where it is till the process
/// ends.
Site ignored_barrier();

/// The barriers that one worker's clusters came to; told when a cluster ends.
class BarrierNotes {
 public:
  void note(Site site, BarrierKind kind) {
    if (site.line == 0) return;  // the launcher's own
    for (Note const& known : notes_)
      if (known.site.line == site.line && known.site.file == site.file) return;
    notes_.push_back({site, kind});
  }
  void tell();

 private:
  struct Note {
    Site site;
    BarrierKind kind;
  };
  std::vector<Note> notes_;
};

}  // namespace kohort::simulator
