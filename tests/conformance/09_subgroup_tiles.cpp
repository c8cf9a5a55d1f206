// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of 2 to 64 lanes: shuffles, votes, reductions and scans, with the masks inside.
#include "device.hpp"

namespace kohort::conformance::subgroup_tiles {

/// The widest tile that the target's compiler accepts; narrower devices are asked at run time.
template <class Target>
inline constexpr int widest_tile = 64;
template <>
inline constexpr int widest_tile<Cuda> = 32;

/// Runs `Body<Target, Lanes>` for each tile that the device has.
template <template <class, int> class Body, int Lanes = 2, class Target>
void for_each_tile(Target const& target) {
  if (Lanes > properties(target).subgroup_size) return;
  Body<Target, Lanes>::run(target);
  if constexpr (2 * Lanes <= widest_tile<Target>) for_each_tile<Body, 2 * Lanes>(target);
}

/// Two and a half subgroups where tiles allow, so that a team ends within a subgroup.
template <class Target>
int threads_for_tiles(Target const& target, int lanes) {
  int const subgroup = properties(target).subgroup_size;
  return 2 * subgroup + (lanes < subgroup ? subgroup / 2 : 0);
}

inline std::string tile_text(int lanes) { return "tile of " + std::to_string(lanes); }

struct Place {
  int rank, size, tile, tiles;
  bool operator==(Place const&) const = default;
};

template <class Target, int Lanes>
struct Places {
  static void run(Target const& target) {
    using Policy = ClusterPolicy<Target>;
    int const threads = threads_for_tiles(target, Lanes);
    auto const places = poisoned<Place>(target, threads);
    Place* const place = places.data();
    parallel_for(
        "tile_places", Policy(target, 1, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto const tile = member.template subgroup_tile<Lanes>();
          place[member.team_rank()] = Place{tile.thread_rank(), tile.size(), tile.meta_group_rank(),
                                            tile.meta_group_size()};
        });
    std::vector<Place> expected;
    for (int thread = 0; thread < threads; ++thread) {
      expected.push_back({thread % Lanes, Lanes, thread / Lanes, threads / Lanes});
    }
    require_all_equal(download(places), expected, tile_text(Lanes));
  }
};

/// 24 bytes: more than one register a shuffle.
struct Triple {
  double first;
  int second;
  unsigned long long third;
  bool operator==(Triple const&) const = default;
};

template <class T>
KOHORT_FUNCTION T value_of(int number) {
  if constexpr (std::is_same_v<T, Triple>) {
    return Triple{number * 0.5, -number, scrambled(number)};
  } else {
    return static_cast<T>(static_cast<int>(scrambled(number) % 2000) - 1000);
  }
}

/// Rows of a shuffle's results: one a kind and argument.
inline constexpr int shuffle_kinds = 5;

template <class T, class Target, int Lanes>
void check_shuffles(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const threads = threads_for_tiles(target, Lanes);
  auto const results = poisoned<T>(target, Lanes * shuffle_kinds * threads);
  T* const result = results.data();
  parallel_for(
      "shuffles", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto const tile = member.template subgroup_tile<Lanes>();
        int const thread = member.team_rank();
        T const mine = value_of<T>(thread);
        for (int n = 0; n < Lanes; ++n) {
          T* const row = result + n * shuffle_kinds * threads + thread;
          row[0 * threads] = tile.shuffle(mine, (tile.thread_rank() + n) % Lanes);
          row[1 * threads] = tile.shuffle_down(mine, n);
          row[2 * threads] = tile.shuffle_up(mine, n);
          row[3 * threads] = tile.shuffle_xor(mine, n);
          row[4 * threads] = tile.broadcast(mine, n);
        }
      });
  std::vector<T> expected;
  for (int n = 0; n < Lanes; ++n) {
    for (int kind = 0; kind < shuffle_kinds; ++kind) {
      for (int thread = 0; thread < threads; ++thread) {
        int const lane = thread % Lanes;
        int const down = lane + n < Lanes ? lane + n : lane;
        int const up = lane >= n ? lane - n : lane;
        int const source[] = {(lane + n) % Lanes, down, up, lane ^ n, n};
        expected.push_back(value_of<T>(thread - lane + source[kind]));
      }
    }
  }
  require_all_equal(download(results), expected,
                    tile_text(Lanes) + ", values of " + std::to_string(sizeof(T)) + " B");
}

template <class Target, int Lanes>
struct Shuffles {
  static void run(Target const& target) {
    check_shuffles<int, Target, Lanes>(target);
    check_shuffles<short, Target, Lanes>(target);
    check_shuffles<double, Target, Lanes>(target);
    check_shuffles<Triple, Target, Lanes>(target);
  }
};

template <class Target, int Lanes>
struct Votes {
  static constexpr int rounds = 24;

  /// Round 0: nobody; round 1: everybody; then one lane; then by chance.
  static KOHORT_FUNCTION bool predicate(int round, int thread) {
    if (round == 0) return false;
    if (round == 1) return true;
    if (round < 10) return thread % Lanes == (round - 2) % Lanes;
    return scrambled(round * 1000 + thread) % 3 != 0;
  }

  static void run(Target const& target) {
    using Policy = ClusterPolicy<Target>;
    int const threads = threads_for_tiles(target, Lanes);
    auto const ballots = poisoned<std::uint64_t>(target, rounds * threads);
    auto const votes = poisoned<int>(target, rounds * threads);
    std::uint64_t* const ballot = ballots.data();
    int* const vote = votes.data();
    parallel_for(
        "votes", Policy(target, 1, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto const tile = member.template subgroup_tile<Lanes>();
          int const thread = member.team_rank();
          for (int round = 0; round < rounds; ++round) {
            bool const mine = predicate(round, thread);
            ballot[round * threads + thread] = tile.ballot(mine);
            int const any = tile.any(mine) ? 1 : 0;
            int const all = tile.all(mine) ? 2 : 0;
            vote[round * threads + thread] = any + all;
          }
        });
    std::vector<std::uint64_t> expected_ballots;
    std::vector<int> expected_votes;
    for (int round = 0; round < rounds; ++round) {
      for (int thread = 0; thread < threads; ++thread) {
        std::uint64_t bits = 0;
        int count = 0;
        for (int lane = 0; lane < Lanes; ++lane) {
          if (!predicate(round, thread / Lanes * Lanes + lane)) continue;
          bits |= std::uint64_t{1} << lane;
          ++count;
        }
        expected_ballots.push_back(bits);
        expected_votes.push_back((count > 0 ? 1 : 0) + (count == Lanes ? 2 : 0));
      }
    }
    require_all_equal(download(ballots), expected_ballots, tile_text(Lanes) + ", ballots");
    require_all_equal(download(votes), expected_votes, tile_text(Lanes) + ", any and all");
  }
};

/// An operation of the user's own: the larger by magnitude, the positive one of two equal.
struct LargerMagnitude {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    return T(0);
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    T const l = left < T(0) ? -left : left;
    T const r = right < T(0) ? -right : right;
    return l == r ? (left < right ? right : left) : (l < r ? right : left);
  }
};

template <class T, class Operation, class Target, int Lanes>
void check_combinations(Target const& target, char const* text) {
  using Policy = ClusterPolicy<Target>;
  int const threads = threads_for_tiles(target, Lanes);
  auto const results = poisoned<T>(target, 3 * threads);
  T* const result = results.data();
  parallel_for(
      "tile_combinations", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto const tile = member.template subgroup_tile<Lanes>();
        int const thread = member.team_rank();
        T const mine = value_of<T>(thread);
        result[thread] = tile.reduce(mine, Operation());
        result[threads + thread] = tile.inclusive_scan(mine, Operation());
        result[2 * threads + thread] = tile.scan(mine, Operation());
      });
  Operation const operation;
  std::vector<T> expected(3 * threads);
  for (int first = 0; first < threads; first += Lanes) {
    T below = Operation::template identity<T>();
    for (int lane = 0; lane < Lanes; ++lane) {
      int const thread = first + lane;
      expected[2 * threads + thread] = below;
      below = operation(below, value_of<T>(thread));
      expected[threads + thread] = below;
    }
    for (int lane = 0; lane < Lanes; ++lane) expected[first + lane] = below;
  }
  require_all_equal(download(results), expected, tile_text(Lanes) + ", " + text);
}

template <class Target, int Lanes>
struct Combinations {
  static void run(Target const& target) {
    check_combinations<int, Sum, Target, Lanes>(target, "sums of int");
    check_combinations<long long, Max, Target, Lanes>(target, "maxima of long long");
    check_combinations<float, Sum, Target, Lanes>(target, "sums of float");
    check_combinations<double, Min, Target, Lanes>(target, "minima of double");
    check_combinations<unsigned, BitXor, Target, Lanes>(target, "xor of unsigned");
    check_combinations<int, LargerMagnitude, Target, Lanes>(target, "an operation of one's own");
  }
};

/// Lanes exchange through team scratch; the tile's barrier alone orders them.
template <class Target, int Lanes>
struct Barriers {
  static void run(Target const& target) {
    using Policy = ClusterPolicy<Target, DynamicTeamScratch<int>>;
    int const threads = threads_for_tiles(target, Lanes);
    int const rounds = 6;
    auto const results = poisoned<int>(target, threads);
    int* const result = results.data();
    parallel_for(
        "tile_barriers", Policy(target, 1, threads).dynamic_team_scratch(threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto const tile = member.template subgroup_tile<Lanes>();
          int* const cells = member.dynamic_team_scratch() + tile.meta_group_rank() * Lanes;
          int const lane = tile.thread_rank();
          int sum = 0;
          for (int round = 0; round < rounds; ++round) {
            cells[lane] = round * 100 + member.team_rank();
            tile.barrier();
            sum += cells[(lane + round) % Lanes];
            tile.barrier();
          }
          result[member.team_rank()] = sum;
        });
    std::vector<int> expected;
    for (int thread = 0; thread < threads; ++thread) {
      int sum = 0;
      for (int round = 0; round < rounds; ++round) {
        sum += round * 100 + thread / Lanes * Lanes + (thread % Lanes + round) % Lanes;
      }
      expected.push_back(sum);
    }
    require_all_equal(download(results), expected, tile_text(Lanes));
  }
};

/// Tiles of a subgroup take branches of their own and still meet within themselves.
template <class Target, int Lanes>
struct Branches {
  static void run(Target const& target) {
    using Policy = ClusterPolicy<Target>;
    int const threads = threads_for_tiles(target, Lanes);
    auto const results = poisoned<int>(target, threads);
    int* const result = results.data();
    parallel_for(
        "tile_branches", Policy(target, 1, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          auto const tile = member.template subgroup_tile<Lanes>();
          int sum = 0;
          if (tile.meta_group_rank() % 2 == 0) {
            for (int n = 0; n < 3; ++n) sum += tile.reduce(member.team_rank() + n);
          } else {
            sum = -tile.reduce(member.team_rank());
          }
          result[member.team_rank()] = sum;
        });
    std::vector<int> expected;
    for (int thread = 0; thread < threads; ++thread) {
      int const first = thread / Lanes * Lanes;
      int const sum = Lanes * first + Lanes * (Lanes - 1) / 2;
      expected.push_back(thread / Lanes % 2 == 0 ? 3 * sum + 3 * Lanes : -sum);
    }
    require_all_equal(download(results), expected, tile_text(Lanes));
  }
};

namespace {
Rung<UnitTarget> const rung("09_subgroup_tiles",
                            {{"TilesKnowTheirPlace", for_each_tile<Places, 2, UnitTarget>},
                             {"Shuffles", for_each_tile<Shuffles, 2, UnitTarget>},
                             {"Votes", for_each_tile<Votes, 2, UnitTarget>},
                             {"ReductionsAndScans", for_each_tile<Combinations, 2, UnitTarget>},
                             {"Barriers", for_each_tile<Barriers, 2, UnitTarget>},
                             {"TilesMayBranch", for_each_tile<Branches, 2, UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::subgroup_tiles
