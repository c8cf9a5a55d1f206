// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that a policy recommends, and refusals of launches, each with its limit.
#include "space.hpp"

#include <atomic>
#include <cstddef>
#include <thread>

namespace kohort_kokkos_test {
namespace {

struct Tag {};

template <class Space>
void sizes_can_be_launched() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Array<Space, int> ran("ran", 1);
  auto const count = KOKKOS_LAMBDA(Member const& member) {
    if (member.thread_rank() == 0) Kokkos::atomic_inc(&ran(0));
  };
  for (int vector : {1, 8}) {
    Policy policy(16, 32, vector);
    policy.set_scratch_size(0, Kokkos::PerTeam(20000), kohort::PerCluster(1024));
    int const most = policy.team_size_max(count, Kokkos::ParallelForTag());
    int const good = policy.team_size_recommended(count, Kokkos::ParallelForTag());
    EXPECT_EQ(most, 1024 / vector);
    EXPECT_GT(good, 0);
    EXPECT_LE(good, most);
    int const cluster = policy.cluster_size_max(count, Kokkos::ParallelForTag());
    EXPECT_EQ(cluster, 8);
    EXPECT_EQ(policy.cluster_size_recommended(count, Kokkos::ParallelForTag()), 8);
    for (int team : {most, good}) {
      Policy sized(16, team, vector);
      sized.set_scratch_size(0, Kokkos::PerTeam(20000), kohort::PerCluster(1024));
      sized.set_cluster_size(kohort::AUTO);
      Kokkos::parallel_for("sized", sized, count);
    }
  }
  EXPECT_EQ(on_host(ran)(0), 4 * 16);
}

template <class Space>
struct Tagged {
  using Member = typename kohort::ClusterPolicy<Space, Tag>::member_type;
  Array<Space, int> seen;

  KOKKOS_FUNCTION void operator()(Tag, Member const& member) const {
    if (member.thread_rank() != 0) return;
    Kokkos::atomic_inc(&seen(0));
    seen(1) = member.cluster_size();
    seen(2) = member.thread_count();
  }
};

/// A tag's own call operator, AUTO for all that can be left out, a space instance.
template <class Space>
void automatic_sizes_and_tags() {
  using Policy = kohort::ClusterPolicy<Space, Tag>;
  Array<Space, int> seen("seen", 3);
  Policy policy(Space(), 12, Kokkos::AUTO);
  policy.set_cluster_size(Kokkos::AUTO);
  Kokkos::parallel_for("automatic", policy, Tagged<Space>{seen});
  auto const all = on_host(seen);
  EXPECT_EQ(all(0), 12);
  EXPECT_EQ(all(1), 4);
  EXPECT_EQ(all(2), 256);
}

/// AUTO where traits say something, too: nothing is launched that they forbid.
template <class Space>
void automatic_sizes_keep_to_traits() {
  using Fixed = kohort::ClusterPolicy<Space, kohort::ClusterDims<2>>;
  Array<Space, int> seen("seen", 2);
  Fixed fixed(16, 32);
  fixed.set_cluster_size(kohort::AUTO);
  Kokkos::parallel_for(
      "fixed", fixed, KOKKOS_LAMBDA(typename Fixed::member_type const& member) {
        seen(0) = member.cluster_size();
      });
  using Bounded = kohort::ClusterPolicy<Space, Kokkos::LaunchBounds<100>>;
  Kokkos::parallel_for(
      "bounded", Bounded(4, Kokkos::AUTO, 8),
      KOKKOS_LAMBDA(typename Bounded::member_type const& member) {
        seen(1) = member.thread_count();
      });
  EXPECT_EQ(on_host(seen)(0), 2);
  EXPECT_EQ(on_host(seen)(1), 96);
  auto const adds = KOKKOS_LAMBDA(typename Bounded::member_type const&, double& to) { to += 1; };
  EXPECT_EQ(Bounded(4, 8, 8).team_size_max(adds, Kokkos::ParallelReduceTag()), 12);
  double sum = 0;
  EXPECT_EQ(
      Bounded(4, 8, 8).team_size_max(adds, Kokkos::Sum<double>(sum), Kokkos::ParallelReduceTag()),
      12);
}

/// AUTO is what fits, also where little does.
template <class Space>
void automatic_teams_fit() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Array<Space, int> seen("seen", 1);
  auto const look = KOKKOS_LAMBDA(Member const& member) { seen(0) = member.team_size(); };
  Policy large(4, Kokkos::AUTO, Kokkos::AUTO);
  large.set_scratch_size(0, Kokkos::PerThread(2000));
  Kokkos::parallel_for("large", large, look);
  EXPECT_EQ(on_host(seen)(0), 96);  // of 116 that fit, whole subgroups
  Policy huge(4, Kokkos::AUTO);
  huge.set_scratch_size(0, Kokkos::PerThread(10000));
  EXPECT_EQ(huge.team_size_max(look, Kokkos::ParallelForTag()), 23);
  Kokkos::parallel_for("huge", huge, look);
  EXPECT_EQ(on_host(seen)(0), 23);
}

/// A functor that says itself what scratch it needs, as Kokkos has it.
template <class Space>
struct AsksForScratch {
  using Member = typename kohort::ClusterPolicy<Space>::member_type;
  Array<Space, int> found;

  std::size_t team_shmem_size(int team) const { return sizeof(int) * team + 64; }
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    Kokkos::View<int*, typename Member::scratch_memory_space, Kokkos::MemoryUnmanaged> const cells(
        member.team_shmem(), member.team_size());
    if (cells.data() == nullptr) return;
    cells(member.team_rank()) = member.team_rank();
    member.team_barrier();
    if (member.team_rank() == 0) found(member.league_rank()) = cells(member.team_size() - 1);
  }
};

template <class Space>
void functors_ask_for_scratch() {
  Array<Space, int> found("found", 4);
  Kokkos::parallel_for("asks", kohort::ClusterPolicy<Space>(4, 40), AsksForScratch<Space>{found});
  auto const all = on_host(found);
  for (int team = 0; team < 4; ++team) EXPECT_EQ(all(team), 39);
}

/// Launches of one policy from several host threads at once don't share level-1 scratch.
template <class Space>
void threads_share_a_policy() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Policy policy(16, 2);
  policy.set_scratch_size(1, Kokkos::PerTeam(4096));
  std::atomic<long> wrong = 0;
  auto const launch = [&](int mark) {
    for (int round = 0; round < 40; ++round) {
      long bad = 0;
      Kokkos::parallel_reduce(
          "marks", policy,
          KOKKOS_LAMBDA(Member const& member, long& to) {
            Kokkos::View<int*, typename Member::scratch_memory_space, Kokkos::MemoryUnmanaged> const
                marks(member.team_scratch(1), 1000);
            Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1000),
                                 [&](int i) { marks(i) = mark; });
            member.team_barrier();
            Kokkos::parallel_for(Kokkos::TeamThreadRange(member, 1000),
                                 [&](int i) { to += marks(i) != mark ? 1 : 0; });
          },
          bad);
      wrong += bad;
    }
  };
  std::thread first(launch, 1);
  std::thread second(launch, 2);
  first.join();
  second.join();
  EXPECT_EQ(wrong.load(), 0);
}

template <class Space>
void refusals_name_the_limit() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  auto const nothing = KOKKOS_LAMBDA(Member const&){};
  auto const refused = [&](Policy const& policy) {
    return refusal([&] { Kokkos::parallel_for("refused", policy, nothing); });
  };
  std::string const scratch = "232448";
  EXPECT_SAYS(refused(Policy(10, 64).set_cluster_size(4)), "league 10×1×1");
  EXPECT_SAYS(refused(Policy(10, 64).set_cluster_size(4)), "multiple");
  EXPECT_SAYS(refused(Policy(16, 64).set_cluster_size(16)), "allow_nonportable_size");
  EXPECT_SAYS(refused(Policy(4, 2048)), "1024 threads");
  EXPECT_SAYS(refused(Policy(4, 512, 4)), "1024 threads");
  EXPECT_SAYS(refused(Policy(4, 64).set_scratch_size(0, Kokkos::PerTeam(300000))), scratch);
  EXPECT_SAYS(refused(Policy(4, 64).set_scratch_size(0, kohort::PerCluster(300000))), scratch);
  EXPECT_SAYS(refused(Policy(4, 64).set_scratch_size(0, Kokkos::PerThread(8000))), scratch);
  double sum = 0;
  EXPECT_SAYS(refusal([&] {
                Kokkos::parallel_reduce(
                    "refused", Policy(10, 64).set_cluster_size(4),
                    KOKKOS_LAMBDA(Member const&, double& to) { to += 1; }, sum);
              }),
              "league 10×1×1");
}

template <class Space>
void nonsense_is_named() {
  using Policy = kohort::ClusterPolicy<Space>;
  EXPECT_SAYS(refusal([] { Policy(4, 64, 3); }), "not 3");
  EXPECT_SAYS(refusal([] { Policy(4, 64, 64); }), "not 64");
  EXPECT_SAYS(refusal([] { Policy(4, -3); }), "not -3");
  EXPECT_SAYS(refusal([] { Policy(1, (1 << 27) + 1, 32); }), "not 134217729 threads of 32");
  EXPECT_SAYS(refusal([] { Policy(-4, 64); }), "not -4x1x1");
  EXPECT_SAYS(refusal([] { Policy(kohort::League(65536, 65536), 64); }), "65536x65536x1");
  EXPECT_SAYS(refusal([] { Policy(4, 64).set_scratch_size(2, Kokkos::PerTeam(8)); }), "not 2");
  EXPECT_SAYS(refusal([] { Policy(4, 64).scratch_size(2, 64); }), "not 2");
  EXPECT_SAYS(refusal([] { Policy(4, 64).set_scratch_size(1, kohort::PerCluster(8)); }), "level 0");
  EXPECT_SAYS(refusal([] { Policy(4, 64).set_scratch_size(0, Kokkos::PerTeam(-8)); }), "negative");
  EXPECT_SAYS(refusal([] { Policy(4, 64).set_scratch_size(0, kohort::PerCluster(-8)); }),
              "negative");
}

template <class Space>
class Launching : public ::testing::Test {};
TYPED_TEST_SUITE(Launching, Spaces);
TYPED_TEST(Launching, SizesCanBeLaunched) { sizes_can_be_launched<TypeParam>(); }
TYPED_TEST(Launching, AutomaticSizesAndTags) { automatic_sizes_and_tags<TypeParam>(); }
TYPED_TEST(Launching, AutomaticSizesKeepToTraits) { automatic_sizes_keep_to_traits<TypeParam>(); }
TYPED_TEST(Launching, AutomaticTeamsFit) { automatic_teams_fit<TypeParam>(); }
TYPED_TEST(Launching, FunctorsAskForScratch) { functors_ask_for_scratch<TypeParam>(); }
TYPED_TEST(Launching, ThreadsShareAPolicy) { threads_share_a_policy<TypeParam>(); }
TYPED_TEST(Launching, NonsenseIsNamed) { nonsense_is_named<TypeParam>(); }
TYPED_TEST(Launching, RefusalsNameTheLimit) { refusals_name_the_limit<TypeParam>(); }

}  // namespace
}  // namespace kohort_kokkos_test
