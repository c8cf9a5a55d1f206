// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, nested and over a league, with every built-in reducer and custom ones.
#include "space.hpp"
#include "values.hpp"

#include <algorithm>
#include <cmath>

namespace kohort_kokkos_test {
namespace {

/// A user's own reducer: the two largest values.
struct Largest {
  int first;
  int second;
};

KOKKOS_INLINE_FUNCTION void take(int value, Largest& to) {
  if (value > to.first) {
    to.second = to.first;
    to.first = value;
  } else if (value > to.second) {
    to.second = value;
  }
}

template <class Space>
struct LargestTwo {
  using reducer = LargestTwo;
  using value_type = Largest;
  using result_view_type = Kokkos::View<value_type, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  KOKKOS_INLINE_FUNCTION explicit LargestTwo(value_type& result) : result_(&result) {}
  KOKKOS_INLINE_FUNCTION void init(value_type& value) const { value = {-1000, -1000}; }
  KOKKOS_INLINE_FUNCTION void join(value_type& to, value_type const& from) const {
    int const second = from.first < to.first ? from.first : to.first;
    if (from.first > to.first) to.first = from.first;
    if (second > to.second) to.second = second;
    if (from.second > to.second) to.second = from.second;
  }
  KOKKOS_INLINE_FUNCTION value_type& reference() const { return *result_.data(); }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return result_; }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return true; }

 private:
  result_view_type result_;
};

struct Expected {
  long sum = 0;
  int least = 10000;
  int largest = -10000;
  int least_at = 0;
  int largest_at = 0;
};

Expected expected(int begin, int end) {
  Expected all;
  for (int i = begin; i < end; ++i) {
    int const value = value_at(i);
    all.sum += value;
    if (value < all.least) all.least_at = i;
    if (value > all.largest) all.largest_at = i;
    all.least = std::min(all.least, value);
    all.largest = std::max(all.largest, value);
  }
  return all;
}

/// What a team, thread or cluster found, from one of its threads.
struct Found {
  long sum;
  int least;
  int largest;
  int least_at;
  int largest_at;
  int both[2];
  int both_at[2];
  int bits[2];
  int truths[2];
  int two[2];
};

/// All reducers over one kind of range. Called by all of its group.
template <class Space, class Range>
KOKKOS_FUNCTION Found reduce_all(Range const& range) {
  using Host = Kokkos::HostSpace;
  Found found;
  Kokkos::parallel_reduce(
      range, [](int i, long& to) { to += value_at(i); }, found.sum);
  Kokkos::parallel_reduce(
      range, [](int i, int& to) { to = value_at(i) < to ? value_at(i) : to; },
      Kokkos::Min<int, Host>(found.least));
  Kokkos::parallel_reduce(
      range, [](int i, int& to) { to = value_at(i) > to ? value_at(i) : to; },
      Kokkos::Max<int, Host>(found.largest));
  using At = Kokkos::ValLocScalar<int, int>;
  At at;
  Kokkos::parallel_reduce(
      range,
      [](int i, At& to) {
        if (value_at(i) < to.val) to = At{value_at(i), i};
      },
      Kokkos::MinLoc<int, int, Host>(at));
  found.least_at = at.loc;
  Kokkos::parallel_reduce(
      range,
      [](int i, At& to) {
        if (value_at(i) > to.val) to = At{value_at(i), i};
      },
      Kokkos::MaxLoc<int, int, Host>(at));
  found.largest_at = at.loc;
  using Both = Kokkos::MinMaxScalar<int>;
  Both both;
  Kokkos::parallel_reduce(
      range,
      [](int i, Both& to) {
        if (value_at(i) < to.min_val) to.min_val = value_at(i);
        if (value_at(i) > to.max_val) to.max_val = value_at(i);
      },
      Kokkos::MinMax<int, Host>(both));
  found.both[0] = both.min_val;
  found.both[1] = both.max_val;
  using BothAt = Kokkos::MinMaxLocScalar<int, int>;
  BothAt both_at;
  Kokkos::parallel_reduce(
      range,
      [](int i, BothAt& to) {
        if (value_at(i) < to.min_val) {
          to.min_val = value_at(i);
          to.min_loc = i;
        }
        if (value_at(i) > to.max_val) {
          to.max_val = value_at(i);
          to.max_loc = i;
        }
      },
      Kokkos::MinMaxLoc<int, int, Host>(both_at));
  found.both_at[0] = both_at.min_loc;
  found.both_at[1] = both_at.max_loc;
  Kokkos::parallel_reduce(
      range, [](int i, int& to) { to |= 1 << i % 13; }, Kokkos::BOr<int, Host>(found.bits[0]));
  Kokkos::parallel_reduce(
      range, [](int i, int& to) { to &= ~(i == 40 ? 6 : 0); },
      Kokkos::BAnd<int, Host>(found.bits[1]));
  Kokkos::parallel_reduce(
      range, [](int i, int& to) { to = to || i == 77; }, Kokkos::LOr<int, Host>(found.truths[0]));
  Kokkos::parallel_reduce(
      range, [](int i, int& to) { to = to && i != 77; }, Kokkos::LAnd<int, Host>(found.truths[1]));
  Largest two;
  Kokkos::parallel_reduce(
      range,
      [](int i, Largest& to) {
        int const value = value_at(i);
        take(value, to);
      },
      LargestTwo<Space>(two));
  found.two[0] = two.first;
  found.two[1] = two.second;
  return found;
}

void expect_found(Found const& found) {
  Expected const all = expected(0, 150);
  EXPECT_EQ(found.sum, all.sum);
  EXPECT_EQ(found.least, all.least);
  EXPECT_EQ(found.largest, all.largest);
  EXPECT_EQ(found.least_at, all.least_at);
  EXPECT_EQ(found.largest_at, all.largest_at);
  EXPECT_EQ(found.both[0], all.least);
  EXPECT_EQ(found.both[1], all.largest);
  EXPECT_EQ(found.both_at[0], all.least_at);
  EXPECT_EQ(found.both_at[1], all.largest_at);
  EXPECT_EQ(found.bits[0], (1 << 13) - 1);
  EXPECT_EQ(found.bits[1], ~6);
  EXPECT_EQ(found.truths[0], 1);
  EXPECT_EQ(found.truths[1], 0);
  EXPECT_EQ(found.two[0], 900);
  EXPECT_EQ(found.two[1], 31);
}

template <class Space>
void nested_reducers_agree(int team, int vector, int cluster) {
  SCOPED_TRACE("team " + std::to_string(team) + ", vector " + std::to_string(vector) +
               ", cluster " + std::to_string(cluster));
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Policy policy(cluster * 2, team, vector);
  policy.set_cluster_size(cluster);
  int const lanes = team * vector;
  Kokkos::View<Found**, typename Space::memory_space> found(
      "found", 5, static_cast<std::size_t>(cluster * 2 * lanes));
  Kokkos::parallel_for(
      "reduce", policy, KOKKOS_LAMBDA(Member const& member) {
        int const place = member.league_rank() * lanes + member.thread_rank();
        found(0, place) = reduce_all<Space>(Kokkos::TeamThreadRange(member, 150));
        found(1, place) = reduce_all<Space>(Kokkos::TeamVectorRange(member, 150));
        found(2, place) = reduce_all<Space>(Kokkos::ThreadVectorRange(member, 150));
        found(3, place) = reduce_all<Space>(kohort::ClusterThreadRange(member, 150));
        found(4, place) = reduce_all<Space>(kohort::ClusterTeamRange(member, 150));
      });
  auto const all = on_host(found);
  for (int range = 0; range < 5; ++range) {
    for (int place = 0; place < cluster * 2 * lanes; ++place) {
      SCOPED_TRACE("range " + std::to_string(range) + ", lane " + std::to_string(place));
      expect_found(all(range, place));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

/// A type that has `+=` and nothing else.
struct Tally {
  double sum = 0;
  int count = 0;
  KOKKOS_FUNCTION Tally& operator+=(Tally const& other) {
    sum += other.sum;
    count += other.count;
    return *this;
  }
};

template <class Space>
void own_types_are_added_up() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Array<Space, double> found("found", 2);
  Kokkos::parallel_for(
      "tally", Policy(1, 33), KOKKOS_LAMBDA(Member const& member) {
        Tally tally;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, 150),
            [](int i, Tally& to) {
              to.sum += value_at(i);
              ++to.count;
            },
            tally);
        if (member.team_rank() == 32) {
          found(0) = tally.sum;
          found(1) = tally.count;
        }
      });
  EXPECT_EQ(on_host(found)(0), static_cast<double>(expected(0, 150).sum));
  EXPECT_EQ(on_host(found)(1), 150);
}

/// A functor whose final() is where the result goes: parallel_reduce without one.
template <class Space>
struct KeepsItsResult {
  using Policy = kohort::ClusterPolicy<Space>;
  using value_type = double;
  Array<Space, double> kept;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const&, double& to) const {
    to += 1;
  }
  KOKKOS_FUNCTION void final(double& total) const { kept(0) = total; }
};

struct Root {};

/// A functor that is its own reducer: the root of the sum of squares, by final().
template <class Space>
struct Norm {
  using Policy = kohort::ClusterPolicy<Space, Root, Kokkos::LaunchBounds<128>>;
  using value_type = double;

  KOKKOS_INLINE_FUNCTION void operator()(Root, typename Policy::member_type const& member,
                                         double& to) const {
    int const i = member.league_rank() * member.team_size() + member.team_rank();
    to += static_cast<double>(i) * i;
  }
  KOKKOS_INLINE_FUNCTION void init(Root, double& value) const { value = 0; }
  KOKKOS_INLINE_FUNCTION void join(Root, double& to, double const& from) const { to += from; }
  KOKKOS_INLINE_FUNCTION void final(Root, double& value) const { value = Kokkos::sqrt(value); }
};

template <class Space>
void league_reductions_agree(int vector) {
  SCOPED_TRACE("vector " + std::to_string(vector));
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Policy policy(6, 25, vector);
  policy.set_cluster_size(3);
  Expected const all = expected(0, 150);
  auto const of = KOKKOS_LAMBDA(Member const& member) {
    return value_at(member.league_rank() * member.team_size() + member.team_rank());
  };

  long sum = -1;
  Kokkos::parallel_reduce(
      "sum", policy, KOKKOS_LAMBDA(Member const& member, long& to) { to += of(member); }, sum);
  EXPECT_EQ(sum, all.sum);

  Kokkos::View<long, typename Space::memory_space> in_view("in_view");
  Kokkos::parallel_reduce(
      "sum into a View", policy,
      KOKKOS_LAMBDA(Member const& member, long& to) { to += of(member); }, in_view);
  Space().fence();
  EXPECT_EQ(on_host(in_view)(), all.sum);

  Kokkos::View<long, Kokkos::HostSpace> on_the_host("on_the_host");
  Kokkos::parallel_reduce(
      "sum into a host View", policy,
      KOKKOS_LAMBDA(Member const& member, long& to) { to += of(member); }, on_the_host);
  Space().fence();
  EXPECT_EQ(on_the_host(), all.sum);

  using At = Kokkos::ValLocScalar<int, int>;
  At least;
  Kokkos::parallel_reduce(
      "least", policy,
      KOKKOS_LAMBDA(Member const& member, At& to) {
        int const i = member.league_rank() * member.team_size() + member.team_rank();
        if (of(member) < to.val) to = At{of(member), i};
      },
      Kokkos::MinLoc<int, int>(least));
  EXPECT_EQ(least.val, all.least);
  EXPECT_EQ(least.loc, all.least_at);

  Largest two;
  Kokkos::parallel_reduce(
      "two", policy,
      KOKKOS_LAMBDA(Member const& member, Largest& to) {
        int const value = of(member);
        take(value, to);
      },
      LargestTwo<Space>(two));
  EXPECT_EQ(two.first, 900);
  EXPECT_EQ(two.second, 31);
}

template <class Space>
void own_functor_and_empty_league() {
  double norm = 0;
  Kokkos::parallel_reduce("norm", typename Norm<Space>::Policy(4, 64), Norm<Space>(), norm);
  double squares = 0;
  for (int i = 0; i < 256; ++i) squares += static_cast<double>(i) * i;
  EXPECT_DOUBLE_EQ(norm, std::sqrt(squares));

  Array<Space, double> kept("kept", 1);
  Kokkos::parallel_reduce("kept", kohort::ClusterPolicy<Space>(4, 8), KeepsItsResult<Space>{kept});
  Kokkos::fence();
  EXPECT_EQ(on_host(kept)(0), 32);

  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  long sum = 5;
  Kokkos::parallel_reduce(
      "nothing", Policy(0, 64), KOKKOS_LAMBDA(Member const&, long& to) { to += 1; }, sum);
  EXPECT_EQ(sum, 0);
  Kokkos::parallel_for("nothing", Policy(0, 64), KOKKOS_LAMBDA(Member const&){});
}

template <class Space>
class Reductions : public ::testing::Test {};
TYPED_TEST_SUITE(Reductions, Spaces);
TYPED_TEST(Reductions, OfNestedRangesAgree) {
  nested_reducers_agree<TypeParam>(32, 1, 1);
  nested_reducers_agree<TypeParam>(6, 8, 2);
  nested_reducers_agree<TypeParam>(50, 1, 4);
  nested_reducers_agree<TypeParam>(3, 32, 3);
}
TYPED_TEST(Reductions, OfLeaguesAgree) {
  league_reductions_agree<TypeParam>(1);
  league_reductions_agree<TypeParam>(4);
}
TYPED_TEST(Reductions, AddUpOwnTypes) { own_types_are_added_up<TypeParam>(); }
TYPED_TEST(Reductions, TakeFunctorsOfTheirOwnAndNothing) {
  own_functor_and_empty_league<TypeParam>();
}

}  // namespace
}  // namespace kohort_kokkos_test
