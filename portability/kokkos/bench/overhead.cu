// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the plugin costs beside the core API: the same kernels launched through both, on the device
// and by the host, and Kokkos' own TeamPolicy beside them. Compare the kernels' code with
// `cuobjdump -sass`.
#include <kernels/bench/measure.cuh>
#include <kohort/kokkos.hpp>

#include <chrono>
#include <cstdio>

namespace {

using namespace kohort;
using bench::check;

using KokkosPolicy = ClusterPolicy<Kokkos::Cuda>;
using KokkosMember = KokkosPolicy::member_type;
using CorePolicy = ClusterPolicy<Cuda, DynamicTeamScratch<Impl::ScratchUnit>,
                                 DynamicClusterScratch<Impl::ScratchUnit>>;
using CoreMember = CorePolicy::member_type;
using TeamMember = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;

constexpr int per_team = 4096;  ///< elements of a team's share

/// y += a x, a team a share.
struct CoreAxpy {
  double const* x;
  double* y;
  KOHORT_FUNCTION void operator()(CoreMember const& member) const {
    double const* const from = x + static_cast<long long>(member.league_rank()) * per_team;
    double* const to = y + static_cast<long long>(member.league_rank()) * per_team;
    kohort::parallel_for(TeamThreadRange(member, per_team), [&](int i) { to[i] += 3 * from[i]; });
  }
};
struct KokkosAxpy {
  double const* x;
  double* y;
  template <class Member>  // Kokkos' own team, too
  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    double const* const from = x + static_cast<long long>(member.league_rank()) * per_team;
    double* const to = y + static_cast<long long>(member.league_rank()) * per_team;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, per_team),
                         [&](int i) { to[i] += 3 * from[i]; });
  }
};

/// The cluster's sum of x, in all of its teams' places of `sums`.
struct CoreSum {
  double const* x;
  double* sums;
  KOHORT_FUNCTION void operator()(CoreMember const& member) const {
    double const* const from =
        x + static_cast<long long>(member.cluster_league_rank()) * member.cluster_size() * per_team;
    double sum = 0;
    kohort::parallel_reduce(
        ClusterThreadRange(member, member.cluster_size() * per_team),
        [&](int i, double& to) { to += from[i]; }, sum);
    kohort::single(kohort::PerTeam(member), [&] { sums[member.league_rank()] = sum; });
  }
};
struct KokkosSum {
  double const* x;
  double* sums;
  KOKKOS_INLINE_FUNCTION void operator()(KokkosMember const& member) const {
    double const* const from =
        x + static_cast<long long>(member.cluster_league_rank()) * member.cluster_size() * per_team;
    double sum = 0;
    Kokkos::parallel_reduce(
        ClusterThreadRange(member, member.cluster_size() * per_team),
        [&](int i, double& to) { to += from[i]; }, sum);
    Kokkos::single(Kokkos::PerTeam(member), [&] { sums[member.league_rank()] = sum; });
  }
};

struct CoreNothing {
  KOHORT_FUNCTION void operator()(CoreMember const&) const {}
};
struct KokkosNothing {
  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(Member const&) const {}
};

CorePolicy core_policy(Cuda const& target, int league, int cluster) {
  CorePolicy policy(target, league, 256, ClusterShape{cluster});
  policy.dynamic_team_scratch(0).dynamic_cluster_scratch(0);
  return policy;
}
KokkosPolicy kokkos_policy(int league, int cluster) {
  KokkosPolicy policy(league, 256);
  policy.set_cluster_size(cluster);
  return policy;
}

/// Microseconds of the host's a launch: 200 at a time, so that the device's queue never is full.
double host_time(std::function<void()> const& call) {
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  auto const start = std::chrono::steady_clock::now();
  for (int i = 0; i < 200; ++i) call();
  auto const stop = std::chrono::steady_clock::now();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return std::chrono::duration<double, std::micro>(stop - start).count() / 200;
}

void add(bench::Report& report, std::string const& name,
         std::vector<bench::Contender> const& contenders,
         std::vector<bench::Timing> const& timings) {
  for (std::size_t i = 0; i < contenders.size(); ++i)
    report.add({name + "/" + contenders[i].name,
                timings[i],
                {{"time / core's", timings[i].median_us / timings[0].median_us}},
                {}});
}

void device_part(bench::Report& report, bench::Options const& options, Cuda const& target) {
  constexpr int league = 4096;
  Kokkos::View<double*, Kokkos::CudaSpace> x("x", std::size_t{league} * per_team);
  Kokkos::View<double*, Kokkos::CudaSpace> y("y", std::size_t{league} * per_team);
  Kokkos::View<double*, Kokkos::CudaSpace> sums("sums", league);
  Kokkos::deep_copy(x, 1.0);
  double* const xs = x.data();
  std::vector<bench::Contender> const axpy{
      {"core",
       [&] {
         parallel_for("axpy", core_policy(target, league, 1), CoreAxpy{xs, y.data()});
       }},
      {"kokkos plugin",
       [&] {
         Kokkos::parallel_for("axpy", kokkos_policy(league, 1), KokkosAxpy{xs, y.data()});
       }},
      {"Kokkos::TeamPolicy", [&] {
         Kokkos::parallel_for("axpy", Kokkos::TeamPolicy<Kokkos::Cuda>(league, 256),
                              KokkosAxpy{xs, y.data()});
       }}};
  std::vector<bench::Contender> const sum{
      {"core",
       [&] {
         parallel_for("sum", core_policy(target, league, 4), CoreSum{xs, sums.data()});
       }},
      {"kokkos plugin", [&] {
         Kokkos::parallel_for("sum", kokkos_policy(league, 4), KokkosSum{xs, sums.data()});
       }}};
  add(report, "axpy", axpy, bench::alternate(axpy, options.rounds, 20));
  for (bench::Contender const& one : sum) {
    Kokkos::deep_copy(sums, -1.0);
    one.call();
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
    for (int team = 0; team < league; ++team)
      if (found(team) != 4.0 * per_team)
        throw std::runtime_error(one.name + ": the sum of team " + std::to_string(team) +
                                 " is wrong");
  }
  add(report, "cluster sum", sum, bench::alternate(sum, options.rounds, 20));
}

void host_part(bench::Report& report, bench::Options const& options, Cuda const& target) {
  std::vector<bench::Contender> const nothing{
      {"core", [&] { parallel_for("nothing", core_policy(target, 132, 4), CoreNothing{}); }},
      {"kokkos plugin",
       [&] { Kokkos::parallel_for("nothing", kokkos_policy(132, 4), KokkosNothing{}); }},
      {"Kokkos::TeamPolicy", [&] {
         Kokkos::parallel_for("nothing", Kokkos::TeamPolicy<Kokkos::Cuda>(132, 256),
                              KokkosNothing{});
       }}};
  std::vector<std::vector<double>> samples(nothing.size());
  for (bench::Contender const& one : nothing) host_time(one.call);
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < nothing.size(); ++i)
      samples[i].push_back(host_time(nothing[i].call));
    for (std::size_t i = nothing.size(); i-- > 0;) samples[i].push_back(host_time(nothing[i].call));
  }
  std::vector<bench::Timing> timings;
  for (std::vector<double>& one : samples) timings.push_back(bench::summarise(std::move(one)));
  add(report, "host time of a launch", nothing, timings);
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options const options = bench::parse_options(argc, argv);
  Kokkos::ScopeGuard const kokkos;
  bench::Report report("Kokkos plugin on CUDA", options);
  bench::add_device_context(report);
  report.add_context("kokkos", std::to_string(KOKKOS_VERSION));
  Cuda const target(Kokkos::Cuda().cuda_stream());
  device_part(report, options, target);
  host_part(report, options, target);
  return report.publish() ? 0 : 1;
}
