// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "necessity.hpp"

#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace kohort::simulator {
namespace {

struct Barriers {
  std::mutex mutex;
  std::map<std::pair<std::string, int>, BarrierKind> seen;
  std::set<std::string> files;  ///< of ignored sites, kept for the threads that still read them
  Site ignored;
};

Barriers& barriers() {
  static Barriers one;
  return one;
}

}  // namespace

char const* to_string(BarrierKind kind) {
  switch (kind) {
    case BarrierKind::team:
      return "team_barrier";
    case BarrierKind::subgroup:
      return "subgroup_barrier";
    case BarrierKind::named:
      return "named_barrier";
    default:
      return "cluster_barrier";
  }
}

void BarrierNotes::tell() {
  std::scoped_lock lock(barriers().mutex);
  for (Note const& note : notes_)
    barriers().seen.try_emplace({note.site.file, note.site.line}, note.kind);
}

std::vector<BarrierSite> take_barrier_sites() {
  std::scoped_lock lock(barriers().mutex);
  std::vector<BarrierSite> sites;
  for (auto const& [place, kind] : std::exchange(barriers().seen, {}))
    sites.push_back({place.first, place.second, kind});
  return sites;
}

IgnoredBarrier::IgnoredBarrier(BarrierSite const& site) {
  std::scoped_lock lock(barriers().mutex);
  barriers().ignored = {barriers().files.insert(site.file).first->c_str(), site.line};
}

IgnoredBarrier::~IgnoredBarrier() {
  std::scoped_lock lock(barriers().mutex);
  barriers().ignored = {};
}

Site ignored_barrier() {
  std::scoped_lock lock(barriers().mutex);
  return barriers().ignored;
}

}  // namespace kohort::simulator
