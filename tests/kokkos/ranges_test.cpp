// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who does which index of a nested loop, for random leagues, teams, vector lengths and clusters.
#include "space.hpp"

#include <cstddef>
#include <initializer_list>
#include <random>

namespace kohort_kokkos_test {
namespace {

struct Shape {
  int clusters;
  int cluster;
  int team;
  int vector;
  int count;  ///< indices of a nested loop
};

Shape random_shape(std::mt19937& random) {
  auto const one_of = [&](std::initializer_list<int> all) {
    return all.begin()[random() % all.size()];
  };
  Shape shape;
  shape.clusters = 1 + static_cast<int>(random() % 3);
  shape.cluster = one_of({1, 2, 3, 4, 8});
  shape.vector = one_of({1, 1, 2, 4, 8, 32});
  shape.team = one_of({1, 2, 3, 5, 16, 33}) * (shape.vector == 1 ? 4 : 1);
  if (shape.team * shape.vector > 512) shape.team = 512 / shape.vector;
  shape.count = static_cast<int>(random() % 200);
  return shape;
}

template <class Policy>
Policy policy_of(Shape const& shape) {
  Policy policy(shape.clusters * shape.cluster, shape.team, shape.vector);
  policy.set_cluster_size(shape.cluster);
  return policy;
}

std::string text(Shape const& shape) {
  return std::to_string(shape.clusters) + " clusters of " + std::to_string(shape.cluster) +
         " teams of " + std::to_string(shape.team) + " x " + std::to_string(shape.vector) + ", " +
         std::to_string(shape.count) + " indices";
}

template <class Space>
void ranks_count_once() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  std::mt19937 random(7);
  for (int trial = 0; trial < 12; ++trial) {
    Shape const shape = random_shape(random);
    SCOPED_TRACE(text(shape));
    int const teams = shape.clusters * shape.cluster;
    int const lanes = shape.team * shape.vector;
    Array<Space, int> seen("seen", static_cast<std::size_t>(teams * lanes));
    Array<Space, int> wrong("wrong", 1);
    Kokkos::parallel_for(
        "ranks", policy_of<Policy>(shape), KOKKOS_LAMBDA(Member const& member) {
          int const thread = member.team_rank() * member.vector_length() + member.vector_rank();
          Kokkos::atomic_inc(&seen(member.league_rank() * member.thread_count() + thread));
          bool const good = thread == member.thread_rank() && member.league_size() == teams &&
                            member.team_size() == shape.team &&
                            member.vector_length() == shape.vector &&
                            member.cluster_size() == shape.cluster &&
                            member.cluster_rank() == member.league_rank() % shape.cluster;
          if (!good) Kokkos::atomic_inc(&wrong(0));
        });
    auto const counts = on_host(seen);
    for (int i = 0; i < teams * lanes; ++i) ASSERT_EQ(counts(i), 1) << i;
    EXPECT_EQ(on_host(wrong)(0), 0);
  }
}

/// Each index of each loop is done by one thread (by all its lanes, where a thread is meant).
template <class Space>
void loops_cover_their_indices() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  std::mt19937 random(11);
  for (int trial = 0; trial < 12; ++trial) {
    Shape const shape = random_shape(random);
    SCOPED_TRACE(text(shape));
    int const n = shape.count;
    int const teams = shape.clusters * shape.cluster;
    Kokkos::View<int**, typename Space::memory_space> seen("seen", 5,
                                                           static_cast<std::size_t>(teams * n + 1));
    Kokkos::parallel_for(
        "loops", policy_of<Policy>(shape), KOKKOS_LAMBDA(Member const& member) {
          int const base = member.league_rank() * n;
          int const cluster = member.cluster_league_rank() * n;
          auto const count = [&](int loop, int at) { Kokkos::atomic_inc(&seen(loop, at)); };
          Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n), [&](int i) {
            Kokkos::single(Kokkos::PerThread(member), [&] { count(0, base + i); });
          });
          Kokkos::parallel_for(Kokkos::TeamVectorRange(member, 0, n),
                               [&](int i) { count(1, base + i); });
          Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1), [&](int) {
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, n),
                                 [&](int i) { count(2, base + i); });
          });
          Kokkos::parallel_for(kohort::ClusterThreadRange(member, n), [&](int i) {
            Kokkos::single(Kokkos::PerThread(member), [&] { count(3, cluster + i); });
          });
          Kokkos::parallel_for(kohort::ClusterTeamRange(member, 0, n), [&](int i) {
            Kokkos::single(Kokkos::PerTeam(member), [&] { count(4, cluster + i); });
          });
        });
    auto const counts = on_host(seen);
    for (int loop = 0; loop < 5; ++loop)
      for (int i = 0; i < (loop < 3 ? teams : shape.clusters) * n; ++i)
        ASSERT_EQ(counts(loop, i), 1) << "loop " << loop << ", index " << i;
  }
}

/// Indices of other types than int, also of one that can't count a team's threads.
template <class Space, class Index>
void indices_of(Index begin, Index end) {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Array<Space, int> found("found", 2);
  Kokkos::parallel_for(
      "indices", Policy(1, 256), KOKKOS_LAMBDA(Member const& member) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, begin, end), [&](Index index) {
          Kokkos::atomic_inc(&found(0));
          Kokkos::atomic_add(&found(1), static_cast<int>(index - begin));
        });
      });
  int const count = end > begin ? static_cast<int>(end - begin) : 0;
  EXPECT_EQ(on_host(found)(0), count);
  EXPECT_EQ(on_host(found)(1), count * (count - 1) / 2);
}

template <class Space>
void singles_run_once_and_broadcast() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Policy policy(12, 6, 4);
  policy.set_cluster_size(4);
  Array<Space, int> ran("ran", 3);
  Array<Space, int> wrong("wrong", 1);
  Kokkos::parallel_for(
      "singles", policy, KOKKOS_LAMBDA(Member const& member) {
        int team = -1;
        Kokkos::single(
            Kokkos::PerTeam(member),
            [&](int& value) {
              Kokkos::atomic_inc(&ran(0));
              value = member.league_rank();
            },
            team);
        int thread = -1;
        Kokkos::single(
            Kokkos::PerThread(member),
            [&](int& value) {
              Kokkos::atomic_inc(&ran(1));
              value = member.team_rank();
            },
            thread);
        int cluster = -1;
        Kokkos::single(
            kohort::PerCluster(member),
            [&](int& value) {
              Kokkos::atomic_inc(&ran(2));
              value = member.cluster_league_rank() + 100;
            },
            cluster);
        if (team != member.league_rank() || thread != member.team_rank() ||
            cluster != member.league_rank() / 4 + 100)
          Kokkos::atomic_inc(&wrong(0));
      });
  auto const counts = on_host(ran);
  EXPECT_EQ(counts(0), 12);
  EXPECT_EQ(counts(1), 12 * 6);
  EXPECT_EQ(counts(2), 3);
  EXPECT_EQ(on_host(wrong)(0), 0);
}

TYPED_TEST_SUITE(OnSpace, Spaces);
TYPED_TEST(OnSpace, RanksCountOnce) { ranks_count_once<TypeParam>(); }
TYPED_TEST(OnSpace, LoopsCoverTheirIndices) { loops_cover_their_indices<TypeParam>(); }
TYPED_TEST(OnSpace, IndicesHaveAnyType) {
  indices_of<TypeParam, signed char>(-100, 100);
  indices_of<TypeParam, unsigned char>(3, 250);
  indices_of<TypeParam, unsigned>(7, 1000);
  indices_of<TypeParam, long long>((1LL << 40) - 500, (1LL << 40) + 500);
  indices_of<TypeParam, std::size_t>(5, 5);
  indices_of<TypeParam, int>(10, 3);
}
TYPED_TEST(OnSpace, SinglesRunOnceAndBroadcast) { singles_run_once_and_broadcast<TypeParam>(); }

}  // namespace
}  // namespace kohort_kokkos_test
