// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/simulator/observer.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace kohort::simulator {
namespace {

/// A trace viewer is lost in more: the rest is counted in a note.
constexpr std::size_t most_clusters_drawn = 20'000;

struct Drawn {
  int index = 0;
  int slot = 0;
  std::vector<TeamPlace> places;
  std::uint64_t steps = 0;
};

}  // namespace

struct PlacementTrace::State {
  std::string path;
  std::mutex mutex;
  LaunchShape shape;
  std::string device;
  int slots_an_sm = 0;
  std::vector<Drawn> clusters;
  std::size_t left_out = 0;

  nlohmann::json track_names() const;
  void draw(nlohmann::json& events, Drawn const& cluster, std::uint64_t start) const;
};

PlacementTrace::PlacementTrace(std::string path) : state_(std::make_unique<State>()) {
  state_->path = std::move(path);
}
PlacementTrace::~PlacementTrace() = default;

void PlacementTrace::launch_started(LaunchShape const& shape, EngineOptions const& options,
                                    long long) {
  state_->shape = shape;
  state_->device = options.profile->title;
  state_->clusters.clear();
  state_->left_out = 0;
}

void PlacementTrace::cluster_started(Cluster const& cluster, int slot,
                                     std::vector<TeamPlace> const& places) {
  std::scoped_lock lock(state_->mutex);
  for (TeamPlace const& place : places)
    state_->slots_an_sm = std::max(state_->slots_an_sm, place.sm_slot + 1);
  if (state_->clusters.size() < most_clusters_drawn) {
    state_->clusters.push_back({cluster.index, slot, places, 0});
  } else {
    ++state_->left_out;
  }
}

void PlacementTrace::cluster_ended(Cluster const& cluster, std::uint64_t steps) {
  std::scoped_lock lock(state_->mutex);
  // From the back: the cluster that ends is among the last that started.
  auto const found = std::find_if(state_->clusters.rbegin(), state_->clusters.rend(),
                                  [&](Drawn const& one) { return one.index == cluster.index; });
  if (found != state_->clusters.rend()) found->steps = steps;
}

nlohmann::json PlacementTrace::State::track_names() const {
  nlohmann::json events = nlohmann::json::array();
  std::vector<std::pair<int, int>> named;
  for (Drawn const& cluster : clusters) {
    for (TeamPlace const& place : cluster.places) {
      int const track = place.sm * slots_an_sm + place.sm_slot;
      if (std::find(named.begin(), named.end(), std::pair(place.group, track)) != named.end())
        continue;
      named.emplace_back(place.group, track);
      events.push_back({{"ph", "M"},
                        {"name", "process_name"},
                        {"pid", place.group},
                        {"args", {{"name", fmt::format("SM group {}", place.group)}}}});
      events.push_back(
          {{"ph", "M"},
           {"name", "thread_name"},
           {"pid", place.group},
           {"tid", track},
           {"args", {{"name", fmt::format("SM {} place {}", place.sm, place.sm_slot)}}}});
    }
  }
  return events;
}

void PlacementTrace::State::draw(nlohmann::json& events, Drawn const& cluster,
                                 std::uint64_t start) const {
  for (std::size_t rank = 0; rank < cluster.places.size(); ++rank) {
    TeamPlace const& place = cluster.places[rank];
    int const track = place.sm * slots_an_sm + place.sm_slot;
    events.push_back({{"ph", "X"},
                      {"name", fmt::format("cluster {} team {}", cluster.index, rank)},
                      {"cat", shape.label},
                      {"pid", place.group},
                      {"tid", track},
                      {"ts", start},
                      {"dur", std::max<std::uint64_t>(cluster.steps, 1)},
                      {"args", {{"cluster", cluster.index}, {"rank", rank}, {"sm", place.sm}}}});
    if (rank == 0) continue;
    // An arrow from the first team to each other: these blocks are one cluster.
    std::string const id = fmt::format("{}.{}", cluster.index, rank);
    TeamPlace const& first = cluster.places.front();
    events.push_back({{"ph", "s"},
                      {"name", "cluster"},
                      {"cat", "cluster"},
                      {"id", id},
                      {"pid", first.group},
                      {"tid", first.sm * slots_an_sm + first.sm_slot},
                      {"ts", start}});
    events.push_back({{"ph", "f"},
                      {"bp", "e"},
                      {"name", "cluster"},
                      {"cat", "cluster"},
                      {"id", id},
                      {"pid", place.group},
                      {"tid", track},
                      {"ts", start}});
  }
}

void PlacementTrace::launch_ended(LaunchCounts const&) {
  std::sort(state_->clusters.begin(), state_->clusters.end(),
            [](Drawn const& a, Drawn const& b) { return a.index < b.index; });
  nlohmann::json events = state_->track_names();
  std::vector<std::uint64_t> free_from;
  for (Drawn const& cluster : state_->clusters) {
    auto const slot = static_cast<std::size_t>(cluster.slot);
    if (free_from.size() <= slot) free_from.resize(slot + 1, 0);
    state_->draw(events, cluster, free_from[slot]);
    free_from[slot] += std::max<std::uint64_t>(cluster.steps, 1);
  }
  nlohmann::json const trace = {
      {"traceEvents", std::move(events)},
      {"displayTimeUnit", "ms"},
      {"otherData",
       {{"label", state_->shape.label},
        {"device", state_->device},
        {"time", "one microsecond is one step of the engine; no prediction of a device's time"},
        {"clusters_left_out", state_->left_out}}}};
  std::ofstream file(state_->path);
  file << trace.dump(1) << '\n';
  if (!file)
    throw std::runtime_error("kohort: can't write the trace to \"" + state_->path +
                             "\": is its folder there, and writable?");
}

}  // namespace kohort::simulator
