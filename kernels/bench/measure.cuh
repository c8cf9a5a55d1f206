// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>

#include <kernels/bench/report.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kohort::bench {

inline void check(cudaError_t status, char const* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// Something that is timed: it queues its whole work in the default stream.
struct Contender {
  std::string name;
  std::function<void()> call;
};

/// A pair of events around device work.
class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&start_), "cudaEventCreate");
    check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  Stopwatch(Stopwatch const&) = delete;
  Stopwatch& operator=(Stopwatch const&) = delete;
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  /// Microseconds a call, over `calls` calls queued behind each other. The device is idle before.
  double time(std::function<void()> const& call, int calls) {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaEventRecord(start_), "cudaEventRecord");
    for (int i = 0; i < calls; ++i) call();
    check(cudaEventRecord(stop_), "cudaEventRecord");
    check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    check(cudaGetLastError(), "a timed call");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return 1000.0 * milliseconds / calls;
  }

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

/// Times all contenders alternately, forwards and backwards in turn (ABBA), so that a drift of
/// clocks or caches meets all alike.
/// @param calls  1: each sample is one call on an idle device, its launch included; more: calls
///               queued behind each other, so that the host's part is hidden
inline std::vector<Timing> alternate(std::vector<Contender> const& contenders, int rounds,
                                     int calls) {
  Stopwatch watch;
  for (int warm = 0; warm < 3; ++warm)
    for (Contender const& contender : contenders) watch.time(contender.call, calls);
  std::vector<std::vector<double>> samples(contenders.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i)
      samples[i].push_back(watch.time(contenders[i].call, calls));
    for (std::size_t i = contenders.size(); i-- > 0;)
      samples[i].push_back(watch.time(contenders[i].call, calls));
  }
  std::vector<Timing> timings;
  for (std::vector<double>& one : samples) timings.push_back(summarise(std::move(one)));
  return timings;
}

/// Calls of a contender as a CUDA graph, so that a replay needs nothing of the host: what a library
/// does there at each call is not in its time.
class Replay {
 public:
  /// @param call  queues its whole work in the per-thread default stream
  Replay(std::function<void()> const& call, int calls) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    for (int i = 0; i < calls; ++i) call();
    check(cudaStreamEndCapture(cudaStreamPerThread, &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&graph_, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
  }
  Replay(Replay const&) = delete;
  Replay& operator=(Replay const&) = delete;
  ~Replay() { cudaGraphExecDestroy(graph_); }

  void launch() const { check(cudaGraphLaunch(graph_, cudaStreamPerThread), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// As alternate(), of replays of `calls` calls each. @return times of one call
inline std::vector<Timing> alternate_replayed(std::vector<Contender> const& contenders, int rounds,
                                              int calls) {
  std::vector<Contender> replayed;
  for (Contender const& contender : contenders) {
    auto const replay = std::make_shared<Replay>(contender.call, calls);
    replayed.push_back({contender.name, [replay] { replay->launch(); }});
  }
  std::vector<Timing> timings = alternate(replayed, rounds, 1);
  for (Timing& timing : timings) {
    timing.median_us /= calls;
    timing.least_us /= calls;
  }
  return timings;
}

/// What a kernel occupies, as the driver tells.
struct Footprint {
  int registers = 0;
  int shared_bytes = 0;
  int blocks_an_sm = 0;
};

/// @param dynamic_bytes  shared memory that the launch adds
inline Footprint footprint(void const* kernel, int threads, int dynamic_bytes) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  Footprint result;
  result.registers = attributes.numRegs;
  result.shared_bytes = static_cast<int>(attributes.sharedSizeBytes) + dynamic_bytes;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result.blocks_an_sm, kernel, threads,
                                                      dynamic_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return result;
}

/// Device, driver and versions, as every results file has them.
inline void add_device_context(Report& report) {
  cudaDeviceProp device{};
  int driver = 0;
  int runtime = 0;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  auto const version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  report.add_context("device", device.name);
  report.add_context("compute_capability",
                     std::to_string(device.major) + "." + std::to_string(device.minor));
  report.add_context("multiprocessors", std::to_string(device.multiProcessorCount));
  report.add_context("l2_bytes", std::to_string(device.l2CacheSize));
  report.add_context("driver_supports_cuda", version(driver));
  report.add_context("cuda_runtime", version(runtime));
  report.add_context("nvcc", std::to_string(__CUDACC_VER_MAJOR__) + "." +
                                 std::to_string(__CUDACC_VER_MINOR__) + "." +
                                 std::to_string(__CUDACC_VER_BUILD__));
  report.add_context("clock", "CUDA events; contenders alternate forwards and backwards");
}

}  // namespace kohort::bench
