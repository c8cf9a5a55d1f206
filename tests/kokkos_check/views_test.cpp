// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mode check on Views of host memory: instrumented, with kohort::kokkos_views.
#include <gtest/gtest.h>
#include <kohort/kokkos.hpp>
#include <kohort/kokkos/name_view.hpp>

#include <string>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Policy = kohort::ClusterPolicy<Space>;
using Member = Policy::member_type;
using Grid = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

/// What mode check says of `body` over four teams in two clusters.
template <class Body>
std::string finding(Body const& body) {
  kohort::kokkos_simulator() = kohort::Simulator({.mode = "check", .profile = "tiny"});
  Policy policy(4, 8);
  policy.set_cluster_size(2);
  try {
    Kokkos::parallel_for("watched", policy, body);
  } catch (std::exception const& error) {
    return error.what();
  }
  return "";
}

void expect_says(std::string const& text, std::string const& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Views, AreWatchedForRaces) {
  Grid const halo("halo", 64, 128);
  std::string const text = finding([=](Member const& member) { halo(3, 5) = member.team_rank(); });
  expect_says(text, "race-global");
  expect_says(text, "View `halo` of 65536 B");
  expect_says(text, "byte 3112 of");
}

TEST(Views, AreNamedByTheirExtents) {
  Grid const halo("halo", 64, 128);
  kohort::name_view(halo);
  std::string const text = finding([=](Member const& member) {
    if (member.league_rank() == 0 && member.team_rank() == 0) halo.data()[64 * 128 + 3] = 1;
  });
  expect_says(text, "buffer-out-of-bounds");
  expect_says(text, "View `halo` (64×128) at (64, 3)");
}

TEST(Views, OfTheOtherLayoutAndOfThreeDimensionsAreNamed) {
  Kokkos::View<int***, Kokkos::LayoutLeft, Space> const cube("cube", 4, 6, 10);
  kohort::name_view(cube);
  std::string const text =
      finding([=](Member const& member) { cube(1, 2, 3) = member.league_rank(); });
  expect_says(text, "race-global");
  expect_says(text, "View `cube` (4×6×10) at (1, 2, 3)");
}

TEST(Views, AreNamedAfterTheirEnd) {
  double* gone = nullptr;
  {
    Grid const grid("grid", 4, 4);
    kohort::name_view(grid);
    gone = grid.data();
  }
  std::string const text = finding([=](Member const& member) {
    if (member.league_rank() == 0 && member.team_rank() == 0) gone[5] = 1;
  });
  expect_says(text, "use-after-free");
  expect_says(text, "freed View `grid` (4×4) at (1, 1)");
}

TEST(Views, ThatAreUsedRightAreSilent) {
  Grid const from("from", 4, 8);
  Grid const to("to", 4, 8);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) from(i, j) = i * 10 + j;
  std::string const text = finding([=](Member const& member) {
    int const i = member.league_rank();
    int const j = member.team_rank();
    to(i, j) = from(i, j);
    member.cluster_barrier();
    double const theirs = to(i ^ 1, j);
    member.cluster_barrier();
    to(i, j) += theirs + from(i, 7 - j);
  });
  EXPECT_EQ(text, "");
  EXPECT_EQ(to(2, 3), 23 + 33 + 24);
}

TEST(Views, LetTheBarrierThatLacksBeSeen) {
  Grid const to("to", 4, 8);
  kohort::name_view(to);
  std::string const text = finding([=](Member const& member) {
    int const i = member.league_rank();
    int const j = member.team_rank();
    to(i, j) = i + j;
    double const theirs = to(i ^ 1, j);
    member.cluster_barrier();
    to(i, j) += theirs;
  });
  expect_says(text, "race-global");
  expect_says(text, "View `to` (4×8)");
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return RUN_ALL_TESTS();
}
