// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cluster scratch: one's own through Shared, a peer's through Peer, never a copy.
#include "device.hpp"

namespace kohort::conformance::cluster_scratch {

inline constexpr int most_threads = 256;

template <class Target>
void ring_exchange(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int[most_threads]>>;
  int const threads = team_threads(target, most_threads);
  for (int size : cluster_sizes(target)) {
    int const teams = 5 * size;
    auto const results = poisoned<int>(target, teams * threads);
    int* const result = results.data();
    Policy policy(target, teams, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "ring_exchange", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto tile = member.cluster_scratch();
          int const thread = member.team_rank();
          tile[thread] = member.league_rank() * 1000 + thread;
          member.cluster_barrier();
          auto next = member.peer(tile, (member.cluster_rank() + 1) % size);
          result[member.league_rank() * threads + thread] = next[threads - 1 - thread];
        });
    std::vector<int> expected;
    for (int team = 0; team < teams; ++team) {
      int const next = team / size * size + (team + 1) % size;
      for (int thread = 0; thread < threads; ++thread) {
        expected.push_back(next * 1000 + threads - 1 - thread);
      }
    }
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

/// The example of the design, with a fixed shape.
template <class Target>
void fixed_pairs_average_with_their_neighbour(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<float[most_threads]>>;
  int const threads = team_threads(target, most_threads);
  int const teams = 24;
  std::vector<float> const input = random_values<float>(teams * threads, 5);
  auto const inputs = upload(target, input);
  auto const outputs = poisoned<float>(target, input.size());
  float const* const in = inputs.data();
  float* const out = outputs.data();
  bool const ran = launched(
      "average_with_neighbour", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        int const element = member.league_rank() * threads + thread;
        auto tile = member.cluster_scratch();
        tile[thread] = in[element];
        member.cluster_barrier();
        auto neighbour = member.peer(tile, member.cluster_rank() ^ 1);
        out[element] = 0.5f * (tile[thread] + neighbour[thread]);
      });
  if (!ran) return;
  std::vector<float> expected;
  for (int team = 0; team < teams; ++team) {
    for (int thread = 0; thread < threads; ++thread) {
      expected.push_back(0.5f *
                         (input[team * threads + thread] + input[(team ^ 1) * threads + thread]));
    }
  }
  require_all_equal(download(outputs), expected, "averages");
}

template <class Target>
void every_team_reads_every_peer(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<unsigned[64]>>;
  int const threads = team_threads(target, 64);
  for (int size : cluster_sizes(target)) {
    int const teams = 3 * size;
    auto const results = poisoned<unsigned>(target, teams * threads);
    unsigned* const result = results.data();
    Policy policy(target, teams, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "all_to_all_reads", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto tile = member.cluster_scratch();
          int const thread = member.team_rank();
          tile[thread] = scrambled(member.league_rank() * threads + thread);
          member.cluster_barrier();
          unsigned sum = 0;
          for (int rank = 0; rank < member.cluster_size(); ++rank) {
            sum = sum * 31 + member.peer(tile, rank)[(thread + rank) % threads];
          }
          result[member.league_rank() * threads + thread] = sum;
        });
    std::vector<unsigned> expected;
    for (int team = 0; team < teams; ++team) {
      for (int thread = 0; thread < threads; ++thread) {
        unsigned sum = 0;
        for (int rank = 0; rank < size; ++rank) {
          int const owner = team / size * size + rank;
          int const cell = owner * threads + (thread + rank) % threads;
          sum = sum * 31 + static_cast<unsigned>(scrambled(cell));
        }
        expected.push_back(sum);
      }
    }
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

/// Every team pushes a row into every peer: the transpose of who holds what.
template <class Target>
void every_team_writes_into_every_peer(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int[16][16]>>;
  int const threads = team_threads(target, 16);
  for (int size : cluster_sizes(target)) {
    int const teams = 2 * size;
    auto const results = poisoned<int>(target, teams * size * 16);
    int* const result = results.data();
    Policy policy(target, teams, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "all_to_all_writes", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto rows = member.cluster_scratch();
          int const mine = member.cluster_rank();
          for (int rank = 0; rank < size; ++rank) {
            auto target_rows = member.peer(rows, rank);
            for (int i = member.team_rank(); i < 16; i += member.team_size()) {
              target_rows[mine][i] = member.league_rank() * 10000 + rank * 100 + i;
            }
          }
          member.cluster_barrier();
          for (int i = member.team_rank(); i < size * 16; i += member.team_size()) {
            result[member.league_rank() * size * 16 + i] = rows[i / 16][i % 16];
          }
        });
    std::vector<int> expected;
    for (int team = 0; team < teams; ++team) {
      for (int rank = 0; rank < size; ++rank) {
        for (int i = 0; i < 16; ++i) {
          expected.push_back((team / size * size + rank) * 10000 + team % size * 100 + i);
        }
      }
    }
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

struct State {
  int count;
  float tile[32];
  struct {
    double value;
    short flags[2];
  } inner;
};

/// Stores through the handle reach the owner's object: a handle that copied would lose them.
template <class Target>
void a_struct_is_written_through_the_handle(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<State>>;
  int const size = cluster_teams(target, 4);
  int const teams = 3 * size;
  int const threads = team_threads(target, 32);
  auto const states = poisoned<State>(target, teams);
  State* const state = states.data();
  Policy policy(target, teams, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "struct_through_the_handle", policy,
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto mine = member.cluster_scratch();
        auto next = member.peer(mine, (member.cluster_rank() + 1) % size);
        for (int i = member.team_rank(); i < 32; i += threads) {
          next->tile[i] = member.league_rank() + 0.5f * i;
        }
        if (member.team_rank() == 0) {
          next->count = member.league_rank();
          next->inner.value = member.league_rank() * 0.25;
          (*next).inner.flags[1] = static_cast<short>(next.rank());
        }
        member.cluster_barrier();
        if (member.team_rank() == 0) {
          state[member.league_rank()] = *mine;
          state[member.league_rank()].inner.flags[0] = 7;
        }
      });
  std::vector<State> const seen = download(states);
  for (int team = 0; team < teams; ++team) {
    int const writer = team / size * size + (team + size - 1) % size;
    require_equal(seen[team].count, writer, "count");
    require_equal(seen[team].inner.value, writer * 0.25, "inner.value");
    require_equal<int>(seen[team].inner.flags[1], team % size, "inner.flags[1], the peer's rank");
    for (int i = 0; i < 32; ++i) require_equal(seen[team].tile[i], writer + 0.5f * i, "tile");
  }
}

template <class Target>
void a_dynamic_array_is_mapped_with_its_length(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicClusterScratch<double>>;
  int const size = cluster_teams(target, 4);
  for (int count : {1, 33, 400}) {
    auto const results = poisoned<double>(target, 2 * size);
    double* const result = results.data();
    Policy policy(target, 2 * size, team_threads(target, 64), size);
    policy.allow_nonportable_size().dynamic_cluster_scratch(count);
    parallel_for(
        "dynamic_cluster_scratch", policy,
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto cells = member.dynamic_cluster_scratch();
          for (int i = member.team_rank(); i < cells.size(); i += member.team_size()) {
            cells[i] = member.league_rank() * 0.5 + i;
          }
          member.cluster_barrier();
          if (member.team_rank() != 0) return;
          auto last = member.peer(cells, size - 1 - member.cluster_rank());
          double sum = 1e6 * (last.size() == count) + 1e7 * (cells.size() == count);
          for (int i = 0; i < last.size(); ++i) sum += last[i];
          result[member.league_rank()] = sum;
        });
    std::vector<double> expected;
    for (int team = 0; team < 2 * size; ++team) {
      int const owner = team / size * size + size - 1 - team % size;
      expected.push_back(1.1e7 + owner * 0.5 * count + count * (count - 1) / 2.0);
    }
    require_all_equal(download(results), expected, std::to_string(count) + " elements");
  }
}

struct alignas(32) Lane {
  float x, y, z, w, rest[4];
};

/// All four kinds of scratch at once, with types of every alignment, in several lengths.
template <class Target>
void all_four_kinds_of_scratch_live_together(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicTeamScratch<Lane>, ClusterScratch<char[3]>,
                               DynamicClusterScratch<short>, TeamScratch<double>>;
  int const size = cluster_teams(target, 2);
  for (int shorts : {1, 5, 16, 77}) {
    int const lanes = 9;
    auto const results = poisoned<int>(target, size);
    int* const result = results.data();
    Policy policy(target, size, team_threads(target, 32), size);
    policy.dynamic_team_scratch(lanes).dynamic_cluster_scratch(shorts);
    parallel_for(
        "four_kinds", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto letters = member.cluster_scratch();
          auto numbers = member.dynamic_cluster_scratch();
          Lane* const wide = member.dynamic_team_scratch();
          int const mine = member.cluster_rank() + 1;
          if (member.team_rank() == 0) {
            member.team_scratch() = mine * 0.125;
            for (int i = 0; i < 3; ++i) letters[i] = static_cast<char>(mine * 10 + i);
            for (int i = 0; i < shorts; ++i) numbers[i] = static_cast<short>(mine * 50 + i);
            for (int i = 0; i < lanes; ++i) wide[i] = Lane{1, 2, 3, 4, {5, 6, 7, 8}};
          }
          member.cluster_barrier();
          if (member.team_rank() != 0) return;
          int const other = size - mine + 1;
          auto their_letters = member.peer(letters, other - 1);
          auto their_numbers = member.peer(numbers, other - 1);
          int wrong = member.team_scratch() != mine * 0.125;
          for (int i = 0; i < 3; ++i) wrong += their_letters[i] != other * 10 + i;
          for (int i = 0; i < shorts; ++i) wrong += their_numbers[i] != other * 50 + i;
          for (int i = 0; i < lanes; ++i) wrong += wide[i].x != 1 || wide[i].rest[3] != 8;
          wrong += reinterpret_cast<std::uintptr_t>(wide) % 32 != 0;
          result[member.league_rank()] = wrong;
        });
    require_all_equal(download(results), std::vector<int>(size, 0),
                      std::to_string(shorts) + " shorts");
  }
}

template <class Target>
void a_peer_of_oneself_is_oneself(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<int[4]>>;
  int const size = cluster_teams(target, 2);
  auto const results = poisoned<int>(target, 4 * size);
  int* const result = results.data();
  parallel_for(
      "peer_of_oneself", Policy(target, 4 * size, 8, size),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto mine = member.cluster_scratch();
        auto same = member.peer(mine, member.cluster_rank());
        if (member.team_rank() == 0) {
          same[2] = 40 + member.league_rank();
          mine[3] = 2;
          result[member.league_rank()] = mine[2] + same[3];
        }
      });
  std::vector<int> expected;
  for (int team = 0; team < 4 * size; ++team) expected.push_back(42 + team);
  require_all_equal(download(results), expected, "written through one, read through the other");
}

namespace {
Rung<UnitTarget> const rung(
    "05_cluster_scratch",
    {{"RingExchange", ring_exchange<UnitTarget>},
     {"FixedPairsAverageWithTheirNeighbour", fixed_pairs_average_with_their_neighbour<UnitTarget>},
     {"EveryTeamReadsEveryPeer", every_team_reads_every_peer<UnitTarget>},
     {"EveryTeamWritesIntoEveryPeer", every_team_writes_into_every_peer<UnitTarget>},
     {"AStructIsWrittenThroughTheHandle", a_struct_is_written_through_the_handle<UnitTarget>},
     {"ADynamicArrayIsMappedWithItsLength", a_dynamic_array_is_mapped_with_its_length<UnitTarget>},
     {"AllFourKindsOfScratchLiveTogether", all_four_kinds_of_scratch_live_together<UnitTarget>},
     {"APeerOfOneselfIsOneself", a_peer_of_oneself_is_oneself<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::cluster_scratch
