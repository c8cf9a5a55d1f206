// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts that only look unaligned, uninitialised or out of bounds in Oclgrind's tests.
#include "case.hpp"

#include <cstdint>

namespace kohort::detect::oclgrind_layouts {

constexpr int threads = 16;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;

struct __attribute__((packed)) Packed {
  char mark;
  int value;
};

template <class Target>
void packed_struct(Target const& target) {
  Packed const argument{'k', 0x02000002};
  auto const in = filled<Packed>(target, threads, argument);
  auto const out = filled<int>(target, threads);
  Packed const* const elements = in.data();
  int* const results = out.data();
  parallel_for(
      "unpack", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const i = member.team_rank();
        results[i] = argument.value + elements[i].value;
      });
  target.fence();
}

struct Padded {
  char first;
  int second;
  char third;
};

struct Nested {
  char first;
  int second;
  char third;
  Padded rest;
};

KOHORT_FUNCTION Padded padded_value() {
  Padded value;
  value.first = 42;
  value.second = 0x79fffff9;
  value.third = 127;
  return value;
}

template <class Target>
void padded_struct_from_a_thread(Target const& target) {
  auto const out = Buffer<Padded, Target>(target, threads);
  Padded* const results = out.data();
  parallel_for(
      "store_padded", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        results[member.team_rank()] = padded_value();
      });
  target.fence();
}

template <class Target>
using WithPadded = ClusterPolicy<Target, TeamScratch<Padded>>;
template <class Target>
using PaddedMember = typename WithPadded<Target>::member_type;

template <class Target>
void padded_struct_through_scratch(Target const& target) {
  auto const out = Buffer<Padded, Target>(target, 1);
  Padded* const result = out.data();
  parallel_for(
      "hand_over_padded", WithPadded<Target>(target, 1, 2),
      KOHORT_LAMBDA(PaddedMember<Target> const& member) {
        if (member.team_rank() == 0) member.team_scratch() = padded_value();
        member.team_barrier();
        if (member.team_rank() == 1) *result = member.team_scratch();
      });
  target.fence();
}

template <class Target>
void nested_padded_struct(Target const& target) {
  auto const out = Buffer<Nested, Target>(target, 2);
  Nested* const results = out.data();
  parallel_for(
      "store_nested", Plain<Target>(target, 1, 1), KOHORT_LAMBDA(Member<Target> const&) {
        Nested value;
        value.first = 1;
        value.second = 0x02000002;
        value.third = 3;
        value.rest = padded_value();
        results[0] = value;
        results[1] = results[0];
      });
  target.fence();
}

struct ByteAndWords {
  unsigned char byte[1];
  std::uint64_t words[4];
};

template <class Target>
using WithByteAndWords = ClusterPolicy<Target, TeamScratch<ByteAndWords>>;
template <class Target>
using ByteAndWordsMember = typename WithByteAndWords<Target>::member_type;

template <class Target>
void array_behind_padding(Target const& target) {
  auto const in = filled<int>(target, 1, 3);
  auto const out = filled<std::uint64_t>(target, 1);
  int const* const last = in.data();
  std::uint64_t* const result = out.data();
  parallel_for(
      "index_behind_padding", WithByteAndWords<Target>(target, 1, 1),
      KOHORT_LAMBDA(ByteAndWordsMember<Target> const& member) {
        member.team_scratch() = ByteAndWords{{1}, {2, 3, 4, 5}};
        ByteAndWords const copy = member.team_scratch();
        *result = copy.words[*last] + member.team_scratch().words[*last];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "oclgrind_packed",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind alignment/packed",
     .faulty = packed_struct<UnitTarget>},
    {.name = "oclgrind_padded_struct_alloca_fp",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind uninitialized/padded_struct_alloca_fp",
     .faulty = padded_struct_from_a_thread<UnitTarget>},
    {.name = "oclgrind_padded_struct_memcpy_fp",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind uninitialized/padded_struct_memcpy_fp",
     .faulty = padded_struct_through_scratch<UnitTarget>},
    {.name = "oclgrind_padded_nested_struct_memcpy",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind uninitialized/padded_nested_struct_memcpy",
     .faulty = nested_padded_struct<UnitTarget>},
    {.name = "oclgrind_fake_out_of_bounds",
     .kind = "control",
     .expected = "",
     .source = "Oclgrind memcheck/fake_out_of_bounds",
     .faulty = array_behind_padding<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::oclgrind_layouts
