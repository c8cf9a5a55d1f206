// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Team scratch: typed and dynamic, private to the team, aligned as its type asks.
#include "device.hpp"

namespace kohort::conformance::team_scratch {

inline constexpr int most_threads = 256;

template <class Target>
void typed_scratch_is_private_to_the_team(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<int[most_threads]>>;
  int const teams = 40;
  int const threads = team_threads(target, most_threads);
  auto const results = poisoned<int>(target, teams * threads);
  int* const result = results.data();
  parallel_for(
      "typed_team_scratch", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto& cells = member.team_scratch();
        int const thread = member.team_rank();
        cells[thread] = member.league_rank() * 1000 + thread;
        member.team_barrier();
        result[member.league_rank() * threads + thread] = cells[threads - 1 - thread];
      });
  std::vector<int> expected;
  for (int team = 0; team < teams; ++team) {
    for (int thread = 0; thread < threads; ++thread) {
      expected.push_back(team * 1000 + threads - 1 - thread);
    }
  }
  require_all_equal(download(results), expected, "the mirrored thread's cell");
}

template <class Target>
void dynamic_scratch_has_the_asked_length(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicTeamScratch<short>>;
  int const threads = team_threads(target, 32);
  for (int count : {0, 1, 31, 500, 1800}) {
    auto const results = poisoned<int>(target, 3);
    int* const result = results.data();
    parallel_for(
        "dynamic_team_scratch", Policy(target, 3, threads).dynamic_team_scratch(count),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          short* const cells = member.dynamic_team_scratch();
          for (int cell = member.team_rank(); cell < member.dynamic_team_size();
               cell += member.team_size()) {
            cells[cell] = static_cast<short>(cell + member.league_rank());
          }
          member.team_barrier();
          if (member.team_rank() != 0) return;
          int sum = 0;
          for (int cell = 0; cell < count; ++cell) sum += cells[cell];
          result[member.league_rank()] = sum * 10 + (member.dynamic_team_size() == count);
        });
    std::vector<int> expected;
    for (int team = 0; team < 3; ++team) {
      expected.push_back((count * (count - 1) / 2 + team * count) * 10 + 1);
    }
    require_all_equal(download(results), expected, std::to_string(count) + " cells");
  }
}

struct Particle {
  double position[3];
  float charge;
  char tag;
};

/// Every object of the policy is filled by its own threads, then all are read: an overlap shows.
template <class Target>
void typed_and_dynamic_objects_do_not_overlap(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Particle[7]>, DynamicTeamScratch<double>,
                               ClusterScratch<char[13]>, DynamicClusterScratch<short>>;
  int const doubles = 29;
  int const shorts = 17;
  auto const results = poisoned<int>(target, 1);
  int* const result = results.data();
  auto policy = Policy(target, 1, team_threads(target, 64))
                    .dynamic_team_scratch(doubles)
                    .dynamic_cluster_scratch(shorts);
  parallel_for(
      "typed_and_dynamic", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto& particles = member.team_scratch();
        double* const dynamic = member.dynamic_team_scratch();
        auto letters = member.cluster_scratch();
        auto numbers = member.dynamic_cluster_scratch();
        if (member.team_rank() == 0) {
          for (int i = 0; i < 7; ++i) particles[i] = Particle{{1.0, 2.0, 3.0}, 4.0f, 5};
          for (int i = 0; i < doubles; ++i) dynamic[i] = 6.0;
          for (int i = 0; i < 13; ++i) letters[i] = 7;
          for (int i = 0; i < shorts; ++i) numbers[i] = 8;
        }
        member.team_barrier();
        if (member.team_rank() != member.team_size() - 1) return;
        int wrong = 0;
        for (int i = 0; i < 7; ++i) {
          wrong += particles[i].position[2] != 3.0 || particles[i].charge != 4.0f ||
                   particles[i].tag != 5;
        }
        for (int i = 0; i < doubles; ++i) wrong += dynamic[i] != 6.0;
        for (int i = 0; i < 13; ++i) wrong += letters[i] != 7;
        for (int i = 0; i < shorts; ++i) wrong += numbers[i] != 8;
        *result = wrong;
      });
  require_equal(download(results)[0], 0, "cells that another object overwrote");
}

struct alignas(128) Wide {
  int value[32];
};
struct alignas(64) Middle {
  char value[64];
};

template <class Target>
void scratch_is_aligned_as_its_type_asks(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<char[5]>, ClusterScratch<Wide>,
                               DynamicTeamScratch<Middle>, DynamicClusterScratch<double>>;
  for (int count : {1, 2, 3}) {
    auto const results = poisoned<unsigned>(target, 3);
    unsigned* const result = results.data();
    auto policy = Policy(target, 1, 4).dynamic_team_scratch(2).dynamic_cluster_scratch(count);
    parallel_for(
        "aligned_scratch", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          if (member.team_rank() != 0) return;
          auto const low_bits = [](void const* address) {
            return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % 128);
          };
          result[0] = low_bits(&*member.cluster_scratch());
          result[1] = low_bits(member.dynamic_team_scratch()) % 64;
          result[2] = low_bits(&member.dynamic_cluster_scratch()[0]) % 8;
        });
    require_all_equal(download(results), {0, 0, 0}, "address modulo alignment");
  }
}

template <class Target>
void a_team_can_have_all_the_scratch_that_the_device_offers(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicTeamScratch<unsigned>>;
  int const count = static_cast<int>(properties(target).max_team_scratch_bytes / 4);
  int const teams = 3;
  auto const results = poisoned<unsigned>(target, teams);
  unsigned* const result = results.data();
  parallel_for(
      "all_scratch", Policy(target, teams, team_threads(target)).dynamic_team_scratch(count),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        unsigned* const cells = member.dynamic_team_scratch();
        unsigned const salt = member.league_rank();
        for (int i = member.team_rank(); i < count; i += member.team_size()) {
          cells[i] = static_cast<unsigned>(scrambled(i)) + salt;
        }
        member.team_barrier();
        if (member.team_rank() != 0) return;
        unsigned sum = 0;
        for (int i = 0; i < count; ++i) sum = sum * 31 + cells[i];
        result[member.league_rank()] = sum;
      });
  std::vector<unsigned> expected(teams, 0);
  for (unsigned team = 0; team < expected.size(); ++team) {
    for (int i = 0; i < count; ++i) {
      expected[team] = expected[team] * 31 + static_cast<unsigned>(scrambled(i)) + team;
    }
  }
  require_all_equal(download(results), expected, std::to_string(count) + " words of scratch");
}

namespace {
Rung<UnitTarget> const rung(
    "03_team_scratch",
    {{"TypedScratchIsPrivateToTheTeam", typed_scratch_is_private_to_the_team<UnitTarget>},
     {"DynamicScratchHasTheAskedLength", dynamic_scratch_has_the_asked_length<UnitTarget>},
     {"TypedAndDynamicObjectsDoNotOverlap", typed_and_dynamic_objects_do_not_overlap<UnitTarget>},
     {"ScratchIsAlignedAsItsTypeAsks", scratch_is_aligned_as_its_type_asks<UnitTarget>},
     {"ATeamCanHaveAllTheScratchThatTheDeviceOffers",
      a_team_can_have_all_the_scratch_that_the_device_offers<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::team_scratch
