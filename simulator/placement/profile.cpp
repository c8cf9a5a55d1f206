// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <kohort/simulator/profile.hpp>
#include <numeric>

#include "placement/profile_reader.hpp"

namespace kohort::simulator {
namespace {

using Impl::ProfileReader;

// Bounds far beyond any device: they keep sums and products of the simulator inside an int.
constexpr int most_groups = 256;
constexpr int most_sms_of_group = 1024;
constexpr int most_threads = 1 << 16;
constexpr int most_teams = 1024;
constexpr int most_registers = 1 << 24;
constexpr int most_scratch_bytes = 1 << 28;
constexpr int most_unit = 1 << 16;
constexpr long long most_l2_bytes = 1LL << 40;
constexpr double most_bandwidth_tb_s = 1000;
constexpr int most_clock_mhz = 100000;

struct TextEntry {
  std::string_view key;
  std::string DeviceProfile::*member;
};

struct IntegerEntry {
  std::string_view key;
  int DeviceProfile::*member;
  int least;
  int most;
};

struct BooleanEntry {
  std::string_view key;
  bool DeviceProfile::*member;
};

constexpr TextEntry text_entries[] = {
    {"name", &DeviceProfile::name},
    {"title", &DeviceProfile::title},
    {"vendor", &DeviceProfile::vendor},
    {"memory_kind", &DeviceProfile::memory_kind},
};

constexpr IntegerEntry integer_entries[] = {
    {"subgroup_size", &DeviceProfile::subgroup_size, 1, 64},
    {"max_threads_per_team", &DeviceProfile::max_threads_per_team, 1, most_threads},
    {"max_threads_per_sm", &DeviceProfile::max_threads_per_sm, 1, most_threads},
    {"max_teams_per_sm", &DeviceProfile::max_teams_per_sm, 1, most_teams},
    {"registers_per_sm", &DeviceProfile::registers_per_sm, 1, most_registers},
    {"register_unit", &DeviceProfile::register_unit, 1, most_unit},
    {"scratch_bytes_per_sm", &DeviceProfile::scratch_bytes_per_sm, 1, most_scratch_bytes},
    {"max_scratch_bytes_per_team", &DeviceProfile::max_scratch_bytes_per_team, 1,
     most_scratch_bytes},
    {"reserved_scratch_bytes_per_team", &DeviceProfile::reserved_scratch_bytes_per_team, 0,
     most_scratch_bytes},
    {"scratch_unit_bytes", &DeviceProfile::scratch_unit_bytes, 1, most_unit},
    {"max_portable_cluster", &DeviceProfile::max_portable_cluster, 1, most_sms_of_group},
    {"max_nonportable_cluster", &DeviceProfile::max_nonportable_cluster, 1, most_sms_of_group},
    {"clock_mhz", &DeviceProfile::clock_mhz, 1, most_clock_mhz},
};

constexpr BooleanEntry boolean_entries[] = {
    {"l2_is_per_group", &DeviceProfile::l2_is_per_group},
    {"has_dsmem", &DeviceProfile::has_dsmem},
    {"has_multicast", &DeviceProfile::has_multicast},
    {"has_work_queue", &DeviceProfile::has_work_queue},
    {"has_pair_mma", &DeviceProfile::has_pair_mma},
};

std::vector<std::string_view> known_keys() {
  std::vector<std::string_view> keys = {"provenance", "memory_bandwidth_kind", "sm_count",
                                        "sm_groups",  "memory_bandwidth_tb_s", "l2_bytes"};
  for (TextEntry const& entry : text_entries) keys.push_back(entry.key);
  for (IntegerEntry const& entry : integer_entries) keys.push_back(entry.key);
  for (BooleanEntry const& entry : boolean_entries) keys.push_back(entry.key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

DeviceProfile read_entries(ProfileReader const& reader) {
  DeviceProfile profile;
  for (TextEntry const& entry : text_entries) profile.*entry.member = reader.text(entry.key);
  profile.provenance = reader.choice("provenance", {"measured", "published", "invented"});
  profile.memory_bandwidth_kind =
      reader.choice("memory_bandwidth_kind", {"copy", "achieved", "peak"});
  profile.sm_groups = reader.positive_integers("sm_groups", most_groups, most_sms_of_group);
  for (IntegerEntry const& entry : integer_entries) {
    profile.*entry.member = static_cast<int>(reader.integer(entry.key, entry.least, entry.most));
  }
  for (BooleanEntry const& entry : boolean_entries) {
    profile.*entry.member = reader.boolean(entry.key);
  }
  profile.l2_bytes = reader.integer("l2_bytes", 0, most_l2_bytes);
  profile.memory_bandwidth_tb_s =
      reader.positive_real("memory_bandwidth_tb_s", most_bandwidth_tb_s);
  return profile;
}

void check_name(ProfileReader const& reader, DeviceProfile const& profile) {
  // find_profile takes a '/' or ".toml" for a path, so a name has neither.
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (profile.name.find_first_not_of(allowed) != std::string::npos) {
    reader.fail("name", fmt::format("is \"{}\"; expected small letters, digits and '-' only",
                                    profile.name));
  }
}

void check_sm_count(ProfileReader const& reader, DeviceProfile const& profile) {
  long long const stated = reader.integer("sm_count", 1, most_groups * most_sms_of_group);
  if (stated != profile.sm_count()) {
    reader.fail("sm_count", fmt::format("is {}, but sm_groups add up to {}; expected the same",
                                        stated, profile.sm_count()));
  }
}

void check_threads(ProfileReader const& reader, DeviceProfile const& profile) {
  if (!std::has_single_bit(static_cast<unsigned>(profile.subgroup_size))) {
    reader.fail("subgroup_size",
                fmt::format("is {}; expected a power of two from 1 to 64", profile.subgroup_size));
  }
  if (profile.max_threads_per_team % profile.subgroup_size != 0) {
    reader.fail("max_threads_per_team",
                fmt::format("is {}; expected a multiple of subgroup_size, {}",
                            profile.max_threads_per_team, profile.subgroup_size));
  }
  if (profile.max_threads_per_team > profile.max_threads_per_sm) {
    reader.fail("max_threads_per_team",
                fmt::format("is {}; expected at most max_threads_per_sm, {}",
                            profile.max_threads_per_team, profile.max_threads_per_sm));
  }
}

void check_scratch(ProfileReader const& reader, DeviceProfile const& profile) {
  int const unit = profile.scratch_unit_bytes;
  int const allocated = (profile.max_scratch_bytes_per_team + unit - 1) / unit * unit;
  int const largest = profile.scratch_bytes_per_sm - profile.reserved_scratch_bytes_per_team;
  if (allocated > largest) {
    reader.fail("max_scratch_bytes_per_team",
                fmt::format("is {}, {} in units of scratch_unit_bytes; expected at most {}, "
                            "scratch_bytes_per_sm less reserved_scratch_bytes_per_team",
                            profile.max_scratch_bytes_per_team, allocated, largest));
  }
}

void check_clusters(ProfileReader const& reader, DeviceProfile const& profile) {
  if (profile.max_portable_cluster > profile.max_nonportable_cluster) {
    reader.fail("max_portable_cluster",
                fmt::format("is {}; expected at most max_nonportable_cluster, {}",
                            profile.max_portable_cluster, profile.max_nonportable_cluster));
  }
  int const largest_group = *std::max_element(profile.sm_groups.begin(), profile.sm_groups.end());
  if (profile.max_nonportable_cluster > largest_group) {
    reader.fail("max_nonportable_cluster",
                fmt::format("is {}; expected at most the SMs of the largest of sm_groups, {}",
                            profile.max_nonportable_cluster, largest_group));
  }
}

void check_capabilities(ProfileReader const& reader, DeviceProfile const& profile) {
  bool const has_clusters = profile.max_nonportable_cluster > 1;
  if (profile.has_dsmem && !has_clusters) {
    reader.fail("has_dsmem", "is true; expected false where max_nonportable_cluster is 1");
  }
  if (profile.has_multicast && !profile.has_dsmem) {
    reader.fail("has_multicast", "is true; expected false where has_dsmem is false");
  }
  if (profile.has_pair_mma && !has_clusters) {
    reader.fail("has_pair_mma", "is true; expected false where max_nonportable_cluster is 1");
  }
}

std::string locate(std::string const& file, int line, std::string const& key) {
  std::string place = file;
  if (line > 0) place += fmt::format(":{}", line);
  if (!key.empty()) place += fmt::format(": {}", key);
  return place;
}

}  // namespace

int DeviceProfile::sm_count() const {
  return std::accumulate(sm_groups.begin(), sm_groups.end(), 0);
}

ProfileError::ProfileError(std::string file, int line, std::string key,
                           std::string const& explanation)
    : std::runtime_error(locate(file, line, key) + ": " + explanation),
      file_(std::move(file)),
      line_(line),
      key_(std::move(key)) {}

DeviceProfile parse_profile(std::string_view text, std::string_view file_name) {
  ProfileReader const reader(text, file_name);
  // A misspelt key is both unknown and missing; the first says which one it is.
  reader.require_known(known_keys());
  DeviceProfile profile = read_entries(reader);
  profile.source_file = file_name;
  check_name(reader, profile);
  check_sm_count(reader, profile);
  check_threads(reader, profile);
  check_scratch(reader, profile);
  check_clusters(reader, profile);
  check_capabilities(reader, profile);
  return profile;
}

}  // namespace kohort::simulator
