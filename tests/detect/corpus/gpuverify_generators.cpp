// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUVerify's CUDA tests of random generators whose state more threads share than may, here with a
// generator of our own.
#include "case.hpp"

namespace kohort::detect::gpuverify_generators {

constexpr int threads = 64;
constexpr int teams = 2;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;

struct Generator {
  unsigned state;
};

KOHORT_FUNCTION unsigned draw(Generator& generator) {
  generator.state = generator.state * 1664525U + 1013904223U;
  return generator.state >> 8U;
}

/// Every thread draws once, from generator `rank % generators`.
template <class Target>
void draw_in_one_team(Target const& target, int team_threads, int generators) {
  auto const state = filled<Generator>(target, static_cast<std::size_t>(generators), {1});
  auto const out = filled<unsigned>(target, static_cast<std::size_t>(team_threads));
  Generator* const source = state.data();
  unsigned* const numbers = out.data();
  parallel_for(
      "draw", Plain<Target>(target, 1, team_threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        numbers[thread] = draw(source[thread % generators]);
      });
  target.fence();
}

template <class Target>
void all_draw_from_one(Target const& target) {
  draw_in_one_team(target, 2, 1);
}

template <class Target>
void each_draws_from_its_own(Target const& target) {
  draw_in_one_team(target, 2, 2);
}

template <class Target>
void twice_as_many_threads_as_generators(Target const& target) {
  draw_in_one_team(target, 512, 256);
}

template <class Target>
void as_many_threads_as_generators(Target const& target) {
  draw_in_one_team(target, 256, 256);
}

/// The first thread of each team draws, from generator `league_rank % generators`.
template <class Target>
void draw_in_teams(Target const& target, int generators) {
  auto const state = filled<Generator>(target, static_cast<std::size_t>(generators), {1});
  auto const out = filled<unsigned>(target, teams);
  Generator* const source = state.data();
  unsigned* const numbers = out.data();
  parallel_for(
      "draw_in_teams", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const team = member.league_rank();
        if (member.team_rank() == 0) numbers[team] = draw(source[team % generators]);
      });
  target.fence();
}

template <class Target>
void teams_draw_from_one(Target const& target) {
  draw_in_teams(target, 1);
}

template <class Target>
void teams_draw_from_their_own(Target const& target) {
  draw_in_teams(target, teams);
}

template <class Target>
void all_seed_one(Target const& target) {
  Buffer<Generator, Target> const state(target, 1);
  auto const out = filled<unsigned>(target, 1);
  Generator* const generator = state.data();
  unsigned* const number = out.data();
  parallel_for(
      "seed", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        generator->state = 12345;
        member.team_barrier();
        if (member.team_rank() == 0) *number = draw(*generator);
      });
  target.fence();
}

template <class Target>
void one_seeds_one(Target const& target) {
  Buffer<Generator, Target> const state(target, 1);
  auto const out = filled<unsigned>(target, 1);
  Generator* const generator = state.data();
  unsigned* const number = out.data();
  parallel_for(
      "seed", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.team_rank() == threads - 1) generator->state = 12345;
        member.team_barrier();
        if (member.team_rank() == 0) *number = draw(*generator);
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "gpuverify_curand_race",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify curand_tests/fail/curand_race",
     .faulty = all_draw_from_one<UnitTarget>,
     .repaired = each_draws_from_its_own<UnitTarget>},
    {.name = "gpuverify_curand_mtgp32_race",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify curand_tests/fail/curand_mtgp32_race",
     .faulty = twice_as_many_threads_as_generators<UnitTarget>,
     .repaired = as_many_threads_as_generators<UnitTarget>},
    {.name = "gpuverify_curand_mtgp32_block_race",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify curand_tests/fail/curand_mtgp32_block_race",
     .faulty = teams_draw_from_one<UnitTarget>,
     .repaired = teams_draw_from_their_own<UnitTarget>},
    {.name = "gpuverify_init_race",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify curand_tests/fail/init_race",
     .faulty = all_seed_one<UnitTarget>,
     .repaired = one_seeds_one<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::gpuverify_generators
