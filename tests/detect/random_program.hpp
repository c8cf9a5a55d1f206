// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Random cluster programs: what each thread does between which synchronisations, as data that one
/// kernel interprets, and the log of what happened, from which an oracle works out by brute force
/// which accesses were unordered (happens_before_oracle.hpp).
namespace kohort::detect {

enum class Space : std::uint8_t { team_scratch, cluster_scratch, global };
enum class Operation : std::uint8_t { read, write, load, store, add, compare_exchange, fence };

/// What one thread does at one point.
struct Action {
  Operation operation = Operation::read;
  Space space = Space::global;
  int peer = 0;    ///< of cluster scratch: the team whose memory it is
  int offset = 0;  ///< bytes
  int bytes = 4;   ///< 1 to 16; an atomic's is 4 or 8
  Scope scope = Scope::device;
  MemoryOrder order = MemoryOrder::relaxed;
};

enum class Synchronisation : std::uint8_t {
  none,
  team_barrier,
  subgroup_barrier,
  tile_barrier,
  named_barrier,
  cluster_barrier,
  split_barrier
};

/// A stretch of the program: actions, then a synchronisation that every thread comes to, or every
/// thread of the teams in `teams`.
struct Phase {
  std::vector<std::vector<Action>> actions;  ///< by thread of the league
  Synchronisation synchronisation = Synchronisation::none;
  std::uint32_t teams = ~0U;  ///< of the cluster, a bit each: who comes, but for cluster barriers
  std::uint32_t relaxed = 0;  ///< split barrier: teams that arrive relaxed
  int tile_lanes = 2;         ///< 2 or 4
  int named_subgroups = 1;    ///< named barrier: how many of the first subgroups meet
  std::uint32_t leaving = 0;  ///< teams that return at the phase's end (ManualLifetime)
  std::vector<std::vector<Action>> between;  ///< split barrier: between arrival and wait
};

struct Program {
  std::uint64_t seed = 0;
  std::string profile;
  std::string schedule;
  int extents[3] = {1, 1, 1};  ///< of the cluster
  int clusters = 1;
  int threads = 1;         ///< of a team
  int subgroup_lanes = 4;  ///< of the profile
  bool manual_lifetime = false;
  std::vector<Phase> phases;

  int teams() const { return extents[0] * extents[1] * extents[2]; }
};

/// Bytes of every scratch object and of global memory that actions touch.
inline constexpr int arena_bytes = 48;

Program random_program(std::uint64_t seed);
std::string describe(Program const& program);

/// Something that a thread did, in the order in which it happened.
struct Event {
  enum class Kind : std::uint8_t {
    access,
    fence,
    team_barrier,
    meeting,  ///< of a subgroup, a tile or a named barrier
    arrive,
    arrive_relaxed,
    wait,
    returned
  };
  Kind kind = Kind::access;
  int cluster = 0;
  int team = 0;         ///< of the cluster
  int thread = 0;       ///< of the team
  bool leaves = false;  ///< of a barrier: the thread goes on; else it comes
  int generation = 0;   ///< of a barrier: the program's phase that it ends
  int group = 0;        ///< of a meeting: which of the team's groups of threads

  // Of an access:
  std::uintptr_t address = 0;
  int bytes = 0;
  bool writes = false;
  bool is_atomic = false;
  Operation operation = Operation::read;
  Scope scope = Scope::system;
  MemoryOrder order = MemoryOrder::relaxed;
  int memory = -1;  ///< -1: global; else scratch, of this cluster: addresses come again
  int owner = -1;   ///< of cluster scratch: the team whose memory it is
};

/// What the checker said of one access.
struct Verdict {
  std::size_t event = 0;  ///< in the log
  std::string id;
  std::uintptr_t granule = 0;  ///< address / 4
  int earlier_cluster = -1;
  int earlier_team = -1;
  int earlier_thread = -1;
  int cluster = 0;
  int team = 0;  ///< whose access it is, where a team's end found it
  int thread = 0;
  int peer = -1;
};

struct Run {
  std::vector<Event> events;
  std::vector<Verdict> verdicts;
  std::string failure;  ///< a finding of another kind: the generator's fault
};

Run run(Program const& program);

}  // namespace kohort::detect
