// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses beyond objects, after their end, before their first write, and at the wrong alignment.
#include "case.hpp"

#include <cstdint>
#include <vector>

namespace kohort::detect::own_memory {

constexpr int teams = 2;
constexpr int threads = 32;

/// One element too many of a team's object.
template <class Target, class T, int Elements, bool Repaired>
void beyond_the_scratch(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<T[Elements]>>;
  auto const out = filled<T>(target, teams * 64);
  T* const results = out.data();
  parallel_for(
      "beyond_the_scratch", Policy(target, teams, 64),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        T* const values = member.team_scratch();
        if (thread < Elements + (Repaired ? 0 : 1)) values[thread] = T(1);
        member.team_barrier();
        if (thread < Elements) results[member.league_rank() * 64 + thread] = values[thread];
      });
  target.fence();
}

/// The neighbour on the left of the first element.
template <class Target, int Index>
void one_index_of_the_scratch(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<float[threads]>>;
  parallel_for(
      "one_index_of_the_scratch", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        float* const values = member.team_scratch();
        if (member.team_rank() == 11) values[Index] = 1;
      });
  target.fence();
}

/// The loop counts bytes where the array has elements of two.
template <class Target, bool Repaired>
void beyond_the_dynamic_scratch(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<int[4]>, DynamicTeamScratch<std::int16_t>>;
  Policy policy(target, teams, threads);
  policy.dynamic_team_scratch(100);
  parallel_for(
      "beyond_the_dynamic_scratch", policy,
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const count = member.dynamic_team_size() * (Repaired ? 1 : 2);
        for (int i = member.team_rank(); i < count; i += threads)
          member.dynamic_team_scratch()[i] = 0;
      });
  target.fence();
}

/// The last column of the tile asks the peer for one more.
template <class Target, bool Repaired>
void beyond_a_peers_scratch(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<1, 2, 2>, ClusterScratch<double[threads]>>;
  auto const out = filled<double>(target, 4 * threads);
  double* const results = out.data();
  parallel_for(
      "beyond_a_peers_scratch", Policy(target, League(1, 2, 2), threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        auto const tile = member.cluster_scratch();
        tile[thread] = 1;
        member.cluster_barrier();
        auto const next = member.peer(tile, (member.cluster_rank() + 1) % 4);
        int const right = thread + 1 < threads || !Repaired ? thread + 1 : 0;
        results[member.league_rank() * threads + thread] = next[right];
      });
  target.fence();
}

/// Reads `Shift` elements away: before the first one, or behind the last.
template <class Target, class T, int Shift>
void beside_the_buffer(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const in = filled<T>(target, teams * threads);
  auto const out = filled<T>(target, teams * threads);
  T const* const values = in.data();
  T* const results = out.data();
  parallel_for(
      "beside_the_buffer", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const element = member.league_rank() * threads + member.team_rank();
        results[element] = values[element + Shift];
      });
  target.fence();
}

/// 61 bytes: the 62nd lies in a word whose first byte is right.
template <class Target, bool Repaired>
void a_byte_beyond_the_buffer(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const out = filled<char>(target, 61);
  char* const results = out.data();
  parallel_for(
      "a_byte_beyond_the_buffer", Policy(target, 1, 64),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        if (Repaired ? thread < 61 : thread <= 61) results[thread] = 1;
      });
  target.fence();
}

struct Record {
  double weight;
  std::int64_t key;
  int first, count;
};

/// Records start behind a header of 8 B that the Buffer's size has forgotten.
template <class Target, bool Repaired>
void a_record_half_beyond(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const in = filled<std::int64_t>(target, 3 * threads + (Repaired ? 1 : 0));
  auto const out = filled<Record>(target, threads);
  std::int64_t const* const words = in.data();
  Record* const results = out.data();
  parallel_for(
      "a_record_half_beyond", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto const* const records = reinterpret_cast<Record const*>(words + 1);
        results[member.team_rank()] = records[member.team_rank()];
      });
  target.fence();
}

/// A pointer taken before the Buffer was replaced by a larger one.
template <class Target, bool Writes, bool Repaired>
void pointer_older_than_the_buffer(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto buffer = filled<float>(target, threads);
  float* values = buffer.data();
  buffer = filled<float>(target, 2 * threads);
  if (Repaired) values = buffer.data();
  auto const out = filled<float>(target, threads);
  float* const results = out.data();
  parallel_for(
      "pointer_older_than_the_buffer", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (Writes) {
          values[member.team_rank()] = 1;
        } else {
          results[member.team_rank()] = values[member.team_rank()];
        }
      });
  target.fence();
}

/// One of the elements is nobody's to fill.
template <class Target, bool Repaired>
void one_element_unwritten(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<std::int16_t[threads]>>;
  auto const out = filled<int>(target, teams * threads);
  int* const results = out.data();
  parallel_for(
      "one_element_unwritten", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        auto& values = member.team_scratch();
        if (Repaired || thread != 21) values[thread] = 1;
        member.team_barrier();
        int sum = 0;
        for (std::int16_t const value : values) sum += value;
        results[member.league_rank() * threads + thread] = sum;
      });
  target.fence();
}

/// Two of three fields are set, the third is used.
template <class Target, bool Repaired>
void one_field_unwritten(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>, ClusterScratch<Record>>;
  auto const out = filled<double>(target, teams * threads);
  double* const results = out.data();
  parallel_for(
      "one_field_unwritten", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto const record = member.cluster_scratch();
        if (member.team_rank() == 0) {
          record->weight = 2;
          record->first = 1;
          if (Repaired) record->count = 3;
        }
        member.cluster_barrier();
        auto const other = member.peer(record, 1 - member.cluster_rank());
        results[member.league_rank() * threads + member.team_rank()] = other->weight * other->count;
      });
  target.fence();
}

/// A number of elements where one of bytes was asked for: half of the array is zeroed.
template <class Target, bool Repaired>
void half_of_the_dynamic_scratch_unwritten(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicTeamScratch<double>>;
  auto const out = filled<double>(target, teams * threads);
  double* const results = out.data();
  Policy policy(target, teams, threads);
  policy.dynamic_team_scratch(threads);
  parallel_for(
      "half_of_the_dynamic_scratch_unwritten", policy,
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        if (thread < (Repaired ? threads : threads / 2)) member.dynamic_team_scratch()[thread] = 0;
        member.team_barrier();
        results[member.league_rank() * threads + thread] =
            member.dynamic_team_scratch()[threads - 1 - thread];
      });
  target.fence();
}

/// The counter that everybody adds to begins with whatever was there.
template <class Target, bool Repaired>
void counter_begins_anywhere(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<int>>;
  auto const out = filled<int>(target, teams);
  int* const results = out.data();
  parallel_for(
      "counter_begins_anywhere", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int& count = member.team_scratch();
        if (Repaired && member.team_rank() == 0) count = 0;
        member.team_barrier();
        atomic_add<Scope::team>(&count, 1);
        member.team_barrier();
        if (member.team_rank() == 0) results[member.league_rank()] = count;
      });
  target.fence();
}

/// A Buffer begins with whatever was there, and so does its copy.
template <class Target, bool Copied, bool Repaired>
void buffer_never_written(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  Buffer<unsigned char, Target> fresh(target, threads);
  Buffer<unsigned char, Target> copy(target, threads);
  if (Repaired) deep_copy(fresh, 1);
  if (Copied) deep_copy(copy, fresh);
  auto const out = filled<int>(target, threads);
  unsigned char const* const values = Copied ? copy.data() : fresh.data();
  int* const results = out.data();
  parallel_for(
      "buffer_never_written", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        results[member.team_rank()] = values[member.team_rank()];
      });
  target.fence();
}

struct alignas(16) Packet {
  float x, y, z, w;
};

/// A `T` every so many bytes, of which only some places are right.
template <class Target, class T, int Stride>
void every_so_many_bytes(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const bytes = filled<char>(target, threads * 24);
  char* const begin = bytes.data();
  parallel_for(
      "every_so_many_bytes", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        *reinterpret_cast<T*>(begin + Stride * member.team_rank()) = T{};
      });
  target.fence();
}

/// Whole records behind a header of `Header` words of four bytes.
template <class Target, int Header>
void records_behind_a_header(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const in = filled<int>(target, 6 * threads + 2, 1);
  auto const out = filled<Record>(target, threads);
  int const* const words = in.data();
  Record* const results = out.data();
  parallel_for(
      "records_behind_a_header", Policy(target, 1, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto const* const records = reinterpret_cast<Record const*>(words + Header);
        results[member.team_rank()] = records[member.team_rank()];
      });
  target.fence();
}

template <class Target, int Offset>
void wide_atomic_at(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<int[4]>>;
  auto const out = filled<int>(target, teams);
  int* const results = out.data();
  parallel_for(
      "wide_atomic_at", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int* const words = member.team_scratch();
        if (member.team_rank() < 4) words[member.team_rank()] = 0;
        member.team_barrier();
        atomic_max(reinterpret_cast<std::uint64_t*>(words + Offset), 7U);
        member.team_barrier();
        if (member.team_rank() == 0) results[member.league_rank()] = words[Offset];
      });
  target.fence();
}

struct Padded {
  char kind;
  double value;
};

/// Padding is copied with the rest, and nobody ever writes it.
template <class Target>
void control_padding_is_copied(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Padded[threads]>>;
  auto const out = filled<Padded>(target, teams * threads);
  Padded* const results = out.data();
  parallel_for(
      "control_padding_is_copied", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        Padded& mine = member.team_scratch()[thread];
        mine.kind = 'k';
        mine.value = thread;
        member.team_barrier();
        results[member.league_rank() * threads + thread] = member.team_scratch()[thread ^ 5];
      });
  target.fence();
}

/// The bytes that unwritten memory has here, but written: by the host, and by the kernel.
template <class Target>
void control_written_like_poison(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<std::uint64_t[threads]>>;
  auto const in = filled<std::uint64_t>(target, threads, 0xABABABABABABABABU);
  auto const out = filled<std::uint64_t>(target, teams * threads);
  std::uint64_t const* const values = in.data();
  std::uint64_t* const results = out.data();
  parallel_for(
      "control_written_like_poison", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        member.team_scratch()[thread] = values[thread];
        member.team_barrier();
        results[member.league_rank() * threads + thread] = member.team_scratch()[thread ^ 1];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {"beyond_the_scratch", "memory", "scratch-out-of-bounds", "own",
     beyond_the_scratch<UnitTarget, float, 40, false>,
     beyond_the_scratch<UnitTarget, float, 40, true>},
    {"a_short_beyond_the_scratch", "memory", "scratch-out-of-bounds", "own",
     beyond_the_scratch<UnitTarget, short, 33, false>,
     beyond_the_scratch<UnitTarget, short, 33, true>},
    {"before_the_scratch", "memory", "scratch-out-of-bounds", "own",
     one_index_of_the_scratch<UnitTarget, -1>, one_index_of_the_scratch<UnitTarget, 0>},
    {"well_beyond_the_buffer", "memory", "buffer-out-of-bounds", "own",
     beside_the_buffer<UnitTarget, double, 400>, beside_the_buffer<UnitTarget, double, 0>},
    {"beyond_the_dynamic_scratch", "memory", "scratch-out-of-bounds", "own",
     beyond_the_dynamic_scratch<UnitTarget, false>, beyond_the_dynamic_scratch<UnitTarget, true>},
    {"beyond_a_peers_scratch", "memory", "scratch-out-of-bounds", "own",
     beyond_a_peers_scratch<UnitTarget, false>, beyond_a_peers_scratch<UnitTarget, true>},
    {"one_beyond_the_buffer", "memory", "buffer-out-of-bounds", "own",
     beside_the_buffer<UnitTarget, std::int64_t, 1>,
     beside_the_buffer<UnitTarget, std::int64_t, 0>},
    {"one_before_the_buffer", "memory", "buffer-out-of-bounds", "own",
     beside_the_buffer<UnitTarget, float, -1>, beside_the_buffer<UnitTarget, float, 0>},
    {"a_byte_beyond_the_buffer", "memory", "buffer-out-of-bounds", "own",
     a_byte_beyond_the_buffer<UnitTarget, false>, a_byte_beyond_the_buffer<UnitTarget, true>},
    {"a_record_half_beyond", "memory", "buffer-out-of-bounds", "own",
     a_record_half_beyond<UnitTarget, false>, a_record_half_beyond<UnitTarget, true>},
    {"read_of_a_freed_buffer", "memory", "use-after-free", "own",
     pointer_older_than_the_buffer<UnitTarget, false, false>,
     pointer_older_than_the_buffer<UnitTarget, false, true>},
    {"write_to_a_freed_buffer", "memory", "use-after-free", "own",
     pointer_older_than_the_buffer<UnitTarget, true, false>,
     pointer_older_than_the_buffer<UnitTarget, true, true>},
    {"one_element_unwritten", "memory", "uninitialised-read", "own",
     one_element_unwritten<UnitTarget, false>, one_element_unwritten<UnitTarget, true>},
    {"one_field_unwritten", "memory", "uninitialised-read", "own",
     one_field_unwritten<UnitTarget, false>, one_field_unwritten<UnitTarget, true>},
    {"half_of_the_dynamic_scratch_unwritten", "memory", "uninitialised-read", "own",
     half_of_the_dynamic_scratch_unwritten<UnitTarget, false>,
     half_of_the_dynamic_scratch_unwritten<UnitTarget, true>},
    {"counter_begins_anywhere", "memory", "uninitialised-read", "own",
     counter_begins_anywhere<UnitTarget, false>, counter_begins_anywhere<UnitTarget, true>},
    {"buffer_never_written", "memory", "uninitialised-read", "own",
     buffer_never_written<UnitTarget, false, false>, buffer_never_written<UnitTarget, false, true>},
    {"copy_of_a_buffer_never_written", "memory", "uninitialised-read", "own",
     buffer_never_written<UnitTarget, true, false>, buffer_never_written<UnitTarget, true, true>},
    {"doubles_every_12_bytes", "memory", "misaligned-access", "own",
     every_so_many_bytes<UnitTarget, double, 12>, every_so_many_bytes<UnitTarget, double, 16>},
    {"packets_every_24_bytes", "memory", "misaligned-access", "own",
     every_so_many_bytes<UnitTarget, Packet, 24>, every_so_many_bytes<UnitTarget, Packet, 16>},
    {"shorts_every_3_bytes", "memory", "misaligned-access", "own",
     every_so_many_bytes<UnitTarget, std::int16_t, 3>,
     every_so_many_bytes<UnitTarget, std::int16_t, 4>},
    {.name = "records_behind_one_word",
     .kind = "memory",
     .expected = "misaligned-access",
     .source = "own",
     .faulty = records_behind_a_header<UnitTarget, 1>,
     .repaired = records_behind_a_header<UnitTarget, 2>,
     .missed_because =
         "a compiler tells of a struct's copy as so many bytes, without its alignment"},
    {"wide_atomic_between_words", "memory", "misaligned-access", "own",
     wide_atomic_at<UnitTarget, 1>, wide_atomic_at<UnitTarget, 2>},
    {"control_padding_is_copied", "control", "", "own", control_padding_is_copied<UnitTarget>},
    {"control_written_like_poison", "control", "", "own", control_written_like_poison<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::own_memory
