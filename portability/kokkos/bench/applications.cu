// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The example applications, plain Kokkos beside clusters: the same problems alternating in one
// process. Their answers are compared by tests/kokkos/mini_app_test.cpp, and here once more.
#include <kernels/bench/measure.cuh>
#include <portability/kokkos/example/conjugate_gradient.hpp>
#include <portability/kokkos/example/row_solver.hpp>

#include <cmath>

namespace {

using namespace kohort;
using Space = Kokkos::Cuda;

template <class View>
void require_equal(View const& left, View const& right, double bound) {
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), left);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), right);
  for (std::size_t i = 0; i < a.span(); ++i)
    if (!(std::abs(a.data()[i] - b.data()[i]) <= bound))
      throw std::runtime_error("the two versions' answers differ");
}

void add(bench::Report& report, std::string const& name,
         std::vector<bench::Contender> const& contenders, bench::Options const& options) {
  std::vector<bench::Timing> const timings = bench::alternate(contenders, options.rounds, 1);
  for (std::size_t i = 0; i < contenders.size(); ++i)
    report.add({name + "/" + contenders[i].name,
                timings[i],
                {{"plain's time / this", timings[0].median_us / timings[i].median_us}},
                {}});
}

void conjugate_gradients(bench::Report& report, bench::Options const& options, int systems) {
  constexpr int iterations = 100;
  example::Grids<Space> right("right", systems, 64, 64);
  example::Grids<Space> plain("plain", systems, 64, 64);
  example::Grids<Space> clusters("clusters", systems, 64, 64);
  auto const host = Kokkos::create_mirror_view(right);
  for (std::size_t i = 0; i < host.span(); ++i)
    host.data()[i] = std::sin(0.1 * static_cast<double>(i));
  Kokkos::deep_copy(right, host);
  example::PlainConjugateGradient<Space> const solver(right, plain);
  std::vector<bench::Contender> const both{
      {"plain, 301 launches and 3 copies",
       [&] {
         Kokkos::deep_copy(Space(), solver.x, 0);
         Kokkos::deep_copy(Space(), solver.r, right);
         Kokkos::deep_copy(Space(), solver.p, right);
         solver.solve(iterations);
       }},
      {"clusters of 4, 1 launch",
       [&] { example::ClusterConjugateGradient<Space>::solve(right, clusters, iterations, 4); }}};
  for (bench::Contender const& one : both) one.call();
  Kokkos::fence();
  require_equal(plain, clusters, 1e-6);
  add(report, "conjugate gradients, " + std::to_string(systems) + " grids of 64x64", both, options);
}

void rows(bench::Report& report, bench::Options const& options, int systems) {
  constexpr int length = 4096;
  example::Rows<Space> given("given", systems, length);
  auto const host = Kokkos::create_mirror_view(given);
  for (int s = 0; s < systems; ++s)
    for (int i = 0; i < length; ++i)
      host(s, i) = {i > 0 ? std::sin(0.3 * i) : 0, 3, i + 1 < length ? std::cos(0.2 * i + s) : 0,
                    std::sin(0.01 * i)};
  Kokkos::deep_copy(given, host);
  example::Solutions<Space> plain("plain", systems, length);
  example::Solutions<Space> clusters("clusters", systems, length);
  std::vector<bench::Contender> const both{
      {"plain, 13 launches", [&] { example::solve_rows_plain<Space>(given, plain); }},
      {"clusters of 8, 1 launch",
       [&] { example::ClusterRowSolver<Space>::solve(given, clusters, 8); }}};
  for (bench::Contender const& one : both) one.call();
  Kokkos::fence();
  require_equal(plain, clusters, 1e-12);
  add(report, "rows, " + std::to_string(systems) + " systems of 4096", both, options);
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options const options = bench::parse_options(argc, argv);
  Kokkos::ScopeGuard const kokkos;
  bench::Report report("Kokkos applications on CUDA", options);
  bench::add_device_context(report);
  report.add_context("kokkos", std::to_string(KOKKOS_VERSION));
  for (int const systems : {33, 264}) conjugate_gradients(report, options, systems);
  for (int const systems : {16, 256}) rows(report, options, systems);
  return report.publish() ? 0 : 1;
}
