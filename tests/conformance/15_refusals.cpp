// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch that the device can't take says who asked for what, which limit broke, and what would
// work; validate() says the same without launching; the device stays usable.
#include "device.hpp"

namespace kohort::conformance::refusals {

/// Counts its teams, so that a launch that should not have run shows.
struct CountTeams {
  int* count;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    if (member.team_rank() == 0) atomic_add(count, 1);
  }
};

inline void require_contains(std::string const& text, std::string const& part,
                             CallSite site = CallSite::current()) {
  require(text.find(part) != std::string::npos, "\"" + part + "\" is missing in: " + text, site);
}

template <class Target>
void require_complete(Target const&, LaunchError const& error, Support const& support,
                      CallSite site) {
  std::string const text = error.what();
  require_equal(error.label(), "refused", "label()", site);
  require_contains(error.device(), target_name<Target>, site);
  require_contains(text, "kohort: launch of \"refused\" refused on " + error.device(), site);
  for (std::string const& part : {error.asked(), error.limit(), error.would_work()}) {
    require(!part.empty(), "every part of the message is there: " + text, site);
    require_contains(text, part, site);
  }
  require(!support.ok, "validate() refuses too", site);
  require(!support.reason.empty(), "validate() gives a reason", site);
  require_equal(support.limit, error.limit(), "validate()'s limit", site);
  require_equal(support.would_work, error.would_work(), "what would work, says validate()", site);
}

/// The refusal of `policy`: complete, the same by validate(), and no team ran. A launch of one
/// team works afterwards.
template <class Policy>
LaunchError refusal(Policy const& policy, CallSite site = CallSite::current()) {
  auto const& target = policy.target();
  auto const counts = filled<int>(target, 1, 0);
  CountTeams const functor{counts.data()};
  Support const support = policy.validate(functor);
  LaunchError const error = require_throws<LaunchError>(
      [&] {
        parallel_for("refused", policy, functor);
        target.fence("refused");
      },
      "a launch that must be refused", site);
  require_complete(target, error, support, site);
  require_equal(download(counts)[0], 0, "teams that ran in a refused launch", site);
  parallel_for("after", ClusterPolicy<typename Policy::target_type>(target, 5, 1), functor);
  require_equal(download(counts)[0], 5, "teams of the launch after it", site);
  return error;
}

template <class Target>
void a_league_that_is_no_multiple_of_its_cluster(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  LaunchError const one = refusal(Policy(target, 100, 1, 3));
  require_contains(one.asked(), "league 100×1×1");
  require_contains(one.asked(), "cluster 3×1×1");
  require_contains(one.limit(), "must be a multiple of the cluster's extent");
  require_contains(one.would_work(), "99×1×1");
  require_contains(one.would_work(), "102×1×1");
  LaunchError const two = refusal(Policy(target, {4, 5}, 1, ClusterShape(2, 2)));
  require_contains(two.would_work(), "4×4×1");
  refusal(Policy(target, {8, 3}, 1, ClusterShape(1, 2)));
  refusal(ClusterPolicy<Target, ClusterDims<2>>(target, 3, 1));
}

template <class Target>
void a_shape_that_contradicts_the_compile_time_one(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterDims<2>>;
  LaunchError const error = refusal(Policy(target, 8, 1, 4));
  require_contains(error.limit(), "must agree with ClusterDims<2,1,1>");
  require_contains(error.would_work(), "cluster 2×1×1");
}

/// What a cluster of `size` is refused for, by the device's figures.
inline std::string cluster_limit(DeviceProperties const& device, int size) {
  if (device.largest_nonportable_cluster == 1) return "has no thread-block clusters";
  if (size > device.largest_nonportable_cluster) {
    return "largest cluster is " + std::to_string(device.largest_nonportable_cluster) + " teams";
  }
  return "a cluster over " + std::to_string(device.largest_portable_cluster) +
         " needs allow_nonportable_size()";
}

template <class Target>
void a_nonportable_cluster_without_opting_in(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  DeviceProperties const device = properties(target);
  int const size = device.largest_portable_cluster + 1;
  LaunchError const error = refusal(Policy(target, 2 * size, 1, size));
  require_contains(error.limit(), cluster_limit(device, size));
  require_contains(error.would_work(), "cluster");
  if (size > device.largest_nonportable_cluster) return;
  require_contains(error.would_work(), std::to_string(size) + " with allow_nonportable_size()");
  auto const counts = filled<int>(target, 1, 0);
  parallel_for("opted_in", Policy(target, 2 * size, 1, size).allow_nonportable_size(),
               CountTeams{counts.data()});
  require_equal(download(counts)[0], 2 * size, "teams after opting in");
}

template <class Target>
void a_cluster_over_the_devices_largest(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  DeviceProperties const device = properties(target);
  for (int size : {device.largest_nonportable_cluster + 1, 64}) {
    LaunchError const error = refusal(Policy(target, size, 1, size).allow_nonportable_size());
    require_contains(error.limit(), cluster_limit(device, size));
    require_contains(error.would_work(), "cluster");
  }
}

/// triton#10963: a native cluster of two where the device has none.
template <class Target>
void native_clusters_are_what_the_device_has(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const counts = filled<int>(target, 1, 0);
  Policy pairs(target, 4, 1, 2);
  pairs.mode(ClusterMode::native);
  if (pairs.validate(CountTeams{nullptr})) {
    parallel_for("native", pairs, CountTeams{counts.data()});
    require_equal(download(counts)[0], 4, "teams of a native launch");
  } else {
    LaunchError const error = refusal(pairs);
    require_contains(error.limit(), "has no thread-block clusters");
    require_contains(error.would_work(), "ClusterMode::automatic, which emulates clusters");
  }
  int const over = properties(target).largest_nonportable_cluster + 1;
  Policy too_large(target, over, 1, over);
  too_large.allow_nonportable_size().mode(ClusterMode::native);
  require_contains(refusal(too_large).asked(), "mode native");
}

/// Where the kernel was compiled for them; else the refusal says how to have that.
template <class Target>
void emulated_clusters_run_or_say_why_not(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  auto const counts = filled<int>(target, 1, 0);
  Policy const pairs = Policy(target, 10, 1, 2).mode(ClusterMode::emulated);
  if (pairs.validate(CountTeams{nullptr})) {
    parallel_for("emulated", pairs, CountTeams{counts.data()});
    require_equal(download(counts)[0], 10, "teams of an emulated launch");
    int const portable = std::min(8, properties(target).sm_count);
    int const largest = std::min(16, properties(target).sm_count);
    Policy over(target, 2 * portable + 2, 1, portable + 1);
    require_contains(refusal(over.mode(ClusterMode::emulated)).limit(),
                     portable < largest ? "a cluster over 8 needs allow_nonportable_size()"
                                        : "largest cluster is " + std::to_string(largest));
    Policy too_large(target, 17, 1, 17);
    too_large.allow_nonportable_size().mode(ClusterMode::emulated);
    require_contains(refusal(too_large).limit(),
                     "largest cluster is " + std::to_string(largest) + " teams");
  } else {
    LaunchError const error = refusal(pairs);
    require_contains(error.limit(), "not compiled for emulated clusters");
    require_contains(error.would_work(), "KOHORT_EMULATED_CLUSTERS");
  }
}

template <class Target>
void too_many_threads(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const most = properties(target).max_team_size;
  LaunchError const error = refusal(Policy(target, 4, most + 1));
  require_contains(error.asked(), std::to_string(most + 1) + " threads");
  require_contains(error.limit(), "at most " + std::to_string(most) + " threads");
  require_contains(error.would_work(), std::to_string(most) + " threads");
}

template <class Target>
void more_threads_than_launch_bounds_promise(Target const& target) {
  using Policy = ClusterPolicy<Target, LaunchBounds<32>>;
  LaunchError const error = refusal(Policy(target, 4, 33));
  require_contains(error.limit(), "LaunchBounds promises at most 32 threads");
}

template <class Target>
void too_much_scratch(Target const& target) {
  using Policy = ClusterPolicy<Target, DynamicTeamScratch<int>>;
  long long const most = properties(target).max_team_scratch_bytes;
  int const count = static_cast<int>(most / 4) + 1;
  LaunchError const error = refusal(Policy(target, 4, 1).dynamic_team_scratch(count));
  require_contains(error.asked(), std::to_string(4LL * count) + " B scratch a team");
  require_contains(error.limit(), "at most " + std::to_string(most) + " B of scratch");
}

template <class Target>
void empty_and_negative_extents(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  require_contains(refusal(Policy(target, 0, 1)).limit(), "league is at least 1");
  require_contains(refusal(Policy(target, -4, 1)).limit(), "league is at least 1");
  require_contains(refusal(Policy(target, {4, 0}, 1)).limit(), "league is at least 1");
  require_contains(refusal(Policy(target, 4, 1, 0)).limit(), "cluster is at least 1");
  require_contains(refusal(Policy(target, 4, 1, ClusterShape(2, -1))).limit(),
                   "cluster is at least 1");
  require_contains(refusal(Policy(target, 4, -1)).limit(), "team has at least 1 thread");
}

template <class Target>
void leagues_over_the_grids_limits(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  require_contains(refusal(Policy(target, {1, 65536}, 1)).limit(), "65535");
  require_contains(refusal(Policy(target, {65536, 32768}, 1)).limit(), "2147483647 teams");
}

template <class Target>
void preferred_shapes_that_do_not_nest(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  LaunchError const error = refusal(Policy(target, 12, 1).prefer(3, 2));
  require_contains(error.limit(), "a preferred cluster is a multiple of its fallback");
}

struct CountUp {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const&, int& to) const {
    ++to;
  }
};

template <class Target>
void parallel_reduce_is_refused_as_parallel_for_is(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int result = 42;
  LaunchError const error = require_throws<LaunchError>(
      [&] {
        parallel_reduce(
            "refused_sum", Policy(target, 100, 1, 3),
            KOHORT_LAMBDA(typename Policy::member_type const&, int& update) { update += 1; },
            result);
      },
      "a reduction that must be refused");
  require_equal(error.label(), "refused_sum", "label()");
  require_contains(error.limit(), "must be a multiple of the cluster's extent");
  require_equal(result, 42, "the result of a refused reduction");
  // Leagues of which nobody could keep a partial a team.
  for (League const league : {League(-4), League(2147483647, 65535)}) {
    LaunchError const wrong = require_throws<LaunchError>(
        [&] {
          parallel_reduce("refused_sum", ClusterPolicy<Target>(target, league, 32), CountUp{},
                          result);
        },
        "a reduction over a league that no device has");
    require_equal(wrong.label(), "refused_sum", "label()");
  }
}

namespace {
Rung<UnitTarget> const rung(
    "15_refusals",
    {{"ALeagueThatIsNoMultipleOfItsCluster",
      a_league_that_is_no_multiple_of_its_cluster<UnitTarget>},
     {"AShapeThatContradictsTheCompileTimeOne",
      a_shape_that_contradicts_the_compile_time_one<UnitTarget>},
     {"ANonportableClusterWithoutOptingIn", a_nonportable_cluster_without_opting_in<UnitTarget>},
     {"AClusterOverTheDevicesLargest", a_cluster_over_the_devices_largest<UnitTarget>},
     {"NativeClustersAreWhatTheDeviceHas", native_clusters_are_what_the_device_has<UnitTarget>},
     {"EmulatedClustersRunOrSayWhyNot", emulated_clusters_run_or_say_why_not<UnitTarget>},
     {"TooManyThreads", too_many_threads<UnitTarget>},
     {"MoreThreadsThanLaunchBoundsPromise", more_threads_than_launch_bounds_promise<UnitTarget>},
     {"TooMuchScratch", too_much_scratch<UnitTarget>},
     {"EmptyAndNegativeExtents", empty_and_negative_extents<UnitTarget>},
     {"LeaguesOverTheGridsLimits", leagues_over_the_grids_limits<UnitTarget>},
     {"PreferredShapesThatDoNotNest", preferred_shapes_that_do_not_nest<UnitTarget>},
     {"ParallelReduceIsRefusedAsParallelForIs",
      parallel_reduce_is_refused_as_parallel_for_is<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::refusals
