// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kohort::simulator {

/// What the simulator knows about a device. Read from a TOML file in which every number has its
/// source beside it (simulator/profiles/*.toml); `parse_profile` guarantees the ranges and
/// relations that the members name.
///
/// An SM is whatever holds the scratch of a team: a streaming multiprocessor or a compute unit.
struct DeviceProfile {
  std::string name;         ///< what `--profile` takes, such as "h200-sxm"
  std::string title;        ///< what a person calls it, such as "NVIDIA H200"
  std::string vendor;       ///< the maker; "none" for an invented device
  std::string provenance;   ///< "measured", "published" or "invented": the group list's origin
  std::string source_file;  ///< where the profile was read from

  std::vector<int> sm_groups;  ///< SMs of each group that can host one cluster; each 1 or more

  int subgroup_size = 1;         ///< threads of a subgroup; a power of two, at most 64
  int max_threads_per_team = 1;  ///< threads; a multiple of subgroup_size
  int max_threads_per_sm = 1;    ///< threads resident on one SM; max_threads_per_team or more
  int max_teams_per_sm = 1;      ///< teams resident on one SM, whatever they use

  int registers_per_sm = 1;  ///< 32-bit registers
  int register_unit = 1;     ///< registers of a thread are allocated in multiples of this

  int scratch_bytes_per_sm = 0;             ///< bytes of on-chip scratch memory of one SM
  int max_scratch_bytes_per_team = 0;       ///< bytes that one team may ask for
  int reserved_scratch_bytes_per_team = 0;  ///< bytes that each resident team costs on top
  int scratch_unit_bytes = 1;               ///< scratch is allocated in multiples of this

  int max_portable_cluster = 1;     ///< teams of a cluster that needs no opt-in; 1: no clusters
  int max_nonportable_cluster = 1;  ///< teams with `allow_nonportable_size()`; at most the
                                    ///< SMs of the largest group

  bool has_dsmem = false;       ///< a team can address a peer's scratch
  bool has_multicast = false;   ///< one copy can land in the scratch of several teams
  bool has_work_queue = false;  ///< a running cluster can take over a pending one's task
  bool has_pair_mma = false;    ///< two teams can share one matrix operation

  long long l2_bytes = 0;  ///< bytes of the cache behind all SMs, of all groups together
  /// Each group of SMs has an equal part of it to itself, and the parts are not coherent.
  bool l2_is_per_group = false;
  std::string memory_kind;            ///< such as "HBM"
  double memory_bandwidth_tb_s = 0;   ///< 10^12 bytes a second
  std::string memory_bandwidth_kind;  ///< "copy" (read plus written), "achieved" or "peak"
  int clock_mhz = 1;                  ///< highest clock of the SMs, 10^6 cycles a second

  /// SMs of the device: the sum over `sm_groups`.
  int sm_count() const;
};

/// A profile that can't be used. `what()` is "file:line: key: what is wrong and what was expected".
class ProfileError : public std::runtime_error {
 public:
  /// `line` is 1 or more, or 0 where no line applies (it is then left out of the message); an empty
  /// `key` is left out too.
  ProfileError(std::string file, int line, std::string key, std::string const& explanation);

  std::string const& file() const noexcept { return file_; }
  int line() const noexcept { return line_; }
  std::string const& key() const noexcept { return key_; }

 private:
  std::string file_;
  int line_;
  std::string key_;
};

/// Reads a profile from TOML text. `file_name` is used in messages and kept as `source_file`.
///
/// Throws ProfileError for text that is not TOML, and for a key that is missing, unknown, of the
/// wrong type, without a source, out of range, or in contradiction to another. A missing key is
/// reported at the last line of the file.
DeviceProfile parse_profile(std::string_view text, std::string_view file_name);

/// Names of the profiles that are part of the library, sorted.
std::vector<std::string> builtin_profile_names();

/// The profile of that name, or the one in that file if `name_or_path` has a '/' or ends in
/// ".toml".
///
/// Each is read once; the reference stays valid until the process ends. Safe to call from several
/// threads. Throws ProfileError if there is no such profile (the message lists those there are), or
/// if the file can't be read or is wrong.
DeviceProfile const& find_profile(std::string_view name_or_path);

}  // namespace kohort::simulator
