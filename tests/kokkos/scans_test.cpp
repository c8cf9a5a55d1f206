// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested scans, and what threads of a team do at different times.
#include "space.hpp"
#include "values.hpp"

namespace kohort_kokkos_test {
namespace {

template <class Space>
void nested_scans_agree(int team, int vector) {
  SCOPED_TRACE("team " + std::to_string(team) + ", vector " + std::to_string(vector));
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  constexpr int count = 150;
  Kokkos::View<long**, typename Space::memory_space> below("below", 3, count);
  Array<Space, long> totals("totals", 4);
  Array<Space, long> accumulated("accumulated", 1);
  Array<Space, int> wrong("wrong", 1);
  Kokkos::parallel_for(
      "scan", Policy(1, team, vector), KOKKOS_LAMBDA(Member const& member) {
        auto const into = [&](int range) {
          return [&, range](int i, long& sum, bool is_final) {
            if (is_final) below(range, i) = sum;
            sum += value_at(i);
          };
        };
        long total = 0;
        Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, count), into(0), total);
        totals(0) = total;
        Kokkos::parallel_scan(Kokkos::TeamVectorRange(member, count), into(1), total);
        totals(1) = total;
        Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member, count), into(2), total);
        totals(2) = total;
        long largest = 0;
        Kokkos::parallel_scan(
            Kokkos::TeamThreadRange(member, count),
            [](int i, long& to, bool) { to = value_at(i) > to ? value_at(i) : to; },
            Kokkos::Max<long, Kokkos::HostSpace>(largest));
        totals(3) = largest;
        // Of the team: thread t brings t + 1.
        int const rank = member.team_rank();
        long const mine = rank + 1;
        if (member.team_scan(mine) != rank * (rank + 1) / 2) Kokkos::atomic_inc(&wrong(0));
        long const size = member.team_size();
        long const first = member.team_scan(mine, &accumulated(0));
        member.team_barrier();
        long const second = member.team_scan(mine, &accumulated(0));
        if (second - first != size * (size + 1) / 2) Kokkos::atomic_inc(&wrong(0));
        long reduced = mine;
        member.team_reduce(Kokkos::Sum<long, Kokkos::HostSpace>(reduced));
        if (reduced != size * (size + 1) / 2) Kokkos::atomic_inc(&wrong(0));
        long told = mine * 10;
        member.team_broadcast(told, member.team_size() - 1);
        if (told != size * 10) Kokkos::atomic_inc(&wrong(0));
      });
  auto const sums = on_host(below);
  long before = 0;
  for (int i = 0; i < count; ++i) {
    for (int range = 0; range < 3; ++range) ASSERT_EQ(sums(range, i), before) << range << " " << i;
    before += value_at(i);
  }
  auto const all = on_host(totals);
  for (int range = 0; range < 3; ++range) EXPECT_EQ(all(range), before) << range;
  EXPECT_EQ(all(3), 900);
  EXPECT_EQ(on_host(wrong)(0), 0);
  EXPECT_EQ(on_host(accumulated)(0), 2L * (team * (team + 1) / 2));
}

/// Kokkos' usual idiom: threads go round their rows, and the lanes of each combine a row. Threads
/// of one subgroup go round unequally often.
template <class Space>
void rows_of_lanes_agree(int team, int vector, int rows) {
  SCOPED_TRACE(std::to_string(rows) + " rows, team " + std::to_string(team) + ", vector " +
               std::to_string(vector));
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  constexpr int columns = 45;
  Array<Space, long> sums("sums", rows);
  Array<Space, long> middles("middles", rows);
  Kokkos::parallel_for(
      "rows", Policy(1, team, vector), KOKKOS_LAMBDA(Member const& member) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rows), [&](int row) {
          long sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(member, columns),
              [&](int i, long& to) { to += value_at(row * columns + i); }, sum);
          Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member, columns),
                                [&](int i, long& to, bool is_final) {
                                  if (is_final && i == columns / 2) middles(row) = to;
                                  to += value_at(row * columns + i);
                                });
          Kokkos::single(Kokkos::PerThread(member), [&] { sums(row) = sum; });
        });
      });
  auto const found = on_host(sums);
  auto const halves = on_host(middles);
  for (int row = 0; row < rows; ++row) {
    long sum = 0;
    for (int i = 0; i < columns; ++i) {
      if (i == columns / 2) EXPECT_EQ(halves(row), sum) << "row " << row;
      sum += value_at(row * columns + i);
    }
    EXPECT_EQ(found(row), sum) << "row " << row;
  }
}

template <class Space>
class Scans : public ::testing::Test {};
TYPED_TEST_SUITE(Scans, Spaces);
TYPED_TEST(Scans, OfNestedRangesAgree) {
  nested_scans_agree<TypeParam>(1, 1);
  nested_scans_agree<TypeParam>(40, 1);
  nested_scans_agree<TypeParam>(16, 4);
  nested_scans_agree<TypeParam>(5, 32);
}
TYPED_TEST(Scans, RowsOfLanesAgree) {
  rows_of_lanes_agree<TypeParam>(8, 4, 11);
  rows_of_lanes_agree<TypeParam>(16, 2, 35);
  rows_of_lanes_agree<TypeParam>(3, 8, 7);
  rows_of_lanes_agree<TypeParam>(6, 1, 10);
}

}  // namespace
}  // namespace kohort_kokkos_test
