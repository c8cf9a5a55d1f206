// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leagues and clusters in one, two and three dimensions, fixed and at run time.
#include "device.hpp"

namespace kohort::conformance::shapes {

/// All that a team says about its place.
struct Place {
  int league_rank, league_size, cluster_rank, cluster_size;
  int cluster_league_rank, cluster_league_size;
  int league_index[3], league_extent[3], cluster_index[3], cluster_extent[3];
  bool operator==(Place const&) const = default;
};

template <class Member>
KOHORT_FUNCTION Place place_of(Member const& member) {
  Place place{member.league_rank(),
              member.league_size(),
              member.cluster_rank(),
              member.cluster_size(),
              member.cluster_league_rank(),
              member.cluster_league_size(),
              {},
              {},
              {},
              {}};
  for (int dimension = 0; dimension < 3; ++dimension) {
    place.league_index[dimension] = member.league_index(dimension);
    place.league_extent[dimension] = member.league_extent(dimension);
    place.cluster_index[dimension] = member.cluster_index(dimension);
    place.cluster_extent[dimension] = member.cluster_extent(dimension);
  }
  return place;
}

/// x first, then y, then z.
inline int linear(Extents const& index, Extents const& extents) {
  return index.x + extents.x * (index.y + extents.y * index.z);
}

inline Place expected_place(Extents const& league, Extents const& cluster, Extents const& index) {
  Extents const inside{index.x % cluster.x, index.y % cluster.y, index.z % cluster.z};
  Extents const outside{index.x / cluster.x, index.y / cluster.y, index.z / cluster.z};
  Extents const clusters{league.x / cluster.x, league.y / cluster.y, league.z / cluster.z};
  return Place{linear(index, league),          static_cast<int>(league.count()),
               linear(inside, cluster),        static_cast<int>(cluster.count()),
               linear(outside, clusters),      static_cast<int>(clusters.count()),
               {index.x, index.y, index.z},    {league.x, league.y, league.z},
               {inside.x, inside.y, inside.z}, {cluster.x, cluster.y, cluster.z}};
}

inline std::vector<Place> expected_places(Extents const& league, Extents const& cluster) {
  std::vector<Place> places;
  for (int z = 0; z < league.z; ++z) {
    for (int y = 0; y < league.y; ++y) {
      for (int x = 0; x < league.x; ++x) {
        places.push_back(expected_place(league, cluster, {x, y, z}));
      }
    }
  }
  return places;
}

template <class Policy>
void check_places(Policy const& policy) {
  Extents const league = policy.request().league;
  Extents const cluster = policy.request().cluster;
  auto const places = poisoned<Place>(policy.target(), league.count());
  Place* const place = places.data();
  bool const ran = launched(
      "check_places", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() == 0) place[member.league_rank()] = place_of(member);
      });
  if (!ran) return;
  require_all_equal(download(places), expected_places(league, cluster),
                    "league " + to_string(league) + ", cluster " + to_string(cluster));
}

template <class Target>
void leagues_count_x_first(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  check_places(Policy(target, 13, 5));
  check_places(Policy(target, {5, 7}, 5));
  check_places(Policy(target, {1, 9}, 5));
  check_places(Policy(target, {3, 4, 5}, 5));
  check_places(Policy(target, {1, 1, 6}, 5));
}

template <class Target>
void run_time_shapes_in_one_dimension(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int size : {1, 2, 3, 4, 5, 7, 8, 16}) {
    check_places(Policy(target, 6 * size, 5, ClusterShape(size)));
  }
}

template <class Target>
void run_time_shapes_in_three_dimensions(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  check_places(Policy(target, {4, 6}, 5, ClusterShape(2, 2)));
  check_places(Policy(target, {4, 6}, 5, ClusterShape(1, 2)));
  check_places(Policy(target, {3, 8}, 5, ClusterShape(1, 4)));
  check_places(Policy(target, {2, 3, 4}, 5, ClusterShape(1, 1, 2)));
  check_places(Policy(target, {4, 4, 4}, 5, ClusterShape(2, 2, 2)));
  check_places(Policy(target, {6, 2, 4}, 5, ClusterShape(3, 1, 2)));
}

template <class Target>
void compile_time_shapes(Target const& target) {
  check_places(ClusterPolicy<Target, ClusterDims<1>>(target, 9, 5));
  check_places(ClusterPolicy<Target, ClusterDims<2>>(target, 10, 5));
  check_places(ClusterPolicy<Target, ClusterDims<3>>(target, 9, 5));
  check_places(ClusterPolicy<Target, ClusterDims<1, 2>>(target, {3, 4}, 5));
  check_places(ClusterPolicy<Target, ClusterDims<2, 2>>(target, {4, 6}, 5));
  check_places(ClusterPolicy<Target, ClusterDims<1, 1, 2>>(target, {2, 3, 4}, 5));
  check_places(ClusterPolicy<Target, ClusterDims<2, 1, 2>>(target, {4, 3, 2}, 5));
  check_places(ClusterPolicy<Target, ClusterDims<2, 2, 2>>(target, {2, 4, 4}, 5));
}

template <class Target>
void both_shapes_may_be_given_if_they_agree(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2, 1>>;
  check_places(Policy(target, {4, 3}, 5, ClusterShape(2, 1)));
}

template <class Target>
void a_cluster_may_be_the_whole_league(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  for (int size : cluster_sizes(target)) check_places(Policy(target, size, 5, ClusterShape(size)));
}

/// Teams of one cluster are on one group of SMs, each on its own slot; a device that does not
/// tell its groups answers -1 to all.
template <class Target>
void teams_of_a_cluster_share_a_group(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const size = cluster_teams(target, 4);
  int const clusters = 50;
  auto const groups = poisoned<int>(target, clusters * size);
  auto const sms = poisoned<int>(target, clusters * size);
  int* const group = groups.data();
  int* const sm = sms.data();
  parallel_for(
      "teams_share_a_group",
      Policy(target, clusters * size, 4, ClusterShape(size)).allow_nonportable_size(),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        if (member.team_rank() != 0) return;
        group[member.league_rank()] = member.sm_group();
        sm[member.league_rank()] = member.sm();
      });
  std::vector<int> const seen = download(groups);
  for (int team = 0; team < clusters * size; ++team) {
    require_equal(seen[team], seen[team - team % size], "group of a team and of its cluster");
  }
  for (int number : download(sms)) {
    require(number >= 0 && number < properties(target).sm_count,
            "SM " + std::to_string(number) + " is one of the device's");
  }
}

namespace {
Rung<UnitTarget> const rung(
    "02_shapes",
    {{"LeaguesCountXFirst", leagues_count_x_first<UnitTarget>},
     {"RunTimeShapesInOneDimension", run_time_shapes_in_one_dimension<UnitTarget>},
     {"RunTimeShapesInThreeDimensions", run_time_shapes_in_three_dimensions<UnitTarget>},
     {"CompileTimeShapes", compile_time_shapes<UnitTarget>},
     {"BothShapesMayBeGivenIfTheyAgree", both_shapes_may_be_given_if_they_agree<UnitTarget>},
     {"AClusterMayBeTheWholeLeague", a_cluster_may_be_the_whole_league<UnitTarget>},
     {"TeamsOfAClusterShareAGroup", teams_of_a_cluster_share_a_group<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::shapes
