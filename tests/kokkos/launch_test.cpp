// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that a policy recommends, and refusals of launches, each with its limit.
#include "space.hpp"

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

template <class Space>
void refusals_name_the_limit() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  auto const nothing = KOKKOS_LAMBDA(Member const&){};
  auto const refused = [&](Policy const& policy) {
    return refusal([&] { Kokkos::parallel_for("refused", policy, nothing); });
  };
  EXPECT_SAYS(refused(Policy(10, 64).set_cluster_size(4)), "10");
  EXPECT_SAYS(refused(Policy(10, 64).set_cluster_size(4)), "refused");
  EXPECT_SAYS(refused(Policy(16, 64).set_cluster_size(16)), "8");
  EXPECT_SAYS(refused(Policy(4, 2048)), "1024");
  EXPECT_SAYS(refused(Policy(4, 512, 4)), "1024");
  EXPECT_SAYS(refused(Policy(4, 64).set_scratch_size(0, Kokkos::PerTeam(300000))), "232448");
  EXPECT_SAYS(refused(Policy(4, 64).set_scratch_size(0, kohort::PerCluster(300000))), "232448");
  EXPECT_SAYS(refused(Policy(4, 64).set_scratch_size(0, Kokkos::PerThread(8000))), "232448");
  EXPECT_SAYS(refusal([] { Policy(4, 64, 3); }), "vector length");
  EXPECT_SAYS(refusal([] { Policy(4, 64, 64); }), "not 64");
  EXPECT_SAYS(refusal([] { Policy(4, 64).set_scratch_size(2, Kokkos::PerTeam(8)); }), "not 2");
  EXPECT_SAYS(refusal([] { Policy(4, 64).set_scratch_size(1, kohort::PerCluster(8)); }), "level 0");
  double sum = 0;
  EXPECT_SAYS(refusal([&] {
                Kokkos::parallel_reduce(
                    "refused", Policy(10, 64).set_cluster_size(4),
                    KOKKOS_LAMBDA(Member const&, double& to) { to += 1; }, sum);
              }),
              "10");
}

template <class Space>
class Launching : public ::testing::Test {};
TYPED_TEST_SUITE(Launching, Spaces);
TYPED_TEST(Launching, SizesCanBeLaunched) { sizes_can_be_launched<TypeParam>(); }
TYPED_TEST(Launching, AutomaticSizesAndTags) { automatic_sizes_and_tags<TypeParam>(); }
TYPED_TEST(Launching, RefusalsNameTheLimit) { refusals_name_the_limit<TypeParam>(); }

}  // namespace
}  // namespace kohort_kokkos_test
