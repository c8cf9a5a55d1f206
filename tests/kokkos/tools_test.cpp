// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Kokkos tool sees of a launch, and what the simulator's reports call it.
#include "recorder.hpp"
#include "space.hpp"

namespace kohort_kokkos_test {
namespace {

template <class Space>
void launch_both() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Policy policy(8, 32);
  policy.set_cluster_size(kohort::ClusterShape{4});
  Kokkos::parallel_for("a for", policy, KOKKOS_LAMBDA(Member const&){});
  double sum = 0;
  Kokkos::parallel_reduce(
      "a reduction", policy, KOKKOS_LAMBDA(Member const&, double& to) { to += 1; }, sum);
}

template <class Space>
void tools_see_every_launch() {
  Recorder const recorder;
  launch_both<Space>();
  launch_both<Space>();
  EXPECT_EQ(seen().begun,
            (std::vector<std::string>{"a for", "a reduction", "a for", "a reduction"}));
  EXPECT_EQ(seen().ended, 4);
  int shapes = 0;
  for (auto const& [key, value] : seen().metadata)
    shapes += key.find("kohort cluster") != std::string::npos && value == "4x1x1" ? 1 : 0;
  EXPECT_GE(shapes, 1);
}

template <class Space>
class Tools : public ::testing::Test {};
TYPED_TEST_SUITE(Tools, Spaces);
TYPED_TEST(Tools, SeeEveryLaunch) { tools_see_every_launch<TypeParam>(); }

}  // namespace
}  // namespace kohort_kokkos_test
