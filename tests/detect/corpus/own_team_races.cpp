// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races for a team's own scratch: through calls, views and copies, at every width, and in loops
// that are one barrier short.
#include "case.hpp"

#include <cstdint>

#if defined(__CUDACC__)
#define KOHORT_DETECT_CALLED __host__ __device__ __noinline__
#else
#define KOHORT_DETECT_CALLED __attribute__((noinline))
#endif

namespace kohort::detect::own_team_races {

constexpr int teams = 2;
constexpr int threads = 64;

template <class Target, class Scratch>
using Teams = ClusterPolicy<Target, TeamScratch<Scratch>>;
template <class Target, class Scratch>
using Member = typename Teams<Target, Scratch>::member_type;

template <class Caller>
KOHORT_FUNCTION float left_of(Caller const& member, int distance) {
  int const size = member.team_size();
  return member.team_scratch()[(member.team_rank() + size - distance) % size];
}
template <class Caller>
KOHORT_FUNCTION float left_and_right(Caller const& member) {
  return left_of(member, 1) + left_of(member, member.team_size() - 1);
}

template <class Target, bool Repaired>
void neighbours_by_two_calls(Target const& target) {
  using Scratch = float[threads];
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "neighbours_by_two_calls", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        member.team_scratch()[thread] = 0;
        member.team_barrier();
        member.team_scratch()[thread] = 0.5F * static_cast<float>(thread);
        if (Repaired) member.team_barrier();
        results[member.league_rank() * threads + thread] = left_and_right(member);
      });
  target.fence();
}

/// The shape that everybody writes first: here the racing read is also one of nobody's value.
template <class Target, bool Repaired>
void first_fill_read_too_early(Target const& target) {
  using Scratch = float[threads];
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "first_fill_read_too_early", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        member.team_scratch()[thread] = static_cast<float>(thread);
        if (Repaired) member.team_barrier();
        results[member.league_rank() * threads + thread] = member.team_scratch()[thread ^ 1];
      });
  target.fence();
}

KOHORT_DETECT_CALLED inline double taken(double const* values, int index) { return values[index]; }
KOHORT_DETECT_CALLED inline void put(double* values, int index, double value) {
  values[index] = value;
}

template <class Target, bool Repaired>
void rotation_in_place(Target const& target) {
  using Scratch = double[threads];
  auto const out = filled<double>(target, teams * threads);
  double* const results = out.data();
  parallel_for(
      "rotation_in_place", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        double* const values = member.team_scratch();
        put(values, thread, thread);
        member.team_barrier();
        double const next = taken(values, (thread + 1) % threads);
        if (Repaired) member.team_barrier();
        put(values, thread, next);
        member.team_barrier();
        results[member.league_rank() * threads + thread] = taken(values, threads - 1 - thread);
      });
  target.fence();
}

template <class T>
struct View {
  T* data;
  int rows;
  int columns;
  KOHORT_FUNCTION T& operator()(int row, int column) const { return data[row * columns + column]; }
};

template <class Target, bool Repaired>
void transposition_by_a_view(Target const& target) {
  using Scratch = std::int64_t[threads];
  auto const out = filled<std::int64_t>(target, teams * threads);
  std::int64_t* const results = out.data();
  parallel_for(
      "transposition_by_a_view", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const row = member.team_rank() / 8;
        int const column = member.team_rank() % 8;
        View<std::int64_t> const tile{member.team_scratch(), 8, 8};
        View<std::int64_t> const result{results + member.league_rank() * threads, 8, 8};
        tile(row, column) = 0;
        member.team_barrier();
        tile(row, column) = 10 * row + column;
        if (Repaired) member.team_barrier();
        result(row, column) = tile(column, row);
      });
  target.fence();
}

struct alignas(16) Packet {
  float x, y, z, w;
};
struct Record {
  double weight;
  std::int64_t key;
  int first, count;
};
static_assert(sizeof(Packet) == 16 && sizeof(Record) == 24);

KOHORT_FUNCTION void set(Packet& packet, int value) {
  float const real = static_cast<float>(value);
  packet = {real, real + 1, real + 2, real + 3};
}
KOHORT_FUNCTION void set(Record& record, int value) { record = {0.5 * value, value, 0, value}; }

template <class Target, class Whole, bool Repaired>
void whole_struct_copies(Target const& target) {
  using Scratch = Whole[threads];
  auto const out = filled<Whole>(target, teams * threads);
  Whole* const results = out.data();
  parallel_for(
      "whole_struct_copies", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        set(member.team_scratch()[thread], 0);
        member.team_barrier();
        set(member.team_scratch()[thread], thread);
        if (Repaired) member.team_barrier();
        results[member.league_rank() * threads + thread] = member.team_scratch()[thread ^ 33];
      });
  target.fence();
}

template <class Target, bool Repaired>
void bytes_read_backwards(Target const& target) {
  using Scratch = char[threads];
  auto const out = filled<char>(target, teams * threads);
  char* const results = out.data();
  parallel_for(
      "bytes_read_backwards", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        member.team_scratch()[thread] = 0;
        member.team_barrier();
        member.team_scratch()[thread] = static_cast<char>(thread);
        if (Repaired) member.team_barrier();
        results[member.league_rank() * threads + thread] =
            member.team_scratch()[threads - 1 - thread];
      });
  target.fence();
}

struct alignas(8) Quarters {
  std::int16_t parts[4];
};

/// 8 B are written, 2 B in their middle are read.
template <class Target, bool Repaired>
void a_quarter_of_a_wide_store(Target const& target) {
  using Scratch = Quarters[threads / 2];
  auto const out = filled<std::int16_t>(target, teams * threads / 2);
  std::int16_t* const results = out.data();
  parallel_for(
      "a_quarter_of_a_wide_store", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        int const word = thread % (threads / 2);
        if (thread < threads / 2) member.team_scratch()[word] = Quarters{{0, 0, 0, 0}};
        member.team_barrier();
        if (thread < threads / 2)
          member.team_scratch()[word] = Quarters{{1, 2, static_cast<std::int16_t>(word), 4}};
        if (Repaired) member.team_barrier();
        if (thread >= threads / 2)
          results[member.league_rank() * threads / 2 + word] = member.team_scratch()[word].parts[2];
      });
  target.fence();
}

struct Nibbles {
  unsigned int low : 4;
  unsigned int high : 4;
};
struct Bytes {
  unsigned char low;
  unsigned char high;
};

/// Neighbouring bit-fields are one place in memory, neighbouring bytes are not.
template <class Target, class Pair>
void two_fields_by_two_threads(Target const& target) {
  using Scratch = Pair[threads / 2];
  auto const out = filled<int>(target, teams * threads);
  int* const results = out.data();
  parallel_for(
      "two_fields_by_two_threads", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        Pair* const pairs = member.team_scratch();
        if (thread < threads / 2) pairs[thread] = Pair{0, 0};
        member.team_barrier();
        if (thread % 2 == 0) {
          pairs[thread / 2].low = thread % 16;
        } else {
          pairs[thread / 2].high = thread % 16;
        }
        member.team_barrier();
        results[member.league_rank() * threads + thread] =
            thread % 2 == 0 ? pairs[thread / 2].low : pairs[thread / 2].high;
      });
  target.fence();
}

/// Every writer writes the same: still a race.
template <class Target, bool Repaired>
void all_say_the_same(Target const& target) {
  auto const out = filled<int>(target, teams * threads);
  int* const results = out.data();
  parallel_for(
      "all_say_the_same", Teams<Target, int>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, int> const& member) {
        int const thread = member.team_rank();
        int& found = member.team_scratch();
        if (thread == 0) found = 0;
        member.team_barrier();
        if (thread % 7 == 3) {
          if (Repaired) {
            atomic_or<Scope::team>(&found, 1);
          } else {
            found = 1;
          }
        }
        member.team_barrier();
        results[member.league_rank() * threads + thread] = found;
      });
  target.fence();
}

template <class Target, bool Repaired>
void broadcast_overwritten(Target const& target) {
  auto const out = filled<double>(target, teams * threads);
  double* const results = out.data();
  parallel_for(
      "broadcast_overwritten", Teams<Target, double>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, double> const& member) {
        int const thread = member.team_rank();
        double sum = 0;
        for (int round = 0; round < 5; ++round) {
          if (thread == 0) member.team_scratch() = 3.0 * round;
          member.team_barrier();
          sum += member.team_scratch();
          if (Repaired) member.team_barrier();
        }
        results[member.league_rank() * threads + thread] = sum;
      });
  target.fence();
}

/// Each round fills the buffer that the next one reads: two of them need a second barrier, since
/// who is ahead fills what others still read.
template <class Target, int Buffers>
void rotating_buffers(Target const& target) {
  using Scratch = float[Buffers][threads];
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "rotating_buffers", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        auto& buffers = member.team_scratch();
        buffers[0][thread] = 1;
        float sum = 0;
        for (int round = 0; round < 6; ++round) {
          buffers[(round + 1) % Buffers][thread] = static_cast<float>(round);
          member.team_barrier();
          sum += buffers[round % Buffers][(thread + 1) % threads];
        }
        results[member.league_rank() * threads + thread] = sum;
      });
  target.fence();
}

template <class Target, bool Repaired>
void tree_without_a_middle_barrier(Target const& target) {
  using Scratch = std::int64_t[128];
  auto const out = filled<std::int64_t>(target, teams);
  std::int64_t* const results = out.data();
  parallel_for(
      "tree_without_a_middle_barrier", Teams<Target, Scratch>(target, teams, 128),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        auto& values = member.team_scratch();
        values[thread] = thread;
        member.team_barrier();
        for (int stride = 64; stride > 0; stride /= 2) {
          if (thread < stride) values[thread] += values[thread + stride];
          if (Repaired || stride != 16) member.team_barrier();
        }
        if (thread == 0) results[member.league_rank()] = values[0];
      });
  target.fence();
}

template <class Target, bool Repaired>
void only_the_last_round_races(Target const& target) {
  using Scratch = short[32];
  constexpr int rounds = 400;
  auto const out = filled<int>(target, teams * 32);
  int* const results = out.data();
  parallel_for(
      "only_the_last_round_races", Teams<Target, Scratch>(target, teams, 32),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        auto& values = member.team_scratch();
        int sum = 0;
        for (int round = 0; round < rounds; ++round) {
          values[thread] = static_cast<short>(round);
          if (Repaired || round + 1 < rounds) member.team_barrier();
          sum += values[(thread + round) % 32];
          member.team_barrier();
        }
        results[member.league_rank() * 32 + thread] = sum;
      });
  target.fence();
}

template <class Target>
void control_neighbouring_bytes(Target const& target) {
  using Scratch = char[threads + 1];
  auto const out = filled<int>(target, teams * threads);
  int* const results = out.data();
  parallel_for(
      "control_neighbouring_bytes", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        char* const bytes = member.team_scratch() + 1;
        bytes[thread] = static_cast<char>(thread);
        bytes[thread] = static_cast<char>(bytes[thread] + 1);
        results[member.league_rank() * threads + thread] = bytes[thread];
      });
  target.fence();
}

/// Two buffers and one barrier a round are enough when a round reads what it has filled itself.
template <class Target>
void control_two_buffers_one_barrier(Target const& target) {
  using Scratch = Packet[2][threads];
  auto const out = filled<float>(target, teams * threads);
  float* const results = out.data();
  parallel_for(
      "control_two_buffers_one_barrier", Teams<Target, Scratch>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target, Scratch> const& member) {
        int const thread = member.team_rank();
        float sum = 0;
        for (int round = 0; round < 6; ++round) {
          auto& buffer = member.team_scratch()[round % 2];
          set(buffer[thread], round);
          member.team_barrier();
          sum += buffer[(thread + 5) % threads].y;
        }
        results[member.league_rank() * threads + thread] = sum;
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {"neighbours_by_two_calls", "race", "race-team-scratch", "own",
     neighbours_by_two_calls<UnitTarget, false>, neighbours_by_two_calls<UnitTarget, true>},
    {"first_fill_read_too_early", "race", "race-team-scratch", "own",
     first_fill_read_too_early<UnitTarget, false>, first_fill_read_too_early<UnitTarget, true>},
    {"rotation_in_place", "race", "race-team-scratch", "own", rotation_in_place<UnitTarget, false>,
     rotation_in_place<UnitTarget, true>},
    {"transposition_by_a_view", "race", "race-team-scratch", "own",
     transposition_by_a_view<UnitTarget, false>, transposition_by_a_view<UnitTarget, true>},
    {"copies_of_16_bytes", "race", "race-team-scratch", "own",
     whole_struct_copies<UnitTarget, Packet, false>, whole_struct_copies<UnitTarget, Packet, true>},
    {"copies_of_24_bytes", "race", "race-team-scratch", "own",
     whole_struct_copies<UnitTarget, Record, false>, whole_struct_copies<UnitTarget, Record, true>},
    {"bytes_read_backwards", "race", "race-team-scratch", "own",
     bytes_read_backwards<UnitTarget, false>, bytes_read_backwards<UnitTarget, true>},
    {"a_quarter_of_a_wide_store", "race", "race-team-scratch", "own",
     a_quarter_of_a_wide_store<UnitTarget, false>, a_quarter_of_a_wide_store<UnitTarget, true>},
    {"bit_fields_by_two_threads", "race", "race-team-scratch", "own",
     two_fields_by_two_threads<UnitTarget, Nibbles>, two_fields_by_two_threads<UnitTarget, Bytes>},
    {"all_say_the_same", "race", "race-team-scratch", "own", all_say_the_same<UnitTarget, false>,
     all_say_the_same<UnitTarget, true>},
    {"broadcast_overwritten", "race", "race-team-scratch", "own",
     broadcast_overwritten<UnitTarget, false>, broadcast_overwritten<UnitTarget, true>},
    {"rotating_buffers", "race", "race-team-scratch", "own", rotating_buffers<UnitTarget, 2>,
     rotating_buffers<UnitTarget, 3>},
    {"tree_without_a_middle_barrier", "race", "race-team-scratch", "own",
     tree_without_a_middle_barrier<UnitTarget, false>,
     tree_without_a_middle_barrier<UnitTarget, true>},
    {"only_the_last_round_races", "race", "race-team-scratch", "own",
     only_the_last_round_races<UnitTarget, false>, only_the_last_round_races<UnitTarget, true>},
    {"control_neighbouring_bytes", "control", "", "own", control_neighbouring_bytes<UnitTarget>},
    {"control_two_buffers_one_barrier", "control", "", "own",
     control_two_buffers_one_barrier<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::own_team_races
