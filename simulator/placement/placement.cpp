// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <kohort/simulator/placement.hpp>
#include <stdexcept>

namespace kohort::simulator {
namespace {

long long round_up(long long value, long long unit) { return (value + unit - 1) / unit * unit; }

void require(bool holds, char const* function, char const* what, int value, char const* expected) {
  if (!holds) {
    throw std::invalid_argument(
        fmt::format("{}: {} is {}; expected {}", function, what, value, expected));
  }
}

void require_shape(char const* function, int teams_per_sm, int cluster_size) {
  require(teams_per_sm >= 0, function, "teams_per_sm", teams_per_sm, "0 or more");
  require(cluster_size >= 1, function, "cluster_size", cluster_size, "1 or more");
}

/// Resident clusters of one group: none if they would have to share an SM.
int clusters_in_group(int sms, int teams_per_sm, int cluster_size) {
  return cluster_size <= sms ? sms * teams_per_sm / cluster_size : 0;
}

}  // namespace

int teams_per_sm(DeviceProfile const& profile, int threads_per_team, int scratch_bytes,
                 int registers_per_thread) {
  constexpr char const* function = "teams_per_sm";
  require(threads_per_team >= 1, function, "threads_per_team", threads_per_team, "1 or more");
  require(scratch_bytes >= 0, function, "scratch_bytes", scratch_bytes, "0 or more");
  require(registers_per_thread >= 0, function, "registers_per_thread", registers_per_thread,
          "0 or more");
  if (threads_per_team > profile.max_threads_per_team ||
      scratch_bytes > profile.max_scratch_bytes_per_team) {
    return 0;
  }
  long long const threads = round_up(threads_per_team, profile.subgroup_size);
  long long const scratch =
      round_up(scratch_bytes, profile.scratch_unit_bytes) + profile.reserved_scratch_bytes_per_team;
  long long const registers = threads * round_up(registers_per_thread, profile.register_unit);

  long long teams =
      std::min<long long>(profile.max_teams_per_sm, profile.max_threads_per_sm / threads);
  if (scratch > 0) teams = std::min(teams, profile.scratch_bytes_per_sm / scratch);
  if (registers > 0) teams = std::min(teams, profile.registers_per_sm / registers);
  return static_cast<int>(teams);
}

int max_active_clusters(DeviceProfile const& profile, int teams_per_sm, int cluster_size) {
  require_shape("max_active_clusters", teams_per_sm, cluster_size);
  if (cluster_size > profile.max_nonportable_cluster) return 0;
  int clusters = 0;
  for (int const sms : profile.sm_groups) {
    clusters += clusters_in_group(sms, teams_per_sm, cluster_size);
  }
  return clusters;
}

Placement::Placement(DeviceProfile const& profile, int teams_per_sm, int cluster_size)
    : Placement(profile, teams_per_sm, cluster_size, cluster_size) {}

Placement::Placement(DeviceProfile const& profile, int teams_per_sm, int preferred_size,
                     int cluster_size)
    : cluster_size_(cluster_size) {
  int first_sm = 0;
  for (int const sms : profile.sm_groups) {
    groups_.push_back({first_sm, sms});
    first_sm += sms;
  }
  add_slots(profile, teams_per_sm, preferred_size);
  if (preferred_size != cluster_size) add_slots(profile, teams_per_sm, cluster_size);
  for (Group const& group : groups_) idle_sms_ += std::max(0, group.sms - group.teams);
}

void Placement::add_slots(DeviceProfile const& profile, int teams_per_sm, int cluster_size) {
  if (max_active_clusters(profile, teams_per_sm, cluster_size) == 0) return;
  for (int before = -1; before < resident_limit();) {
    before = resident_limit();
    for (int index = 0; index < static_cast<int>(groups_.size()); ++index) {
      Group& group = groups_[index];
      bool const fits =
          cluster_size <= group.sms && group.teams + cluster_size <= group.sms * teams_per_sm;
      if (!fits) continue;
      slots_.push_back({index, group.teams, cluster_size});
      group.teams += cluster_size;
    }
  }
}

TeamPlace Placement::place(int slot, int rank) const {
  if (slot < 0 || slot >= resident_limit() || rank < 0 || rank >= cluster_size(slot)) {
    throw std::out_of_range(
        fmt::format("Placement::place(slot {}, rank {}): there are {} slots for clusters of {}",
                    slot, rank, resident_limit(), cluster_size_));
  }
  Slot const& at = slots_[slot];
  Group const& group = groups_[at.group];
  // Teams are dealt out to the group's SMs in turn. A cluster is a run of at most `sms` consecutive
  // teams, so its SMs differ, and a group is full only when every place of every SM is.
  int const team = at.first_team + rank;
  return {at.group, group.first_sm + team % group.sms, team / group.sms};
}

}  // namespace kohort::simulator
