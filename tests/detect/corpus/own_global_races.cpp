// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races for global memory: between clusters that share what each believes to own, between teams of
// a cluster, and within a team that takes it for scratch.
#include "case.hpp"

#include <cstdint>

#if defined(__CUDACC__)
#define KOHORT_DETECT_CALLED __host__ __device__ __noinline__
#else
#define KOHORT_DETECT_CALLED __attribute__((noinline))
#endif

namespace kohort::detect::own_global_races {

constexpr int teams = 4;
constexpr int threads = 32;
constexpr int elements = teams * threads;

template <class Target>
using Teams = ClusterPolicy<Target>;
template <class Target>
using Member = typename Teams<Target>::member_type;

/// The team's own barrier keeps its own reads and writes apart, but not the next team's.
template <class Target, bool Repaired>
void stencil_in_place(Target const& target) {
  auto const field = filled<double>(target, elements + 1, 1.0);
  auto const other = filled<double>(target, elements + 1, 1.0);
  double* const from = field.data();
  double* const to = Repaired ? other.data() : field.data();
  parallel_for(
      "stencil_in_place", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        double const mean = 0.5 * (from[element] + from[element + 1]);
        member.team_barrier();
        to[element] = mean;
      });
  target.fence();
}

template <class Target, bool Repaired>
void one_element_of_the_next_team(Target const& target) {
  auto const out = filled<short>(target, elements + 1);
  short* const results = out.data();
  parallel_for(
      "one_element_of_the_next_team", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const first = member.league_rank() * threads;
        int const last = first + threads - (Repaired ? 1 : 0);
        for (int element = first + member.team_rank(); element <= last; element += threads)
          results[element] = static_cast<short>(element);
      });
  target.fence();
}

template <class Target, bool Repaired>
void sum_of_all_teams(Target const& target) {
  auto const sum = filled<double>(target, 1);
  double* const total = sum.data();
  parallel_for(
      "sum_of_all_teams", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        double const part = member.team_reduce(1.0);
        if (member.team_rank() != 0) return;
        if (Repaired) {
          atomic_add(total, part);
        } else {
          *total += part;
        }
      });
  target.fence();
}

struct Record {
  double weight;
  std::int64_t key;
  int first, count;
};

/// Each pair of records is swapped by both of its threads.
template <class Target, bool Repaired>
void records_swapped_twice(Target const& target) {
  auto const buffer = filled<Record>(target, elements, Record{1, 2, 3, 4});
  Record* const records = buffer.data();
  parallel_for(
      "records_swapped_twice", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        Record* const mine = records + member.league_rank() * threads;
        int const one = member.team_rank();
        int const other = threads - 1 - one;
        if (Repaired && one > other) return;
        Record const kept = mine[one];
        mine[one] = mine[other];
        mine[other] = kept;
      });
  target.fence();
}

template <class Target, bool Repaired>
void global_memory_as_scratch(Target const& target) {
  auto const buffer = filled<std::int64_t>(target, elements, 7);
  auto const out = filled<std::int64_t>(target, elements);
  std::int64_t* const values = buffer.data();
  std::int64_t* const results = out.data();
  parallel_for(
      "global_memory_as_scratch", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const first = member.league_rank() * threads;
        values[first + member.team_rank()] += member.team_rank();
        if (Repaired) member.team_barrier();
        results[first + member.team_rank()] = values[first + (member.team_rank() + 9) % threads];
      });
  target.fence();
}

/// Peers meet in global memory: a cluster barrier publishes that as well, a team barrier does not.
template <class Target, bool Repaired>
void peers_meet_in_global_memory(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2, 1, 2>>;
  auto const buffer = filled<float>(target, 8 * threads);
  auto const out = filled<float>(target, 8 * threads);
  float* const values = buffer.data();
  float* const results = out.data();
  parallel_for(
      "peers_meet_in_global_memory", Policy(target, League(2, 2, 2), threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        int const cluster = member.cluster_league_rank() * 4 * threads;
        int const diagonal = 3 - member.cluster_rank();
        values[cluster + member.cluster_rank() * threads + thread] = 1;
        if (Repaired) {
          member.cluster_barrier();
        } else {
          member.team_barrier();
        }
        results[cluster + member.cluster_rank() * threads + thread] =
            values[cluster + diagonal * threads + thread];
      });
  target.fence();
}

struct alignas(16) Packet {
  float x, y, z, w;
};

/// With the team's size as its stride, every team does the whole work, and writes the same.
template <class Target, bool Repaired>
void stride_of_one_team(Target const& target) {
  auto const out = filled<Packet>(target, elements);
  Packet* const results = out.data();
  parallel_for(
      "stride_of_one_team", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const stride = Repaired ? member.league_size() * threads : threads;
        int const first = Repaired ? member.league_rank() * threads : 0;
        for (int element = first + member.team_rank(); element < elements; element += stride)
          results[element] = Packet{1, 2, 3, float(element)};
      });
  target.fence();
}

/// Marks are only ever set: a byte each by plain stores, or a word of four by atomics.
template <class Target, bool Repaired>
void marks_set_by_several(Target const& target) {
  auto const marks = filled<unsigned int>(target, 8);
  unsigned int* const words = marks.data();
  auto* const bytes = reinterpret_cast<unsigned char*>(words);
  parallel_for(
      "marks_set_by_several", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const vertex = (member.team_rank() + 8 * member.league_rank()) % 32;
        if (Repaired) {
          atomic_or(&words[vertex / 4], 1U << (8 * (vertex % 4)));
        } else {
          bytes[vertex] = 1;
        }
      });
  target.fence();
}

/// The extents of the wrong dimensions: teams of different rows number themselves alike.
template <class Target, bool Repaired>
void league_numbered_wrongly(Target const& target) {
  auto const out = filled<int>(target, 16 * threads);
  int* const results = out.data();
  parallel_for(
      "league_numbered_wrongly", Teams<Target>(target, League(4, 2, 2), threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const width = member.league_extent(Repaired ? 0 : 1);
        int const row = member.league_index(2) * member.league_extent(1) + member.league_index(1);
        int const number = row * width + member.league_index(0);
        results[number * threads + member.team_rank()] = member.league_rank();
      });
  target.fence();
}

struct Queue {
  int count;
  int items[elements];
};

KOHORT_DETECT_CALLED inline int reserved(Queue* queue) {
  int const slot = queue->count;
  queue->count = slot + 1;
  return slot;
}
KOHORT_DETECT_CALLED inline void append(Queue* queue, int slot, int item) {
  queue->items[slot] = item;
}

template <class Target, bool Repaired>
void queue_filled_by_calls(Target const& target) {
  auto const buffer = filled<Queue>(target, 1);
  Queue* const queue = buffer.data();
  parallel_for(
      "queue_filled_by_calls", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.team_rank() != 5) return;
        int const slot = Repaired ? atomic_fetch_add(&queue->count, 1) : reserved(queue);
        append(queue, Repaired ? slot : member.league_rank(), member.league_rank());
      });
  target.fence();
}

/// A launch follows the one before it.
template <class Target>
void control_launch_after_launch(Target const& target) {
  auto const buffer = filled<char>(target, elements);
  char* const bytes = buffer.data();
  for (int pass = 0; pass < 4; ++pass) {
    parallel_for(
        "control_launch_after_launch", Teams<Target>(target, teams, threads),
        KOHORT_LAMBDA(Member<Target> const& member) {
          int const element = member.league_rank() * threads + member.team_rank();
          int const mine = (element + 37 * pass) % elements;
          bytes[mine] = static_cast<char>(bytes[mine] + 1);
        });
  }
  target.fence();
}

template <class Target>
void control_teams_own_bytes_of_a_word(Target const& target) {
  auto const buffer = filled<unsigned char>(target, elements);
  unsigned char* const bytes = buffer.data();
  parallel_for(
      "control_teams_own_bytes_of_a_word", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        unsigned char& mine = bytes[member.team_rank() * teams + member.league_rank()];
        mine = 1;
        mine = static_cast<unsigned char>(mine + member.team_rank());
      });
  target.fence();
}

template <class Target>
void control_table_read_by_all(Target const& target) {
  auto const table = filled<Record>(target, threads, Record{1, 2, 3, 4});
  auto const out = filled<double>(target, elements);
  Record const* const records = table.data();
  double* const results = out.data();
  parallel_for(
      "control_table_read_by_all", Teams<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        double sum = 0;
        for (int i = 0; i < threads; ++i) {
          Record const one = records[(i + member.team_rank()) % threads];
          sum += one.weight * one.count;
        }
        results[member.league_rank() * threads + member.team_rank()] = sum;
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {"stencil_in_place", "race", "race-global", "own", stencil_in_place<UnitTarget, false>,
     stencil_in_place<UnitTarget, true>},
    {"one_element_of_the_next_team", "race", "race-global", "own",
     one_element_of_the_next_team<UnitTarget, false>,
     one_element_of_the_next_team<UnitTarget, true>},
    {"sum_of_all_teams", "race", "race-global", "own", sum_of_all_teams<UnitTarget, false>,
     sum_of_all_teams<UnitTarget, true>},
    {"records_swapped_twice", "race", "race-global", "own",
     records_swapped_twice<UnitTarget, false>, records_swapped_twice<UnitTarget, true>},
    {"global_memory_as_scratch", "race", "race-global", "own",
     global_memory_as_scratch<UnitTarget, false>, global_memory_as_scratch<UnitTarget, true>},
    {"peers_meet_in_global_memory", "race", "race-global", "own",
     peers_meet_in_global_memory<UnitTarget, false>, peers_meet_in_global_memory<UnitTarget, true>},
    {"stride_of_one_team", "race", "race-global", "own", stride_of_one_team<UnitTarget, false>,
     stride_of_one_team<UnitTarget, true>},
    {"marks_set_by_several", "race", "race-global", "own", marks_set_by_several<UnitTarget, false>,
     marks_set_by_several<UnitTarget, true>},
    {"league_numbered_wrongly", "race", "race-global", "own",
     league_numbered_wrongly<UnitTarget, false>, league_numbered_wrongly<UnitTarget, true>},
    {"queue_filled_by_calls", "race", "race-global", "own",
     queue_filled_by_calls<UnitTarget, false>, queue_filled_by_calls<UnitTarget, true>},
    {"control_launch_after_launch", "control", "", "own", control_launch_after_launch<UnitTarget>},
    {"control_teams_own_bytes_of_a_word", "control", "", "own",
     control_teams_own_bytes_of_a_word<UnitTarget>},
    {"control_table_read_by_all", "control", "", "own", control_table_read_by_all<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::own_global_races
