// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GPUVerify's CUDA tests call races in shared memory.
#include "case.hpp"

namespace kohort::detect::gpuverify_scratch_races {

constexpr int threads = 64;
constexpr int teams = 4;

template <class Target>
using WithRow = ClusterPolicy<Target, TeamScratch<int[16]>>;
template <class Target>
using RowMember = typename WithRow<Target>::member_type;
template <class Target>
using WithCell = ClusterPolicy<Target, TeamScratch<int>>;
template <class Target>
using CellMember = typename WithCell<Target>::member_type;

template <class Target>
void all_write_the_first_element(Target const& target) {
  parallel_for(
      "first_element", WithRow<Target>(target, 1, 16),
      KOHORT_LAMBDA(RowMember<Target> const& member) {
        member.team_scratch()[0] = member.team_rank();
      });
  target.fence();
}

template <class Target>
void each_writes_its_own_element(Target const& target) {
  parallel_for(
      "own_element", WithRow<Target>(target, 1, 16),
      KOHORT_LAMBDA(RowMember<Target> const& member) {
        member.team_scratch()[member.team_rank()] = member.team_rank();
      });
  target.fence();
}

template <class Target>
void all_write_the_scalar(Target const& target) {
  parallel_for(
      "scalar", WithCell<Target>(target, teams, threads),
      KOHORT_LAMBDA(CellMember<Target> const& member) {
        member.team_scratch() = member.team_rank();
      });
  target.fence();
}

template <class Target>
void one_writes_the_scalar(Target const& target) {
  parallel_for(
      "scalar", WithCell<Target>(target, teams, threads),
      KOHORT_LAMBDA(CellMember<Target> const& member) {
        if (member.team_rank() == 0) member.team_scratch() = member.league_rank();
      });
  target.fence();
}

struct alignas(unsigned) Bytes {
  unsigned char bytes[32];
};

template <class Target>
using WithBytes = ClusterPolicy<Target, TeamScratch<Bytes>>;
template <class Target>
using BytesMember = typename WithBytes<Target>::member_type;

template <class Target>
void all_write_bytes_as_words(Target const& target) {
  parallel_for(
      "bytes_as_words", WithBytes<Target>(target, 1, 32),
      KOHORT_LAMBDA(BytesMember<Target> const& member) {
        auto* const words = reinterpret_cast<unsigned*>(member.team_scratch().bytes);
        for (int i = 0; i < 8; ++i) words[i] = static_cast<unsigned>(member.team_rank());
      });
  target.fence();
}

template <class Target>
void each_writes_a_word_of_bytes(Target const& target) {
  parallel_for(
      "bytes_as_words", WithBytes<Target>(target, 1, 32),
      KOHORT_LAMBDA(BytesMember<Target> const& member) {
        auto* const words = reinterpret_cast<unsigned*>(member.team_scratch().bytes);
        int const thread = member.team_rank();
        if (thread < 8) words[thread] = static_cast<unsigned>(thread);
      });
  target.fence();
}

template <class Target>
void all_threads_copy_the_whole_row(Target const& target) {
  auto const in = filled<int>(target, 10, 3);
  auto const out = filled<int>(target, threads);
  int const* const values = in.data();
  int* const results = out.data();
  parallel_for(
      "copy_row", WithRow<Target>(target, 1, threads),
      KOHORT_LAMBDA(RowMember<Target> const& member) {
        int* const row = member.team_scratch();
        for (int i = 0; i < 10; ++i) row[i] = values[i];
        member.team_barrier();
        results[member.team_rank()] = row[member.team_rank() % 10];
      });
  target.fence();
}

template <class Target>
void ten_threads_copy_an_element_each(Target const& target) {
  auto const in = filled<int>(target, 10, 3);
  auto const out = filled<int>(target, threads);
  int const* const values = in.data();
  int* const results = out.data();
  parallel_for(
      "copy_row", WithRow<Target>(target, 1, threads),
      KOHORT_LAMBDA(RowMember<Target> const& member) {
        int* const row = member.team_scratch();
        int const thread = member.team_rank();
        if (thread < 10) row[thread] = values[thread];
        member.team_barrier();
        results[thread] = row[thread % 10];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "gpuverify_race_on_shared",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "GPUVerify fail_tests/race_on_shared",
     .faulty = all_write_the_first_element<UnitTarget>,
     .repaired = each_writes_its_own_element<UnitTarget>},
    {.name = "gpuverify_shared_int",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "GPUVerify fail_tests/shared_int",
     .faulty = all_write_the_scalar<UnitTarget>,
     .repaired = one_writes_the_scalar<UnitTarget>},
    {.name = "gpuverify_cast",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "GPUVerify pointertests/cast",
     .faulty = all_write_bytes_as_words<UnitTarget>,
     .repaired = each_writes_a_word_of_bytes<UnitTarget>},
    {.name = "gpuverify_loop_unwind",
     .kind = "race",
     .expected = "race-team-scratch",
     .source = "GPUVerify loop_unwind",
     .faulty = all_threads_copy_the_whole_row<UnitTarget>,
     .repaired = ten_threads_copy_an_element_each<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::gpuverify_scratch_races
