// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/cli/counts.hpp>

#include <algorithm>

namespace kohort::cli {

std::string counts_text(Outcome const& outcome) {
  std::map<std::string, long long> counts(outcome.counts.begin(), outcome.counts.end());
  if (counts.empty()) return "none: a GPU counts nothing, --target simulator does";
  std::string text =
      fmt::format("{} teams of {} threads in {} clusters, {} resident at once", counts["teams"],
                  counts["teams"] > 0 ? counts["threads"] / counts["teams"] : 0, counts["clusters"],
                  std::min(counts["resident_limit"], counts["clusters"]));
  std::pair<char const*, char const*> const phrases[] = {
      {"team_barriers", "team barriers {} a team"},
      {"cluster_barriers", "cluster barriers {} a cluster"},
      {"subgroup_exchanges", "subgroup exchanges {}"},
      {"team_atomics", "team atomics {}"},
      {"remote_atomics", "remote atomics {}"},
      {"global_atomics", "global atomics {}"},
      {"transfers", "async copies {}"},
      {"multicasts", "multicasts {}"},
      {"bytes_to_scratch", "{} B to scratch"},
      {"bytes_from_scratch", "{} B from scratch"},
      {"bytes_pushed", "{} B pushed"},
      {"phased_waits", "waits at phased barriers {}"},
      {"multiply_adds", "multiply-adds {}"},
      {"scratch_bytes_used", "scratch {} B used a team"}};
  for (auto const& [key, phrase] : phrases)
    if (counts[key] != 0) text += "; " + fmt::format(fmt::runtime(phrase), counts[key]);
  if (counts["scratch_bytes"] != 0) text += fmt::format(" of {} B", counts["scratch_bytes"]);
  return text;
}

}  // namespace kohort::cli
