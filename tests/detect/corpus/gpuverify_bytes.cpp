// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUVerify's CUDA tests of copies and bytes: races of parts of words, and neighbours that are
// none.
#include "case.hpp"

#include <cstring>

namespace kohort::detect::gpuverify_bytes {

constexpr int threads = 32;
constexpr int teams = 2;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;

struct Pair {
  short first;
  short second;
};

struct Odd {
  short first;
  short second;
  char third = 0;
};
static_assert(sizeof(Pair) == 4 && sizeof(Odd) == 6);

template <class Target>
void all_assign_one_struct(Target const& target) {
  auto const out = filled<Pair>(target, threads);
  Pair* const pairs = out.data();
  parallel_for(
      "assign_pair", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        auto const rank = static_cast<short>(member.team_rank());
        pairs[9] = Pair{rank, static_cast<short>(-rank)};
      });
  target.fence();
}

template <class Target>
void each_assigns_its_struct(Target const& target) {
  auto const out = filled<Pair>(target, threads);
  Pair* const pairs = out.data();
  parallel_for(
      "assign_pair", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        auto const rank = static_cast<short>(member.team_rank());
        pairs[rank] = Pair{rank, static_cast<short>(-rank)};
      });
  target.fence();
}

/// Each thread copies `Length` bytes from its element to `Shift` bytes into its element; there are
/// elements enough for the last one's.
template <int Length, int Shift, class Element, class Target>
void copy_bytes(Target const& target) {
  auto const from = filled<Element>(target, threads + 2, Element{1, 2});
  auto const to = filled<Element>(target, threads + 2);
  Element const* const in = from.data();
  Element* const out = to.data();
  parallel_for(
      "copy_bytes", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        std::memcpy(reinterpret_cast<char*>(out + thread) + Shift, in + thread, Length);
      });
  target.fence();
}

template <class Target>
void two_elements_are_copied(Target const& target) {
  copy_bytes<2 * sizeof(Odd), 0, Odd>(target);
}

template <class Target>
void one_element_is_copied(Target const& target) {
  copy_bytes<sizeof(Odd), 0, Odd>(target);
}

template <class Target>
void part_of_an_element_is_copied(Target const& target) {
  copy_bytes<4, 0, Odd>(target);
}

template <class Target>
void one_byte_more_is_copied(Target const& target) {
  copy_bytes<sizeof(Pair) + 1, 0, Pair>(target);
}

template <class Target>
void one_byte_less_is_copied(Target const& target) {
  copy_bytes<sizeof(Pair) - 1, 0, Pair>(target);
}

template <class Target>
void shifted_copies_overlap(Target const& target) {
  copy_bytes<sizeof(Pair) + 2, 1, Pair>(target);
}

template <class Target>
void shifted_copies_touch(Target const& target) {
  copy_bytes<sizeof(Pair), 1, Pair>(target);
}

struct Text {
  char* letters;
};

template <class Target>
void all_write_one_byte(Target const& target) {
  auto const out = filled<char>(target, 1);
  Text const text{out.data()};
  parallel_for(
      "write_byte", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        text.letters[0] = static_cast<char>(member.team_rank());
      });
  target.fence();
}

template <class Target>
void each_writes_its_byte(Target const& target) {
  auto const out = filled<char>(target, teams * threads);
  Text const text{out.data()};
  parallel_for(
      "write_byte", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        text.letters[member.league_rank() * threads + member.team_rank()] = 'k';
      });
  target.fence();
}

/// Neighbouring bytes belong to different teams.
template <class Target>
void teams_interleave_bytes(Target const& target) {
  auto const out = filled<char>(target, teams * threads);
  Text const text{out.data()};
  parallel_for(
      "interleave_bytes", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        text.letters[member.team_rank() * teams + member.league_rank()] = 'k';
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "gpuverify_fail_arrayofstruct",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify memcpy/fail_arrayofstruct",
     .faulty = all_assign_one_struct<UnitTarget>,
     .repaired = each_assigns_its_struct<UnitTarget>},
    {.name = "gpuverify_fail_overstep",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify memcpy/fail_overstep",
     .faulty = two_elements_are_copied<UnitTarget>,
     .repaired = one_element_is_copied<UnitTarget>},
    {.name = "gpuverify_lentoobig",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify memcpy/lentoobig",
     .faulty = one_byte_more_is_copied<UnitTarget>,
     .repaired = one_byte_less_is_copied<UnitTarget>},
    {.name = "gpuverify_notexactdiv",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify memcpy/notexactdiv",
     .faulty = shifted_copies_overlap<UnitTarget>,
     .repaired = shifted_copies_touch<UnitTarget>},
    {.name = "gpuverify_fresh_array_of_char",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify fresh_arrays/fail/struct_char",
     .faulty = all_write_one_byte<UnitTarget>,
     .repaired = each_writes_its_byte<UnitTarget>},
    {.name = "gpuverify_lentoosmall",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify memcpy/lentoosmall",
     .faulty = part_of_an_element_is_copied<UnitTarget>},
    {.name = "gpuverify_own_bytes",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify fresh_arrays/pass/struct_char",
     .faulty = teams_interleave_bytes<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::gpuverify_bytes
