// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What check mode costs: each kernel as it is, and instrumented and checked, in one run.
#include "check_cost/kernels.hpp"

#include <benchmark/benchmark.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>

namespace {

using kohort::bench::CheckedKernel;

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double seconds_of(std::function<void()> const& work) {
  auto const begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The first launch is timed apart: it touches the shadow's pages. What the process grows by then,
/// beyond what the plain build grows by, is the shadow, and the stacks of both.
void time_kernel(benchmark::State& state, CheckedKernel const& kernel) {
  CheckedKernel::Ready const ready = kernel.prepare();
  double const before = resident_bytes();
  double const cold = seconds_of(ready.launch);
  double const after = resident_bytes();
  if (!ready.is_right()) state.SkipWithError("the result is wrong");
  ready.launch();
  for (auto _ : state) ready.launch();
  if (!ready.is_right()) state.SkipWithError("the result is wrong");
  state.counters["cold_ms"] = cold * 1e3;
  state.counters["grown_bytes_a_byte"] = (after - before) / kernel.bytes;
}

void add(std::vector<CheckedKernel> const& kernels, char const* how) {
  for (CheckedKernel const& kernel : kernels) {
    std::string const name = "check_cost/" + kernel.name + "/" + how;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [kernel](benchmark::State& state) { time_kernel(state, kernel); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
}

bool const registered = [] {
  std::vector<CheckedKernel> kernels;
  kohort_plain_kernels(kernels);
  add(kernels, "run");
  kohort_checked_kernels(kernels);
  add(kernels, "check");
  return true;
}();

}  // namespace
