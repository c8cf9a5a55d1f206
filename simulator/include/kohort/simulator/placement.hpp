// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/profile.hpp>
#include <vector>

namespace kohort::simulator {

/// Teams of this kind that fit on one SM at once; 0 if not even one does.
///
/// @param threads_per_team  counted in whole subgroups, as devices allocate them; 1 or more
/// @param scratch_bytes     what one team asks for; the device's own share is added here
/// @param registers_per_thread  32-bit registers; 0 leaves registers out of the reckoning
/// Throws std::invalid_argument for threads below 1 and for negative scratch or registers.
int teams_per_sm(DeviceProfile const& profile, int threads_per_team, int scratch_bytes,
                 int registers_per_thread = 0);

/// Clusters of `cluster_size` teams that can be resident at once, if each SM holds `teams_per_sm`
/// teams: the sum over groups of floor(SMs * teams_per_sm / cluster_size), where a group counts
/// only if it has cluster_size SMs or more. 0 beyond the profile's `max_nonportable_cluster`.
///
/// The rule is measured: it equals `cudaOccupancyMaxActiveClusters` on an H200 for 1, 2 and 8 teams
/// an SM and clusters of 1 to 16.
/// Throws std::invalid_argument for a negative `teams_per_sm` and for a cluster_size below 1.
int max_active_clusters(DeviceProfile const& profile, int teams_per_sm, int cluster_size);

/// Where one team of a resident cluster lives.
struct TeamPlace {
  int group;    ///< index into DeviceProfile::sm_groups
  int sm;       ///< numbered over the whole device, group after group
  int sm_slot;  ///< 0 ... teams_per_sm - 1, which of the SM's places for a team

  friend bool operator==(TeamPlace const&, TeamPlace const&) = default;
};

/// The places for resident clusters of one size. Slot k is the same place in every run; the teams
/// of a slot lie in one group on distinct SMs, and no two slots share an (sm, sm_slot). Consecutive
/// slots go round robin over the groups, as hardware spreads clusters, until a group is full.
class Placement {
 public:
  /// Keeps what it needs of `profile`. Throws as `max_active_clusters` does.
  Placement(DeviceProfile const& profile, int teams_per_sm, int cluster_size);

  /// The same for two sizes at once: first the slots of as many clusters of `preferred_size` as
  /// fit, then those of `cluster_size` in the places that are left.
  Placement(DeviceProfile const& profile, int teams_per_sm, int preferred_size, int cluster_size);

  /// Number of slots; equals `max_active_clusters` for the same arguments. 0: nothing fits.
  int resident_limit() const { return static_cast<int>(slots_.size()); }

  /// Teams of a cluster in `slot`, which is below resident_limit().
  int cluster_size(int slot) const { return slots_[static_cast<std::size_t>(slot)].size; }

  /// Place of team `rank` of the cluster in `slot`.
  /// Throws std::out_of_range unless slot is below resident_limit() and rank below its cluster's
  /// size.
  TeamPlace place(int slot, int rank) const;

  /// SMs that hold no team while every slot is taken.
  int idle_sms() const { return idle_sms_; }

 private:
  struct Group {
    int first_sm;
    int sms;
    int teams = 0;  ///< places that slots have taken
  };
  struct Slot {
    int group;
    int first_team;  ///< of the group's places, which are dealt out to its SMs in turn
    int size;
  };
  void add_slots(DeviceProfile const& profile, int teams_per_sm, int cluster_size);

  int cluster_size_;
  int idle_sms_ = 0;
  std::vector<Group> groups_;
  std::vector<Slot> slots_;
};

}  // namespace kohort::simulator
