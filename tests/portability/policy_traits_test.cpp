// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/policy_traits.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

using kohort::ClusterDims;
using kohort::ClusterScratch;
using kohort::ClusterShape;
using kohort::DynamicClusterScratch;
using kohort::DynamicTeamScratch;
using kohort::LaunchBounds;
using kohort::ManualLifetime;
using kohort::TeamScratch;
using kohort::Impl::LayoutOf;
using kohort::Impl::NoScratch;
using kohort::Impl::PolicyTraits;

/// What a trait list says, as data.
template <class Traits>
constexpr bool says_what_was_given() {
  return Traits::has_static_shape && Traits::static_shape == ClusterShape(4, 2, 1) &&
         std::is_same_v<typename Traits::team_scratch, int[3]> &&
         std::is_same_v<typename Traits::cluster_scratch, double> &&
         std::is_same_v<typename Traits::dynamic_team_scratch, char> &&
         std::is_same_v<typename Traits::dynamic_cluster_scratch, short> &&
         Traits::launch_bounds_threads == 128 && Traits::launch_bounds_teams == 2 &&
         Traits::manual_lifetime;
}

/// Every rotation of the list, and of the reversed list.
template <int Rotations, class First, class... Rest>
constexpr bool order_does_not_matter() {
  if constexpr (Rotations == 0) {
    return true;
  } else {
    return says_what_was_given<PolicyTraits<First, Rest...>>() &&
           order_does_not_matter<Rotations - 1, Rest..., First>();
  }
}

TEST(PolicyTraits, DoNotDependOnTheirOrder) {
  EXPECT_TRUE(
      (order_does_not_matter<7, ClusterDims<4, 2>, TeamScratch<int[3]>, ClusterScratch<double>,
                             DynamicTeamScratch<char>, DynamicClusterScratch<short>,
                             LaunchBounds<128, 2>, ManualLifetime>()));
  EXPECT_TRUE(
      (order_does_not_matter<7, ManualLifetime, LaunchBounds<128, 2>, DynamicClusterScratch<short>,
                             DynamicTeamScratch<char>, ClusterScratch<double>, TeamScratch<int[3]>,
                             ClusterDims<4, 2>>()));
}

TEST(PolicyTraits, GiveTheSameLayoutInAnyOrder) {
  using One = LayoutOf<PolicyTraits<TeamScratch<char[5]>, ClusterScratch<double[3]>>>;
  using Other = LayoutOf<PolicyTraits<ClusterScratch<double[3]>, TeamScratch<char[5]>>>;
  EXPECT_TRUE((std::is_same_v<One, Other>));
}

TEST(PolicyTraits, SayNothingWhenNothingIsGiven) {
  using None = PolicyTraits<>;
  EXPECT_FALSE(None::has_static_shape);
  EXPECT_EQ(None::static_shape, ClusterShape(1, 1, 1));
  EXPECT_TRUE((std::is_same_v<None::team_scratch, NoScratch>));
  EXPECT_TRUE((std::is_same_v<None::cluster_scratch, NoScratch>));
  EXPECT_TRUE((std::is_same_v<None::dynamic_team_scratch, NoScratch>));
  EXPECT_TRUE((std::is_same_v<None::dynamic_cluster_scratch, NoScratch>));
  EXPECT_EQ(None::launch_bounds_threads, 0);
  EXPECT_FALSE(None::manual_lifetime);
}

TEST(PolicyTraits, TellOneFixedTeamFromNoFixedShape) {
  EXPECT_TRUE((PolicyTraits<ClusterDims<1>>::has_static_shape));
  EXPECT_FALSE((PolicyTraits<ManualLifetime>::has_static_shape));
}

}  // namespace
